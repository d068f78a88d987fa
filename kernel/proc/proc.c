/*
 * proc.c - processes that no process made: kernel tasks, and what the monitor or the boot starts.
 */

#include "proc/proc.h"
#include "cpu/pda.h"
#include "fs/console.h"
#include "fs/file.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "proc/exec.h"
#include "proc/family.h"
#include "proc/signal.h"
#include "sched/sched.h"

int kernel_task(const char *name, void (*fn)(void *arg), void *arg, struct task **out)
{
	struct task *t;
	int err = task_new(name, &t);

	if (err)
		return err;
	task_start_kernel(t, fn, arg);
	if (out)
		*out = t;
	sched_ready(t);
	return 0;
}

/* Standard input, output and errors on the console. */
static int open_console(struct task *t)
{
	struct inode *i;
	struct file *f;
	uint32_t fd;
	int err = path_lookup("/dev/console", NULL, LOOKUP_FOLLOW, &i);

	if (!err)
		err = file_open(i, O_RDWR, &f);
	if (err)
		return err;
	f->refs = 3;
	for (fd = 0; fd < 3; fd++)
		files_set(t->files, fd, f, false);
	return 0;
}

/* A task that leaves for user mode at the start of `image`, which it takes over.  Not yet ready. */
static int task_of_image(struct image *image, struct task **out)
{
	struct task *t;
	int err = task_new(image->name, &t);

	if (err)
		return err;
	t->pgid = t->sid = t->pid;
	t->files = files_new();
	err = t->files ? open_console(t) : -ENOMEM;
	if (err) {
		if (t->files)
			files_free(t->files);
		task_free(t);
		return err;
	}
	t->cwd = inode_ref(root_inode);
	t->umask = 022;
	t->execed = true;
	t->space = image->space;
	t->space->pid = t->pid;
	segments_changed(&t->segments, t->space->base, t->space->limit);
	exec_registers(task_frame(t), image);
	task_start_user(t);
	*out = t;
	return 0;
}

static int spawn_path(const char *path, int argc, const char *const argv[], struct task **out)
{
	struct image image;
	struct exec_args *args;
	int err = exec_args_new(&args);

	if (err)
		return err;
	err = exec_args_kernel(args, argc, argv);
	if (!err)
		err = exec_load(path, NULL, args, &image);
	exec_args_free(args);
	if (err)
		return err;
	err = task_of_image(&image, out);
	if (err)
		exec_discard(&image);
	return err;
}

/* Who sits at the monitor comes before what programs have taken. */
static int spawn_at_any_price(const char *path, int argc, const char *const argv[],
			      struct task **out)
{
	int err;

	do {
		err = spawn_path(path, argc, argv, out);
	} while (err == -ENOMEM && memory_make_room());
	return err;
}

int proc_spawn(const char *name, int argc, const char *const argv[], struct task **out)
{
	static const char *const folders[] = { "/bin/", "/tests/" };
	char path[64];
	struct task *t;
	uint32_t i;
	int err = -ENOENT;

	if (!root_inode)
		return -ENODEV;
	if (strchr(name, '/'))
		err = spawn_at_any_price(name, argc, argv, &t);
	for (i = 0; i < ARRAY_SIZE(folders) && err == -ENOENT && !strchr(name, '/'); i++) {
		if (snprintf(path, sizeof(path), "%s%s", folders[i], name) >= (int)sizeof(path))
			return -ENOENT;
		err = spawn_at_any_price(path, argc, argv, &t);
	}
	if (err)
		return err;
	family_add(t, current);
	if (out)
		*out = t;
	sched_ready(t);
	return 0;
}

/* Whoever comes first at boot, pid 1 is init's. */
static void become_init(struct task *t)
{
	t->pid = t->pgid = t->sid = t->space->pid = PID_INIT;
	list_del(&t->all);
	list_add(&t->all, &task_list);
}

int proc_init(void)
{
	static const char *const argv[] = { "init" };
	struct task *t;
	int err;

	console_signal = signal_send_group;
	memory_exhausted = oom_kill;
	err = spawn_path("/bin/init", 1, argv, &t);
	if (err)
		return err;
	become_init(t);
	sched_ready(t);
	return 0;
}
