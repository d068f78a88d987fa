/*
 * sys/sysmacros.h - the two halves of a device number.
 */

#ifndef _SYS_SYSMACROS_H
#define _SYS_SYSMACROS_H

#define major(dev) ((unsigned)((dev) >> 8) & 0xfff)
#define minor(dev) ((unsigned)((dev)&0xff) | ((unsigned)((dev) >> 12) & 0xfff00))

#endif
