/*
 * elf.h - the executable file format, as far as a static i386 program needs it (System V ABI,
 * chapter 4 and 5).
 */
#pragma once

#include "lib/types.h"

#define ELF_MAGIC   0x464c457fu /* 0x7f E L F */
#define ELF_CLASS32 1
#define ELF_LITTLE  1
#define ELF_EXEC    2 /* linked for a fixed place */
#define ELF_I386    3

struct elf_header {
	uint32_t magic;
	uint8_t class, order, version, abi, pad[8];
	uint16_t type, machine;
	uint32_t version2;
	uaddr_t entry;
	uint32_t phoff, shoff, flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

#define ELF_LOAD   1
#define ELF_INTERP 3 /* names a dynamic linker */

#define ELF_X 1u
#define ELF_W 2u
#define ELF_R 4u

struct elf_segment {
	uint32_t type, offset;
	uaddr_t vaddr, paddr;
	uint32_t filesz, memsz, flags, align;
};

/* Auxiliary vector: what the kernel tells a new program about itself. */
enum {
	AT_NULL = 0,
	AT_PHDR = 3,
	AT_PHENT = 4,
	AT_PHNUM = 5,
	AT_PAGESZ = 6,
	AT_BASE = 7,
	AT_FLAGS = 8,
	AT_ENTRY = 9,
	AT_UID = 11,
	AT_EUID = 12,
	AT_GID = 13,
	AT_EGID = 14,
	AT_PLATFORM = 15,
	AT_HWCAP = 16,
	AT_CLKTCK = 17,
	AT_SECURE = 23,
	AT_RANDOM = 25,
	AT_EXECFN = 31,
};
