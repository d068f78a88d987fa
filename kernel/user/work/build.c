/*
 * build.c - a workload that treats a machine as the compiling of a kernel does.
 *
 * Nothing is compiled: no compiler of 1992 runs here, and a real one would measure itself.  What a
 * kernel sees of it is real: a process for each source, sources and headers of a real tree read
 * through the cache, memory used and computed with, objects written, all of them read again, and
 * one file made of them.  Sources are Klaava's own, the list of them is the file `files` beside
 * them.  In the end all that was written goes, so that a run finds what the run before it found.
 *
 * compile.c and linkobj.c do the work, build.h has the parameters.  The workload of lesson 8.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "build.h"

static const char text[] = "build [FILES [SOURCES [OBJECTS]]]   (FILES 1 to 500; /src, /obj)";

enum { MOST = 500 };

/* Where headers are, seen from SOURCES. */
static char kernel_dir[] = "kernel", root_dir[] = ".";

static char *sources[MOST], *objects[MOST];
static int count;

static void fail(const char *what)
{
	complain("build", what);
	exit(1);
}

/* `folder`/`name`, of the first `size` bytes of it, with - for each / and o for its last letter. */
static char *object_name(const char *folder, const char *name, size_t size)
{
	size_t start = strlen(folder) + 1;
	char *path = malloc(start + size + 1);

	if (!path)
		fail("memory");
	strcpy(path, folder);
	path[start - 1] = '/';
	memcpy(path + start, name, size);
	path[start + size] = '\0';
	for (char *p = path + start; *p; p++)
		if (*p == '/')
			*p = '-';
	path[start + size - 1] = 'o';
	return path;
}

/* Reads the list of sources, the first `most` of it. */
static void read_list(int most, const char *folder)
{
	FILE *list = fopen("files", "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!list)
		fail("files");
	while (count < most && (n = getline(&line, &room, list)) > 1) {
		line[--n] = '\0';
		sources[count] = line;
		objects[count++] = object_name(folder, line, n);
		line = NULL;
		room = 0;
	}
	fclose(list);
}

/* Runs a program to its end.  Returns 0 when that was a good one. */
static int run(char **words)
{
	int status;
	pid_t pid = vfork();

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		execvp(words[0], words);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail("wait");
	if (status == 0)
		return 0;
	fprintf(stderr, "build: %s %s: %s %d\n", words[0], words[1],
		WIFSIGNALED(status) ? "killed by signal" : "ended with status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return -1;
}

static int compile_all(void)
{
	for (int i = 0; i < count; i++) {
		char *words[] = { "compile", sources[i], objects[i], kernel_dir, root_dir, NULL };

		if (run(words) < 0)
			return -1;
	}
	return 0;
}

static int link_all(char *output)
{
	static char *words[MOST + 3] = { "linkobj" };

	words[1] = output;
	memcpy(words + 2, objects, count * sizeof(objects[0]));
	return run(words);
}

/* Reads what was built, and says what it is. */
static int tell(const char *output)
{
	static unsigned char bytes[WRITE_SIZE];
	int fd = open(output, O_RDONLY);
	unsigned sum = 0, size = 0;
	struct object o;
	ssize_t n;

	if (fd < 0 || read_all(fd, &o, sizeof(o)) < 0)
		fail(output);
	for (; (n = read(fd, bytes, sizeof(bytes))) > 0; size += n)
		sum = add_to_sum(sum, bytes, n);
	close(fd);
	if (n < 0)
		fail(output);
	if (o.magic != OBJECT_MAGIC || size != o.size || sum != o.sum) {
		fprintf(stderr, "build: %s: not what was written\n", output);
		return -1;
	}
	printf("build: %d files, %u bytes read, %u written, checksum %08x\n", count, o.read, size,
	       sum);
	return 0;
}

int main(int argc, char **argv)
{
	char *folder = argc > 3 ? argv[3] : "/obj", *output;
	int most = argc > 1 ? number_arg(argv[1], 1, MOST, text) : MOST;
	int made, bad;

	if (argc > 4)
		usage(text);
	if (chdir(argc > 2 ? argv[2] : "/src") < 0)
		fail(argc > 2 ? argv[2] : "/src");
	made = mkdir(folder, 0755) == 0;
	if (!made && errno != EEXIST)
		fail(folder);
	read_list(most, folder);
	output = object_name(folder, "kernel.", 7);
	bad = compile_all() < 0 || link_all(output) < 0 || tell(output) < 0;
	for (int i = 0; i < count; i++)
		unlink(objects[i]);
	unlink(output);
	if (made)
		rmdir(folder);
	return bad;
}
