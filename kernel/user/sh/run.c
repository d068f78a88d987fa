/*
 * run.c - runs a tree: forks, pipes, redirections, jobs.
 *
 * An interactive shell gives each job a process group of its own, and the terminal to
 * the one in the foreground, so that Ctrl-C ends that job and not the shell.  Both the
 * shell and the child set the group: whichever comes first, it is in time.  There are no
 * stopped jobs.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sh.h"

#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND  127
#define STATUS_SIGNAL	  128 /* and the signal's number */

#define MOST_JOBS 32

int last_status;
pid_t last_job;

/* Background processes not waited for yet; 0 where none is. */
static pid_t jobs[MOST_JOBS];

void sh_error(const char *what, const char *why)
{
	fprintf(stderr, "sh: %s: %s\n", what, why);
}

/* Waiting */

/* A status as $? has it.  Says so when a signal ended `what`, unless that is no news. */
static int status_of(int status, const char *what)
{
	int sig = WTERMSIG(status);

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (sig != SIGINT && sig != SIGPIPE)
		fprintf(stderr, "sh: %s: killed by signal %d\n", what, sig);
	return STATUS_SIGNAL + sig;
}

static int wait_for(pid_t pid, const char *what)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_NOT_FOUND;
	return status_of(status, what);
}

void reap_jobs(void)
{
	for (int i = 0; i < MOST_JOBS; i++) {
		int status;

		if (!jobs[i] || waitpid(jobs[i], &status, WNOHANG) == 0)
			continue;
		if (interactive)
			fprintf(stderr, "[%d] done\n", jobs[i]);
		jobs[i] = 0;
	}
}

static void remember_job(pid_t pid)
{
	last_job = pid;
	if (interactive)
		fprintf(stderr, "[%d]\n", pid);
	for (int i = 0; i < MOST_JOBS; i++) {
		if (!jobs[i]) {
			jobs[i] = pid;
			return;
		}
	}
	sh_error("too many jobs", "this one will not be waited for");
}

/* Built-in commands: what only the shell itself can do.  Each returns its status. */

static int builtin_cd(int argc, char **argv)
{
	const char *to = argc > 1 ? argv[1] : getenv("HOME");

	if (!to)
		to = "/";
	if (chdir(to) == 0)
		return 0;
	fprintf(stderr, "sh: cd: %s: %s\n", to, strerror(errno));
	return 1;
}

static int builtin_exit(int argc, char **argv)
{
	exit(argc > 1 ? atoi(argv[1]) & 255 : last_status);
}

static int builtin_wait(int argc, char **argv)
{
	int status = 0, found = 0;

	for (int i = 0; i < MOST_JOBS; i++) {
		if (!jobs[i] || (argc > 1 && atoi(argv[1]) != jobs[i]))
			continue;
		status = wait_for(jobs[i], "job");
		jobs[i] = 0;
		found = 1;
	}
	if (argc == 1)
		return 0;
	return found ? status : STATUS_NOT_FOUND;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} builtins[] = {
	{ "cd", builtin_cd },
	{ "exit", builtin_exit },
	{ "wait", builtin_wait },
};

static int builtin_index(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (strcmp(name, builtins[i].name) == 0)
			return i;
	return -1;
}

/* Commands */

/* Opens what a redirection names: a descriptor, or -1 after saying why not. */
static int open_redirection(struct redirection *r)
{
	static const int flags[] = {
		[REDIR_IN] = O_RDONLY,
		[REDIR_OUT] = O_WRONLY | O_CREAT | O_TRUNC,
		[REDIR_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
	};
	const char *word = expand(r->word);
	int fd;

	if (r->kind == REDIR_DUP) {
		fd = word[0] >= '0' && word[0] <= '9' && !word[1] ? dup(word[0] - '0') : -1;
		if (fd < 0)
			sh_error(word, "no such descriptor");
		return fd;
	}
	fd = open(word, flags[r->kind], 0666);
	if (fd < 0)
		sh_error(word, strerror(errno));
	return fd;
}

/* Puts the redirections of `c` in place in this process; -1 at the first that fails. */
static int redirect(struct command *c)
{
	for (struct redirection *r = c->redirections; r; r = r->next) {
		int fd = open_redirection(r);

		if (fd < 0)
			return -1;
		if (fd == r->fd)
			continue;
		dup2(fd, r->fd);
		close(fd);
	}
	return 0;
}

/* Becomes the program argv[0], or says why not and ends. */
static void execute(char **argv)
{
	int error;

	execvp(argv[0], argv);
	error = errno;
	if (error == ENOENT && !strchr(argv[0], '/'))
		sh_error(argv[0], "command not found");
	else
		sh_error(argv[0], strerror(error));
	_exit(error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

/* The child's side of its process group, and the signals the shell keeps from itself. */
static void become_job(pid_t group, int background)
{
	if (interactive) {
		setpgid(0, group);
		if (!background)
			tcsetpgrp(STDIN_FILENO, getpgrp());
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTTOU, SIG_DFL);
		interactive = 0;
	} else if (background) {
		/* No group of its own: Ctrl-C is meant for others, and so is the input. */
		int null = open("/dev/null", O_RDONLY);

		signal(SIGINT, SIG_IGN);
		if (null > 0) {
			dup2(null, STDIN_FILENO);
			close(null);
		}
	}
}

static void run_command(struct command *c)
{
	int argc, i;
	char **argv = expand_words(c->words, &argc);

	if (redirect(c) < 0)
		_exit(1);
	if (argc == 0)
		_exit(0);
	i = builtin_index(argv[0]);
	if (i >= 0)
		_exit(builtins[i].run(argc, argv));
	execute(argv);
}

/* A command the shell runs in itself: a built-in one, alone.  Returns false when it is none. */
static int run_builtin(struct command *c)
{
	int argc, i;
	char **argv = expand_words(c->words, &argc);

	i = argc ? builtin_index(argv[0]) : -1;
	if (i < 0 || c->next)
		return 0;
	for (struct redirection *r = c->redirections; r; r = r->next) {
		int fd = open_redirection(r); /* they print nothing: only see that it opens */

		if (fd < 0) {
			last_status = 1;
			return 1;
		}
		close(fd);
	}
	last_status = builtins[i].run(argc, argv);
	return 1;
}

/* Pipelines */

static void cannot(const char *what)
{
	sh_error(what, strerror(errno));
	last_status = STATUS_CANNOT_RUN;
}

/*
 * Starts the commands of a pipeline, each with its input from the one before.  The
 * first one's pid names the group.  Returns how many started; their pids in pids[].
 */
static int start(struct pipeline *p, int background, pid_t *pids, int most)
{
	int in = -1, count = 0;

	for (struct command *c = p->commands; c; c = c->next) {
		int fds[2] = { -1, -1 };
		pid_t pid = -1;

		if (count == most)
			sh_error("pipeline", "too long");
		else if (c->next && pipe(fds) < 0)
			cannot("pipe");
		else if ((pid = fork()) < 0)
			cannot("fork");
		if (pid == 0) {
			become_job(count ? pids[0] : 0, background);
			if (in >= 0) {
				dup2(in, STDIN_FILENO);
				close(in);
			}
			if (c->next) {
				dup2(fds[1], STDOUT_FILENO);
				close(fds[0]);
				close(fds[1]);
			}
			run_command(c);
		}
		if (in >= 0)
			close(in);
		if (fds[1] >= 0)
			close(fds[1]);
		in = fds[0];
		if (pid < 0)
			break;
		pids[count++] = pid;
		if (interactive)
			setpgid(pid, pids[0]);
	}
	if (in >= 0)
		close(in);
	return count;
}

static void run_pipeline(struct pipeline *p)
{
	pid_t pids[16];
	int count;

	if (!run_builtin(p->commands)) {
		count = start(p, 0, pids, sizeof(pids) / sizeof(pids[0]));
		if (count && interactive)
			tcsetpgrp(STDIN_FILENO, pids[0]);
		for (int i = 0; i < count; i++) {
			struct word *name = p->commands->words;

			last_status = wait_for(pids[i], name ? name->raw : "command");
			p->commands = p->commands->next;
		}
		if (count && interactive)
			tcsetpgrp(STDIN_FILENO, getpgrp());
	}
	if (p->negate)
		last_status = !last_status;
}

static void run_list(struct pipeline *p)
{
	for (; p; p = p->next) {
		if (p->join == JOIN_AND && last_status != 0)
			continue;
		if (p->join == JOIN_OR && last_status == 0)
			continue;
		run_pipeline(p);
	}
}

/* One pipeline runs as itself; several joined by && and || need a shell to look after them. */
static void run_background(struct list *l)
{
	pid_t pids[16];
	int count;

	if (!l->pipelines->next) {
		count = start(l->pipelines, 1, pids, sizeof(pids) / sizeof(pids[0]));
		for (int i = 0; i < count; i++)
			remember_job(pids[i]);
		if (count)
			last_status = 0;
		return;
	}
	pids[0] = fork();
	if (pids[0] < 0) {
		cannot("fork");
		return;
	}
	if (pids[0] == 0) {
		become_job(0, 1);
		run_list(l->pipelines);
		_exit(last_status);
	}
	if (interactive)
		setpgid(pids[0], pids[0]);
	remember_job(pids[0]);
	last_status = 0;
}

void run(struct list *tree)
{
	for (; tree; tree = tree->next) {
		if (tree->background)
			run_background(tree);
		else
			run_list(tree->pipelines);
	}
}
