/*
 * exec.h - between the files of proc/ that make programs run.
 */
#pragma once

#include "cpu/trap.h"
#include "lib/types.h"
#include "sched/task.h"

struct space;
struct inode;
struct backing;

/*
 * Arguments and environment of a new program, gathered in frames: strings with their NULs, one
 * behind the other, first all arguments, then the environment.
 */
#define ARGS_FRAMES 8
#define ARGS_LIMIT  (ARGS_FRAMES * 4096u) /* strings, and 4 bytes for each one's pointer */
#define ARGS_PREFIX 512u /* kept free before them, for the interpreter of a script */

struct exec_args {
	uint32_t argc, envc;
	uint32_t start, end; /* where the strings lie */
	char *frame[ARGS_FRAMES];
};

int exec_args_new(struct exec_args **out); /* 0, -ENOMEM */
void exec_args_free(struct exec_args *args);

/* Gather: from the kernel (no environment), from the running process.  0, -E2BIG, -ENOMEM, -EFAULT.
 */
int exec_args_kernel(struct exec_args *args, int argc, const char *const argv[]);
int exec_args_user(struct exec_args *args, uaddr_t argv, uaddr_t envp);

/* Replace the first argument by interpreter, option (may be NULL) and the script's path.  0,
 * -E2BIG. */
int exec_args_script(struct exec_args *args, const char *interpreter, const char *option,
		     const char *path);

/* A program ready to run. */
struct image {
	struct space *space;
	uaddr_t entry, stack;
	uaddr_t phdr; /* where its segment table is in memory; 0: nowhere */
	uint32_t phnum;
	char name[TASK_NAME];
};

/*
 * Load `path` into a new space of the model that the tunable space.model asks for, with its first
 * stack.  0, -ENOENT, -EACCES, -ENOEXEC with a line in the log, -ENOMEM, -EAGAIN, and
 * path_lookup()'s.
 */
int exec_load(const char *path, struct inode *cwd, struct exec_args *args, struct image *image);
void exec_discard(struct image *image);

extern int exec_eager; /* tunable: exec.load */

/* A file as the contents of areas that mmap makes; the object is its inode. */
extern const struct backing inode_backing;

/* stack.c: fill the first stack of `image` and set image->stack.  0, -ENOMEM, -E2BIG. */
int exec_stack(struct image *image, const struct exec_args *args);

/* The registers with which it starts. */
void exec_registers(struct trapframe *f, const struct image *image);

/* The running process becomes the program at `path`.  0: `f` leads to it; or -errno, nothing
 * changed. */
int proc_exec(struct trapframe *f, const char *path, struct exec_args *args);
