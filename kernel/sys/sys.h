/*
 * sys.h - what the files of sys/ share.
 */
#pragma once

#include "fs/file.h"
#include "sys/syscall.h"

/* A call's prototype: the table declares them all, each file those it defines. */
#define CALL(number, name, function) int32_t sys_##function(struct trapframe *f);
#include "sys/calls.h"
#undef CALL

/*
 * A path from the program: a frame, to be given back with frame_put().  0, -EFAULT, -ENAMETOOLONG,
 * -ENOENT (empty), -ENOMEM.
 */
int path_from_user(uaddr_t at, char **out);

#define AT_FDCWD (-100)

/*
 * Look up the program's path `at`; a relative one starts at `dirfd`.  `how` and errors as
 * path_lookup(), and -EFAULT, -EBADF, -ENOMEM.
 */
int find_path(int32_t dirfd, uaddr_t at, uint32_t how, struct inode **out);

/* time.c: as many ticks as `ns` need. */
uint32_t ticks_of(uint64_t ns);
