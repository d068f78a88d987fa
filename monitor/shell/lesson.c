/*
 * lesson.c - lessons at the prompt, from /lessons on the disk.
 *
 * A lesson is Markdown (lessons/README.md).  Prose is shown; a block fenced as `monitor` holds
 * commands, each of which waits for Enter; `predict` holds questions to think about; what is meant
 * for the lesson runner (`holds`, `show`) is left out.
 */
#include "cpu/uart.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "monitor/shell/shell.h"
#include "tunable.h"

#define LESSONS_PATH "/lessons"
#define MACHINE	     "<!-- machine:"

/* A file read line by line. */
struct reader {
	struct inode *file;
	uint32_t offset, at, filled;
	char buffer[512];
	char line[160];
};

static int reader_char(struct reader *r)
{
	if (r->at == r->filled) {
		struct io io = IO_KERNEL(r->buffer, sizeof(r->buffer));
		ssize_t n = inode_read(r->file, r->offset, &io);

		if (n <= 0)
			return -1;
		r->offset += n;
		r->filled = n;
		r->at = 0;
	}
	return (uint8_t)r->buffer[r->at++];
}

/* The next line, cut if it is longer than any should be.  False at the end. */
static bool reader_line(struct reader *r)
{
	uint32_t n = 0;
	int c;

	while ((c = reader_char(r)) >= 0 && c != '\n')
		if (n < sizeof(r->line) - 1)
			r->line[n++] = c;
	r->line[n] = 0;
	return c >= 0 || n;
}

static int reader_open(const char *path, struct reader **out)
{
	struct reader *r = kzalloc(sizeof(*r));
	int error = r ? path_lookup(path, NULL, LOOKUP_FOLLOW, &r->file) : -ENOMEM;

	if (error)
		kfree(r);
	else
		*out = r;
	return error;
}

static void reader_close(struct reader *r)
{
	inode_put(r->file);
	kfree(r);
}

/* --- which lesson ------------------------------------------------------------------ */

/* Folders are "01-name".  Calls each(arg, number, folder); 0 or -errno. */
static int for_each_lesson(void (*each)(void *arg, uint32_t n, const char *folder), void *arg)
{
	struct dir_entry *entry;
	struct inode *dir;
	uint32_t offset = 0;
	int error =
		root_inode ? path_lookup(LESSONS_PATH, NULL, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &dir)
			   : -ENOENT;

	if (error)
		return error;
	entry = kmalloc(sizeof(*entry));
	while (entry && (error = dir_next(dir, &offset, entry)) == 1) {
		uint32_t n = 0;
		const char *s = entry->name;

		while (*s >= '0' && *s <= '9')
			n = n * 10 + (*s++ - '0');
		if (s != entry->name && *s == '-')
			each(arg, n, entry->name);
	}
	kfree(entry);
	inode_put(dir);
	return entry ? error : -ENOMEM;
}

struct find {
	uint32_t wanted;
	char path[64];
};

static void match(void *arg, uint32_t n, const char *folder)
{
	struct find *f = arg;

	if (n == f->wanted)
		snprintf(f->path, sizeof(f->path), LESSONS_PATH "/%s/lesson.md", folder);
}

static void list_one(void *arg, uint32_t n, const char *folder)
{
	struct reader *r;
	char path[64];

	(void)arg;
	snprintf(path, sizeof(path), LESSONS_PATH "/%s/lesson.md", folder);
	if (reader_open(path, &r))
		return;
	if (reader_line(r))
		out("%3u  %s\n", n, r->line[0] == '#' ? r->line + 2 : r->line);
	reader_close(r);
}

/* --- its machine ------------------------------------------------------------------------ */

/*
 * `<!-- machine: CPUS=1 SET='space.model=private' -->`.  The machine is there already, but its
 * tunables may have been set since, and then the lesson would not be true.
 */
static void set_tunables(const char *line)
{
	const char *s = line;
	char name[24], value[24];

	while (*s && strncmp(s, "SET='", 5))
		s++;
	for (s += *s ? 5 : 0; *s && *s != '\''; s += *s == ' ') {
		uint32_t n = 0, v = 0;

		for (; *s && *s != '=' && *s != '\''; s++)
			if (n < sizeof(name) - 1)
				name[n++] = *s;
		for (s += *s == '='; *s && *s != ' ' && *s != '\''; s++)
			if (v < sizeof(value) - 1)
				value[v++] = *s;
		name[n] = value[v] = 0;
		if (tunable_set(name, value, false))
			out("(This lesson is about a machine with %s=%s.)\n", name, value);
	}
}

/* What machine lesson `n` is about and how to get one.  This one becomes it as far as tunables go.
 */
static void its_machine(const char *line, uint32_t n)
{
	const char *words = line + strlen(MACHINE), *end = strstr(words, " -->");

	out("(For a machine with%.*s,\nwhich `make lesson N=%u` starts.)\n",
	    (int)(end ? end - words : 0), words, n);
	set_tunables(line);
}

/* --- going through it ----------------------------------------------------------------- */

/* Ask and wait for a key, where there is somebody to press one. */
static int ask(const char *question)
{
	int key;

	if (batch || mon->script)
		return '\r';
	out("%s", question);
	out_flush();
	key = mon_getkey();
	out("\n");
	mon->rows = 0;
	return key;
}

static bool blank; /* the last line was: of blank lines, one is enough */

static void blank_line(void)
{
	if (!blank)
		out("\n");
	blank = true;
}

/* Show a command and run it at Enter.  False: the reader has had enough. */
static bool do_command(const char *line)
{
	int key;

	if (!*line)
		return true;
	blank_line();
	out("klaava> %s\n", line);
	blank = false;
	key = ask("[Enter runs it, s skips it, q ends the lesson] ");
	if (key == 'q' || key == 'Q' || key == 3)
		return false;
	if (key == 's' || key == 'S')
		return true;
	out_flush();
	run_line(line);
	out_begin(NULL, true); /* the command's output is over: ours goes on */
	return true;
}

enum block { PROSE, COMMANDS, QUESTIONS, FOR_THE_RUNNER, LITERAL };

static enum block block_of(const char *fence)
{
	const char *word = fence + 3;

	if (!strcmp(word, "monitor"))
		return COMMANDS;
	if (!strcmp(word, "predict"))
		return QUESTIONS;
	if (!strcmp(word, "holds") || !strcmp(word, "show"))
		return FOR_THE_RUNNER;
	return LITERAL;
}

static bool do_question(const char *line)
{
	const char *colon = strchr(line, ':');
	int key;

	if (!*line)
		return true;
	blank_line();
	out("Predict: %s\n", colon ? colon + 2 : line);
	blank = false;
	key = ask("[think, then Enter; q ends the lesson] ");
	return key != 'q' && key != 'Q' && key != 3;
}

/* Prose of lesson `n`, with a pause when it fills the screen. */
static bool do_prose(const char *line, uint32_t n, uint32_t *rows)
{
	if (!strncmp(line, MACHINE, strlen(MACHINE)))
		its_machine(line, n);
	if (!strncmp(line, "<!--", 4) || (blank && !*line))
		return true;
	blank = !*line;
	out("%s\n", line);
	if (++*rows < screen_rows - 2)
		return true;
	*rows = 0;
	return ask("--more--") != 'q';
}

static void walk_through(struct reader *r, uint32_t n)
{
	enum block block = PROSE;
	uint32_t rows = 0;
	bool on = true;

	while (on && reader_line(r)) {
		if (!strncmp(r->line, "```", 3)) {
			block = block == PROSE ? block_of(r->line) : PROSE;
			continue;
		}
		if (block == COMMANDS)
			on = do_command(r->line);
		else if (block == QUESTIONS)
			on = do_question(r->line);
		else if (block != FOR_THE_RUNNER)
			on = do_prose(r->line, n, &rows);
		if (block != PROSE)
			rows = 0;
	}
}

int cmd_lesson(int argc, char **argv)
{
	struct find f = { 0 };
	struct reader *r;
	int error;

	if (argc > 2)
		return usage("lesson");
	if (argc == 1) {
		error = for_each_lesson(list_one, NULL);
		return error ? fail("lessons: cannot be read (error %d)", -error) : 0;
	}
	if (!arg_number(argv[1], &f.wanted))
		return 1;
	error = for_each_lesson(match, &f);
	if (error)
		return fail("lessons: cannot be read (error %d)", -error);
	if (!f.path[0])
		return fail("lesson %u: there is none; `lesson` lists them", f.wanted);
	error = reader_open(f.path, &r);
	if (error)
		return fail("%s: cannot be read (error %d)", f.path, -error);
	walk_through(r, f.wanted);
	reader_close(r);
	return 0;
}
