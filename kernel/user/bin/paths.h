/*
 * paths.h - what programs that work on trees of files share.
 *
 * Where memory runs out they say so and end the program with status 1.
 */

#ifndef PATHS_H
#define PATHS_H

#include <sys/types.h>

/* "dir/name", to be freed. */
char *path_join(const char *dir, const char *name);

/* Where `from` goes when told `to`: to/NAME when `to` is a directory, else `to`.  To be freed. */
char *path_into(const char *to, const char *from);

/* The names in a directory but . and .., sorted, NULL behind the last; NULL and errno: none read.
 */
char **path_names(const char *dir);
void free_names(char **names);

/* The last part of a path ends in . or ..: not to be removed or moved. */
int path_is_dots(const char *path);

/* Is `path` a directory, or a link to one? */
int path_is_dir(const char *path);

/* Prints "program: from -> to: why (errno)" on standard error. */
void complain_pair(const char *program, const char *from, const char *to);

/* "-rw-r--r--" */
void mode_text(mode_t mode, char to[11]);

/* "1992-08-01 12:00:00", universal time. */
#define DATE_TEXT 32
void date_text(time_t t, char to[DATE_TEXT]);

#endif
