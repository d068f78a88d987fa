/*
 * sys/ioctl.h - talking to devices; the terminal's requests.
 */

#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#define TCGETS	   0x5401
#define TIOCGPGRP  0x540f
#define TIOCSPGRP  0x5410
#define TIOCGWINSZ 0x5413

int ioctl(int fd, unsigned long request, ...);

#endif
