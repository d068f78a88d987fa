/*
 * power.c - the end: power off, or once more from the start.
 */
#include "cpu/power.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "lib/string.h"
#include "mm/frame.h"

#define PORT_DEBUG_EXIT 0xF4 /* of the emulator, when it has one */

/* ACPI's PM1a control with SLP_EN and type S5, where emulators put it: PIIX4 (QEMU) and Bochs. */
#define PORT_PM1A_QEMU	0x604
#define PORT_PM1A_BOCHS 0xB004
#define PM1A_S5		0x2000

#define PORT_KEYBOARD  0x64
#define KEYBOARD_RESET 0xFE

struct boot_note {
	uint32_t magic, check;
	char text[256];
};

#define NOTE_MAGIC 0x4e4f5445u /* "NOTE" */

static struct boot_note *note(void)
{
	return phys_to_virt(BOOT_NOTE_PHYS);
}

static uint32_t checksum(const char *s)
{
	uint32_t sum = NOTE_MAGIC;

	while (*s)
		sum = sum * 31 + (uint8_t)*s++;
	return sum;
}

void power_off(uint32_t value)
{
	cli();
	outl(PORT_DEBUG_EXIT, value);
	outw(PORT_PM1A_QEMU, PM1A_S5);
	outw(PORT_PM1A_BOCHS, PM1A_S5);
	for (;;)
		hlt();
}

void reboot(const char *cmdline_extra)
{
	cli();
	str_copy(note()->text, cmdline_extra, sizeof(note()->text));
	note()->check = checksum(note()->text);
	note()->magic = NOTE_MAGIC;
	outb(PORT_KEYBOARD, KEYBOARD_RESET);
	for (;;)
		hlt();
}

const char *boot_note(void)
{
	struct boot_note *n = note();
	bool valid = n->magic == NOTE_MAGIC &&
		     strnlen(n->text, sizeof(n->text)) < sizeof(n->text) &&
		     checksum(n->text) == n->check;

	n->magic = 0;
	return valid ? n->text : "";
}
