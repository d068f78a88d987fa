/*
 * image.h - ext2 images made by mke2fs from a folder that the test fills.
 */
#pragma once

#include "host/host.h"

/* A new empty folder; its path stays valid until the program ends, when it is removed. */
const char *folder_new(void);

/* Write `n` bytes of a pattern that depends on `seed` and the offset at `at` in a file; makes it
 * sparse. */
void file_put(const char *folder, const char *name, uint64_t at, uint32_t n, uint32_t seed);

/* The pattern's byte at an offset. */
uint8_t pattern(uint32_t seed, uint64_t at);

/* Run a command in the shell, printf-like; fails the test when it fails. */
void run(const char *fmt, ...) printf_like(1, 2);

/* The disk that mke2fs makes of a folder, with further options ("-b 1024 -O ^dir_index"). */
struct disk *image_make(const char *folder, const char *options, const char *blocks);

/* Write a disk to a file. */
void image_save(const struct disk *d, const char *path);

/* e2fsck must find nothing wrong with a disk. */
void image_check(const struct disk *d);

/* Take the root away, as a mount of nonsense does, and the disk with it.  Nothing of it is used. */
void image_unmount(struct disk *d);
