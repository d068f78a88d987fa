/*
 * dev.c - character devices, by the number that their inode holds.
 *
 * The one idea: a device node is an inode without data, whose number chooses a table of
 * operations.  `ps` needs no system call of its own: it reads /dev/tasks.
 */

#include "fs/console.h"
#include "fs/file.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "sched/task.h"

#define DEV(major, minor) ((major) << 8 | (minor))

static ssize_t null_read(struct file *f, struct io *io)
{
	(void)f;
	(void)io;
	return 0;
}

static ssize_t null_write(struct file *f, struct io *io)
{
	ssize_t n = io->left;

	(void)f;
	io->left = 0;
	return n;
}

static ssize_t zero_read(struct file *f, struct io *io)
{
	ssize_t n = io->left;

	(void)f;
	return io_zero(io, n) ? -EFAULT : n;
}

/*
 * /dev/tasks: a header, then a line a task, by ascending pid.  Each line is true at the moment it
 * is made; tasks come and go between them, but none is shown twice.  The line being read is kept
 * with the open file, so a reader may take it in any pieces.
 */
struct task_reader {
	uint32_t next_pid; /* the line to make next is of the first task from here on */
	uint32_t length, taken;
	char line[80];
};

static void task_line(struct task_reader *r, const struct task *t)
{
	const char *state = t->stop_signal ? "stopped" : task_state_name[t->state];

	r->length = snprintf(r->line, sizeof(r->line), "%5u %5u %-9s %-7s %7u %s\n", t->pid,
			     t->parent ? t->parent->pid : 0, state,
			     t->space ? space_model_name[t->space->model] : "kernel",
			     t->ticks_user + t->ticks_kernel, t->name);
	r->next_pid = t->pid + 1;
}

/* Make the next line; false when there is none. */
static bool next_line(struct task_reader *r)
{
	struct task *t;

	r->taken = 0;
	list_for_each_entry (t, &task_list, all) {
		if (t->pid >= r->next_pid) {
			task_line(r, t);
			return true;
		}
	}
	r->length = 0;
	return false;
}

static struct task_reader *task_reader(struct file *f)
{
	struct task_reader *r = f->private;

	if (r && f->offset)
		return r;
	if (!r)
		r = f->private = kmalloc(sizeof(*r));
	if (!r)
		return NULL;
	r->length =
		snprintf(r->line, sizeof(r->line), "  PID  PPID STATE     MODEL     TICKS NAME\n");
	r->taken = 0;
	r->next_pid = 0;
	return r;
}

static ssize_t tasks_read(struct file *f, struct io *io)
{
	struct task_reader *r = task_reader(f);
	ssize_t done = 0;

	if (!r)
		return -ENOMEM;
	while (io->left && (r->taken < r->length || next_line(r))) {
		uint32_t n = MIN(io->left, r->length - r->taken);

		if (io_put(io, r->line + r->taken, n))
			return done ? done : -EFAULT;
		r->taken += n;
		f->offset += n;
		done += n;
	}
	return done;
}

static void tasks_release(struct file *f)
{
	kfree(f->private);
}

static const struct file_ops null_ops = {
	.read = null_read,
	.write = null_write,
	.seekable = true,
};

static const struct file_ops zero_ops = {
	.read = zero_read,
	.write = null_write,
	.seekable = true,
};

static const struct file_ops tasks_ops = {
	.read = tasks_read,
	.release = tasks_release,
};

static const struct {
	uint32_t number;
	const struct file_ops *ops;
} devices[] = {
	{ DEV(1, 3), &null_ops },    /* /dev/null */
	{ DEV(1, 5), &zero_ops },    /* /dev/zero */
	{ DEV(5, 0), &console_ops }, /* /dev/tty: there is but one terminal */
	{ DEV(5, 1), &console_ops }, /* /dev/console */
	{ DEV(240, 0), &tasks_ops }, /* /dev/tasks */
};

const struct file_ops *device_ops(uint32_t rdev)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].number == rdev)
			return devices[i].ops;
	return NULL;
}
