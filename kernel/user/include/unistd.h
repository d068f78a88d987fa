/*
 * unistd.h - the system calls most programs need, and what is built of them.
 */

#ifndef _UNISTD_H
#define _UNISTD_H

#include <stddef.h>
#include <sys/types.h>

#define STDIN_FILENO  0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

extern char **environ;

/* Any system call, by number; up to six arguments.  -1 and errno on error. */
long syscall(long number, ...);

pid_t fork(void);
/* The child borrows the caller's memory until it calls execve() or _exit(). */
pid_t vfork(void) __attribute__((returns_twice));
int execve(const char *path, char *const argv[], char *const envp[]);
int execv(const char *path, char *const argv[]);
/* Looks for `file` along $PATH (/bin when unset), unless it has a slash. */
int execvp(const char *file, char *const argv[]);
void _exit(int status) __attribute__((noreturn));
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);

int setpgid(pid_t pid, pid_t group);
pid_t getpgid(pid_t pid);
pid_t getpgrp(void);
pid_t setsid(void);
pid_t tcgetpgrp(int fd);
int tcsetpgrp(int fd, pid_t group);

ssize_t read(int fd, void *to, size_t n);
ssize_t write(int fd, const void *from, size_t n);
ssize_t pread(int fd, void *to, size_t n, off_t offset);
ssize_t pwrite(int fd, const void *from, size_t n, off_t offset);
off_t lseek(int fd, off_t offset, int whence);
int close(int fd);
int dup(int fd);
int dup2(int fd, int to);
int dup3(int fd, int to, int flags);
int pipe(int fds[2]);
int pipe2(int fds[2], int flags);
int isatty(int fd);

int chdir(const char *path);
char *getcwd(char *to, size_t size);
int access(const char *path, int mode);
ssize_t readlink(const char *path, char *to, size_t size);

int link(const char *old, const char *path);
int linkat(int old_dir, const char *old, int dir, const char *path, int flags);
int symlink(const char *target, const char *path);
int symlinkat(const char *target, int dir, const char *path);
int unlink(const char *path);
int unlinkat(int dir, const char *path, int flags);
int rmdir(const char *path);
int truncate(const char *path, off_t size);
int ftruncate(int fd, off_t size);
int chown(const char *path, uid_t user, gid_t group);
int lchown(const char *path, uid_t user, gid_t group);
int fchown(int fd, uid_t user, gid_t group);
int fsync(int fd);
int fdatasync(int fd);
void sync(void);

int brk(void *end);
void *sbrk(ptrdiff_t more);
unsigned sleep(unsigned seconds);
int pause(void);

#endif
