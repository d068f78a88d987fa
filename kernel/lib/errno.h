/*
 * errno.h - error numbers, with Linux i386's values: user programs see them.
 *
 * Inside the kernel a function that can fail returns one of them negated.
 */
#pragma once

#ifdef KLAAVA_HOST
#include <errno.h>
#else
#define EPERM	       1
#define ENOENT	       2
#define ESRCH	       3
#define EINTR	       4
#define EIO	       5
#define ENXIO	       6
#define E2BIG	       7
#define ENOEXEC	       8
#define EBADF	       9
#define ECHILD	       10
#define EAGAIN	       11
#define ENOMEM	       12
#define EACCES	       13
#define EFAULT	       14
#define EBUSY	       16
#define EEXIST	       17
#define EXDEV	       18
#define ENODEV	       19
#define ENOTDIR	       20
#define EISDIR	       21
#define EINVAL	       22
#define ENFILE	       23
#define EMFILE	       24
#define ENOTTY	       25
#define ETXTBSY	       26
#define EFBIG	       27
#define ENOSPC	       28
#define ESPIPE	       29
#define EROFS	       30
#define EMLINK	       31
#define EPIPE	       32
#define EDOM	       33
#define ERANGE	       34
#define ENAMETOOLONG   36
#define ENOSYS	       38
#define ENOTEMPTY      39
#define ELOOP	       40
#define EOVERFLOW      75
#define EUCLEAN	       117 /* the file system needs cleaning: its structure is corrupt */

/* Inside the kernel only, from a call that a signal interrupted before it did anything: signal.c.
 */
#define ERESTARTSYS    512 /* again, unless a handler without SA_RESTART ran: then -EINTR */
#define ERESTARTNOHAND 514 /* again, unless a handler ran */
#define ERESTARTSLEEP  516 /* the same, and it is a sleep, which ends when it would have */
#endif
