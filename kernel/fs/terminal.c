/*
 * terminal.c - the line discipline.
 *
 * The one idea: between the keyboard and a program that reads lines sits an editor of one line.
 * Keys gather in `line`, where they can still be erased; Enter moves them to `ready`, from
 * where reads take them, a line at most each.  A program that wants every key (an editor, a
 * shell with history) switches this off by TCSETS; then keys go to `ready` at once.
 *
 * In a batch run nobody types: reads say end of file.
 */

#include "fs/terminal.h"
#include "cpu/uart.h"
#include "fs/console.h"
#include "fs/file.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sched/wait.h"

/* struct termios as the kernel of Linux i386 has it. */
struct termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t line;
	uint8_t cc[19];
};

#define ICRNL  0000400u
#define OPOST  0000001u
#define ONLCR  0000004u
#define B38400 0000017u
#define CS8    0000060u
#define CREAD  0000200u
#define ISIG   0000001u
#define ICANON 0000002u
#define ECHO   0000010u
#define ECHOE  0000020u
#define ECHOK  0000040u
#define IEXTEN 0100000u

/* Places in cc[] */
enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSTART = 8, VSTOP, VSUSP };

/* Requests, Linux i386 */
#define TCGETS	   0x5401u
#define TCSETS	   0x5402u
#define TCSETSW	   0x5403u
#define TCSETSF	   0x5404u
#define TIOCGPGRP  0x540Fu
#define TIOCSPGRP  0x5410u
#define TIOCGWINSZ 0x5413u

#define SIGINT	2
#define SIGQUIT 3
#define SIGTSTP 20

#define CTRL(c) ((c)-0x40)

/* Ctrl-Z does nothing until a program that can continue stopped jobs sets VSUSP. */
static struct termios settings = {
	.iflag = ICRNL,
	.oflag = OPOST | ONLCR,
	.cflag = B38400 | CS8 | CREAD,
	.lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | IEXTEN,
	.cc = { [VINTR] = CTRL('C'),
		[VQUIT] = CTRL('\\'),
		[VERASE] = 0x7f,
		[VKILL] = CTRL('U'),
		[VEOF] = CTRL('D'),
		[VMIN] = 1 },
};

int (*console_signal)(uint32_t pgid, int sig);

#define LINE_MAX 255u /* keys beyond are dropped */

static char line[LINE_MAX];
static uint32_t line_length;

/* Keys that may be read, and END_OF_FILE for each Ctrl-D. */
#define READY_SIZE  512u
#define END_OF_FILE 0x100

static uint16_t ready[READY_SIZE];
static uint32_t ready_put, ready_taken;
static struct waitq ready_wait = WAITQ_INIT(ready_wait);

static void make_ready(int key)
{
	if (ready_put - ready_taken < READY_SIZE)
		ready[ready_put++ % READY_SIZE] = key;
}

static void finish_line(void)
{
	uint32_t i;

	for (i = 0; i < line_length; i++)
		make_ready((unsigned char)line[i]);
	line_length = 0;
	wake_all(&ready_wait);
}

static bool has(uint32_t flag)
{
	return settings.lflag & flag;
}

/* Control characters show as ^X. */
static void echo(int key)
{
	char text[2] = { '^', key ^ 0x40 };

	if (!has(ECHO))
		return;
	if ((key >= ' ' && key != 0x7f) || key == '\n' || key == '\t') {
		text[0] = key;
		console_write(text, 1);
	} else {
		console_write(text, 2);
	}
}

static void erase_last(void)
{
	unsigned char c = line[--line_length];

	if (!has(ECHO))
		return;
	console_write("\b \b", 3);
	if (c < ' ' || c == 0x7f) /* it was shown as two */
		console_write("\b \b", 3);
}

/* True if `key` is the one at place `what` of cc[]; 0 there means none. */
static bool is_key(int key, int what)
{
	return settings.cc[what] && key == settings.cc[what];
}

/* Keys that mean a signal: forget what was typed before.  True if it was one. */
static bool signal_key(int key)
{
	int sig;

	if (!has(ISIG))
		return false;
	if (is_key(key, VINTR))
		sig = SIGINT;
	else if (is_key(key, VQUIT))
		sig = SIGQUIT;
	else if (is_key(key, VSUSP))
		sig = SIGTSTP;
	else
		return false;
	echo(key);
	echo('\n');
	line_length = 0;
	ready_taken = ready_put;
	if (console_foreground && console_signal)
		console_signal(console_foreground, sig);
	return true;
}

static void edit_line(int key)
{
	if (is_key(key, VERASE) || key == '\b') {
		if (line_length)
			erase_last();
	} else if (is_key(key, VKILL)) {
		while (line_length)
			erase_last();
	} else if (is_key(key, VEOF)) {
		finish_line();
		make_ready(END_OF_FILE);
	} else if (key == '\n') {
		echo(key);
		line[line_length++] = key;
		finish_line();
	} else if (line_length < LINE_MAX - 1) { /* always room for the end of line */
		echo(key);
		line[line_length++] = key;
	}
}

void terminal_input(int key)
{
	if (signal_key(key))
		return;
	if (key == '\r' && (settings.iflag & ICRNL))
		key = '\n';
	if (has(ICANON)) {
		edit_line(key);
	} else {
		echo(key);
		make_ready(key);
		wake_all(&ready_wait);
	}
}

int terminal_unread(void)
{
	int key;

	finish_line();
	do {
		if (ready_put == ready_taken)
			return -1;
		key = ready[ready_taken++ % READY_SIZE];
	} while (key == END_OF_FILE);
	return key == '\n' ? '\r' : key;
}

static ssize_t terminal_read(struct file *f, struct io *io)
{
	char some[64];
	ssize_t done = 0;
	int key = 0;

	if (batch || !io->left)
		return 0;
	while (ready_put == ready_taken) {
		if (!has(ICANON) && !settings.cc[VMIN])
			return 0;
		if (f->flags & O_NONBLOCK)
			return -EAGAIN;
		if (sleep_on_interruptible(&ready_wait))
			return -ERESTARTSYS;
	}
	do {
		uint32_t n = 0;

		while (n < MIN(sizeof(some), io->left) && ready_put != ready_taken) {
			key = ready[ready_taken++ % READY_SIZE];
			if (key == END_OF_FILE)
				break;
			some[n++] = key;
			if (key == '\n' && has(ICANON))
				break;
		}
		if (io_put(io, some, n))
			return -EFAULT;
		done += n;
		if (key == END_OF_FILE || (key == '\n' && has(ICANON)))
			break;
	} while (io->left && ready_put != ready_taken);
	return done;
}

static ssize_t terminal_write(struct file *f, struct io *io)
{
	char some[64];
	ssize_t done = 0;

	(void)f;
	while (io->left) {
		uint32_t n = MIN(sizeof(some), io->left);

		if (io_get(io, some, n))
			return done ? done : -EFAULT;
		console_write(some, n);
		done += n;
		if (io->left && breathe()) /* a serial line is slow */
			break;
	}
	return done;
}

/* A line is there to be read: what FIONREAD counts in canonical mode, and poll waits for. */
static uint32_t waiting(void)
{
	uint32_t i, n = 0;

	for (i = ready_taken; i != ready_put; i++) {
		int key = ready[i % READY_SIZE];

		if (key == END_OF_FILE)
			break;
		n++;
		if (key == '\n' && has(ICANON))
			break;
	}
	return n;
}

static uint32_t terminal_ready(struct file *f)
{
	(void)f;
	return POLLOUT | (batch || ready_put != ready_taken ? POLLIN : 0);
}

static int set_settings(uint32_t request, uaddr_t arg)
{
	struct termios new;

	if (copy_from_user(&new, arg, sizeof(new)))
		return -EFAULT;
	settings = new;
	if (request == TCSETSF) {
		line_length = 0;
		ready_taken = ready_put;
	} else if (!has(ICANON) && line_length) {
		finish_line();
	}
	return 0;
}

static int terminal_ioctl(struct file *f, uint32_t request, uaddr_t arg)
{
	static const uint16_t size[4] = { 24, 80, 0, 0 }; /* rows, columns, pixels unknown */
	uint32_t v;

	(void)f;
	switch (request) {
	case TCGETS:
		return copy_to_user(arg, &settings, sizeof(settings));
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return set_settings(request, arg);
	case TIOCGWINSZ:
		return copy_to_user(arg, size, sizeof(size));
	case TIOCGPGRP:
		return put_user32(arg, console_foreground);
	case TIOCSPGRP:
		if (get_user32(&v, arg))
			return -EFAULT;
		if ((int32_t)v < 0)
			return -EINVAL;
		console_foreground = v;
		return 0;
	case FIONREAD:
		return put_user32(arg, waiting());
	default:
		return -ENOTTY;
	}
}

const struct file_ops console_ops = {
	.read = terminal_read,
	.write = terminal_write,
	.ioctl = terminal_ioctl,
	.ready = terminal_ready,
};
