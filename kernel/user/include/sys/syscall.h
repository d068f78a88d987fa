/*
 * sys/syscall.h - system-call numbers, Linux's for i386.
 */

#ifndef _SYS_SYSCALL_H
#define _SYS_SYSCALL_H

#define SYS_exit	   1
#define SYS_fork	   2
#define SYS_read	   3
#define SYS_write	   4
#define SYS_open	   5
#define SYS_close	   6
#define SYS_waitpid	   7
#define SYS_execve	   11
#define SYS_chdir	   12
#define SYS_time	   13
#define SYS_lseek	   19
#define SYS_getpid	   20
#define SYS_pause	   29
#define SYS_access	   33
#define SYS_kill	   37
#define SYS_dup		   41
#define SYS_pipe	   42
#define SYS_times	   43
#define SYS_brk		   45
#define SYS_ioctl	   54
#define SYS_setpgid	   57
#define SYS_umask	   60
#define SYS_dup2	   63
#define SYS_getppid	   64
#define SYS_getpgrp	   65
#define SYS_setsid	   66
#define SYS_gettimeofday   78
#define SYS_readlink	   85
#define SYS_munmap	   91
#define SYS_wait4	   114
#define SYS_sigreturn	   119
#define SYS_uname	   122
#define SYS_getpgid	   132
#define SYS__llseek	   140
#define SYS_readv	   145
#define SYS_writev	   146
#define SYS_sched_yield	   158
#define SYS_nanosleep	   162
#define SYS_rt_sigaction   174
#define SYS_rt_sigprocmask 175
#define SYS_rt_sigsuspend  179
#define SYS_getcwd	   183
#define SYS_vfork	   190
#define SYS_mmap2	   192
#define SYS_stat64	   195
#define SYS_lstat64	   196
#define SYS_fstat64	   197
#define SYS_getuid32	   199
#define SYS_getgid32	   200
#define SYS_geteuid32	   201
#define SYS_getegid32	   202
#define SYS_getdents64	   220
#define SYS_fcntl64	   221
#define SYS_gettid	   224
#define SYS_exit_group	   252
#define SYS_clock_gettime  265
#define SYS_openat	   295
#define SYS_dup3	   330
#define SYS_pipe2	   331

#endif
