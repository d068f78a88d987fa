/*
 * multiboot.c - what the boot loader said, into our own words.
 *
 * Only the first 4 MB are mapped yet, and the loader may have put its structures anywhere in them,
 * so everything wanted later is copied out now.  Multiboot specification 0.6.96, section 3.3.
 */
#include "boot/boot.h"
#include "boot/multiboot.h"
#include "lib/string.h"
#include "mm/frame.h"

#define MULTIBOOT_BOOTED 0x2BADB002u

#define INFO_MEMORY  (1u << 0)
#define INFO_CMDLINE (1u << 2)
#define INFO_MODULES (1u << 3)
#define INFO_MMAP    (1u << 6)

#define MMAP_RAM 1

struct multiboot_info {
	uint32_t flags, mem_lower, mem_upper, boot_device, cmdline;
	uint32_t mods_count, mods_addr, syms[4], mmap_length, mmap_addr;
};

struct multiboot_module {
	uint32_t start, end, string, reserved;
};

struct __attribute__((packed)) multiboot_mmap {
	uint32_t size; /* of the rest */
	uint64_t addr, length;
	uint32_t type;
};

struct boot_info boot_info;

#define MAPPED_AT_BOOT 0x400000u

static const void *reach(uint32_t p)
{
	return p && p < MAPPED_AT_BOOT ? phys_to_virt(p) : NULL;
}

static void add_ram(uint64_t start, uint64_t end)
{
	struct boot_range *r = &boot_info.ram[boot_info.ram_ranges];

	if (end > UINT32_MAX)
		end = UINT32_MAX & PAGE_MASK;
	start = ALIGN_UP(start, PAGE_SIZE);
	end = ALIGN_DOWN(end, PAGE_SIZE);
	if (start >= end || boot_info.ram_ranges == ARRAY_SIZE(boot_info.ram))
		return;
	*r = (struct boot_range){ start, end };
	boot_info.ram_ranges++;
	boot_info.ram_top = MAX(boot_info.ram_top, r->end);
}

static void read_memory_map(const struct multiboot_info *mb)
{
	if (mb->flags & INFO_MMAP && reach(mb->mmap_addr)) {
		const char *p = reach(mb->mmap_addr), *end = p + mb->mmap_length;

		while (p < end) {
			const struct multiboot_mmap *m = (const void *)p;

			if (m->type == MMAP_RAM)
				add_ram(m->addr, m->addr + m->length);
			p += m->size + sizeof(m->size);
		}
	} else if (mb->flags & INFO_MEMORY) {
		add_ram(0, mb->mem_lower * 1024);
		add_ram(0x100000, 0x100000 + (uint64_t)mb->mem_upper * 1024);
	}
}

bool multiboot_read(uint32_t magic, paddr_t info)
{
	const struct multiboot_info *mb = reach(info);
	const struct multiboot_module *mod;

	if (magic != MULTIBOOT_BOOTED || !mb)
		return false;
	if (mb->flags & INFO_CMDLINE && reach(mb->cmdline))
		str_copy(boot_info.cmdline, reach(mb->cmdline), sizeof(boot_info.cmdline));
	read_memory_map(mb);
	mod = mb->flags & INFO_MODULES && mb->mods_count ? reach(mb->mods_addr) : NULL;
	if (mod) {
		boot_info.module_start = mod->start;
		boot_info.module_size = mod->end - mod->start;
	}
	return true;
}
