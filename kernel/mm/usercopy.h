/*
 * usercopy.h - the only way to user memory.
 *
 * Addresses are window-relative, as the program wrote them.  Any value is safe: what is not
 * mapped, out of the window or lacks the right gives -EFAULT.  All may sleep (a page may have to be
 * read).
 */
#pragma once

#include "lib/types.h"

int copy_from_user(void *dst, uaddr_t src, size_t n);	  /* 0 or -EFAULT */
int copy_to_user(uaddr_t dst, const void *src, size_t n); /* 0 or -EFAULT */
int clear_user(uaddr_t dst, size_t n);			  /* 0 or -EFAULT */

int get_user32(uint32_t *out, uaddr_t src);
int put_user32(uaddr_t dst, uint32_t v);

/*
 * Copy a string with its NUL into `dst`.  Length without NUL; -EFAULT; -ENAMETOOLONG when it does
 * not fit `size`.
 */
ssize_t copy_string_from_user(char *dst, uaddr_t src, size_t size);
