/*
 * unistd.c - system calls as C functions: one line each.
 *
 * A line here is the name, its number and its arguments; syscall() does the rest.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int errno;
char **environ;

/* Processes */

pid_t fork(void)
{
	return syscall(SYS_fork);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return syscall(SYS_execve, path, argv, envp);
}

void _exit(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return syscall(SYS_wait4, pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}

pid_t getpid(void)
{
	return syscall(SYS_getpid);
}

pid_t getppid(void)
{
	return syscall(SYS_getppid);
}

pid_t gettid(void)
{
	return syscall(SYS_gettid);
}

uid_t getuid(void)
{
	return syscall(SYS_getuid32);
}

uid_t geteuid(void)
{
	return syscall(SYS_geteuid32);
}

gid_t getgid(void)
{
	return syscall(SYS_getgid32);
}

gid_t getegid(void)
{
	return syscall(SYS_getegid32);
}

int setpgid(pid_t pid, pid_t group)
{
	return syscall(SYS_setpgid, pid, group);
}

pid_t getpgid(pid_t pid)
{
	return syscall(SYS_getpgid, pid);
}

pid_t getpgrp(void)
{
	return syscall(SYS_getpgrp);
}

pid_t setsid(void)
{
	return syscall(SYS_setsid);
}

int kill(pid_t pid, int sig)
{
	return syscall(SYS_kill, pid, sig);
}

int pause(void)
{
	return syscall(SYS_pause);
}

int sched_yield(void)
{
	return syscall(SYS_sched_yield);
}

/* Files */

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return syscall(SYS_open, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return syscall(SYS_openat, dir, path, flags, mode);
}

int close(int fd)
{
	return syscall(SYS_close, fd);
}

ssize_t read(int fd, void *to, size_t n)
{
	return syscall(SYS_read, fd, to, n);
}

ssize_t write(int fd, const void *from, size_t n)
{
	return syscall(SYS_write, fd, from, n);
}

ssize_t readv(int fd, const struct iovec *pieces, int count)
{
	return syscall(SYS_readv, fd, pieces, count);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
	return syscall(SYS_writev, fd, pieces, count);
}

off_t lseek(int fd, off_t offset, int whence)
{
	off_t where;

	if (syscall(SYS__llseek, fd, (long)(offset >> 32), (long)offset, &where, whence) < 0)
		return -1;
	return where;
}

int dup(int fd)
{
	return syscall(SYS_dup, fd);
}

int dup2(int fd, int to)
{
	return syscall(SYS_dup2, fd, to);
}

int dup3(int fd, int to, int flags)
{
	return syscall(SYS_dup3, fd, to, flags);
}

int pipe(int fds[2])
{
	return syscall(SYS_pipe, fds);
}

int pipe2(int fds[2], int flags)
{
	return syscall(SYS_pipe2, fds, flags);
}

/* The third argument, when there is one, is an int or a pointer: both are a long on i386. */
int fcntl(int fd, int command, ...)
{
	va_list ap;
	long arg;

	va_start(ap, command);
	arg = va_arg(ap, long);
	va_end(ap);
	return syscall(SYS_fcntl64, fd, command, arg);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return syscall(SYS_ioctl, fd, request, arg);
}

int isatty(int fd)
{
	char settings[64]; /* more than the kernel's struct termios, which has 36 bytes */

	return ioctl(fd, TCGETS, settings) == 0;
}

pid_t tcgetpgrp(int fd)
{
	pid_t group;

	return ioctl(fd, TIOCGPGRP, &group) < 0 ? -1 : group;
}

int tcsetpgrp(int fd, pid_t group)
{
	return ioctl(fd, TIOCSPGRP, &group);
}

int stat(const char *path, struct stat *to)
{
	return syscall(SYS_stat64, path, to);
}

int lstat(const char *path, struct stat *to)
{
	return syscall(SYS_lstat64, path, to);
}

int fstat(int fd, struct stat *to)
{
	return syscall(SYS_fstat64, fd, to);
}

int access(const char *path, int mode)
{
	return syscall(SYS_access, path, mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return syscall(SYS_readlink, path, to, size);
}

int chdir(const char *path)
{
	return syscall(SYS_chdir, path);
}

char *getcwd(char *to, size_t size)
{
	return syscall(SYS_getcwd, to, size) < 0 ? NULL : to;
}

mode_t umask(mode_t mask)
{
	return syscall(SYS_umask, mask);
}

/* Memory */

void *mmap(void *where, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (offset & 4095) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap2, where, size, prot, flags, fd, (long)(offset >> 12));
}

int munmap(void *where, size_t size)
{
	return syscall(SYS_munmap, where, size);
}

int mprotect(void *where, size_t size, int prot)
{
	return syscall(SYS_mprotect, where, size, prot);
}

/* Time */

time_t time(time_t *to)
{
	return syscall(SYS_time, to);
}

int gettimeofday(struct timeval *to, void *zone)
{
	return syscall(SYS_gettimeofday, to, zone);
}

int clock_gettime(clockid_t clock, struct timespec *to)
{
	return syscall(SYS_clock_gettime, clock, to);
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	return syscall(SYS_nanosleep, wanted, left);
}

clock_t times(struct tms *to)
{
	return syscall(SYS_times, to);
}

int uname(struct utsname *to)
{
	return syscall(SYS_uname, to);
}
