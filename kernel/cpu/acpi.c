/*
 * acpi.c - which processors there are, from ACPI's Multiple APIC Description Table.
 *
 * The BIOS leaves a pointer (RSDP) in its own memory, that leads to a table of tables (RSDT), one
 * of which lists the local APICs: one each processor.  ACPI specification 2.0, chapter 5.2.
 */
#include "cpu/acpi.h"
#include "lib/string.h"
#include "mm/paging.h"

struct __attribute__((packed)) rsdp {
	char signature[8]; /* "RSD PTR " */
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
};

struct __attribute__((packed)) table {
	char signature[4];
	uint32_t length;
	uint8_t rest[28];
};

struct __attribute__((packed)) madt {
	struct table header; /* "APIC" */
	uint32_t apic_address, flags;
};

struct __attribute__((packed)) madt_apic {
	uint8_t type, length; /* 0, 8 */
	uint8_t processor, apic_id;
	uint32_t flags; /* bit 0: usable */
};

#define MADT_LOCAL_APIC	 0
#define TABLE_LENGTH_MAX 0x10000u

#define BDA_EBDA_SEGMENT 0x40Eu /* BIOS data area: where the extended one is */

static bool sums_to_zero(const void *p, uint32_t n)
{
	const uint8_t *b = p;
	uint8_t sum = 0;

	while (n--)
		sum += *b++;
	return sum == 0;
}

static const struct rsdp *find_rsdp_in(paddr_t start, uint32_t length)
{
	for (paddr_t p = start; p < start + length; p += 16) {
		const struct rsdp *r = phys_to_virt(p);

		if (!memcmp(r->signature, "RSD PTR ", 8) && sums_to_zero(r, sizeof(*r)))
			return r;
	}
	return NULL;
}

static const struct rsdp *find_rsdp(void)
{
	uint32_t segment = *(volatile uint16_t *)phys_to_virt(BDA_EBDA_SEGMENT);
	const struct rsdp *r = NULL;

	if (segment >= 0x8000 && segment < 0xA000)
		r = find_rsdp_in(segment << 4, 1024);
	return r ? r : find_rsdp_in(0xE0000, 0x20000);
}

/* The whole table at `p`, reachable and with a right checksum; or NULL. */
static const struct table *map_table(paddr_t p)
{
	const struct table *t = map_phys(p, sizeof(*t));

	if (!t || t->length < sizeof(*t) || t->length > TABLE_LENGTH_MAX)
		return NULL;
	t = map_phys(p, t->length);
	if (!t || !sums_to_zero(t, t->length))
		return NULL;
	return t;
}

static const struct madt *find_madt(void)
{
	const struct rsdp *r = find_rsdp();
	const struct table *rsdt = r ? map_table(r->rsdt) : NULL;
	const uint32_t *entry;

	if (!rsdt)
		return NULL;
	entry = (const uint32_t *)(rsdt + 1);
	for (uint32_t i = 0; i < (rsdt->length - sizeof(*rsdt)) / 4; i++) {
		const struct table *t = map_table(entry[i]);

		if (t && !memcmp(t->signature, "APIC", 4) && t->length >= sizeof(struct madt))
			return (const struct madt *)t;
	}
	return NULL;
}

bool acpi_find_cpus(struct acpi_cpus *out)
{
	const struct madt *m = find_madt();
	const uint8_t *p, *end;

	if (!m)
		return false;
	out->apic_address = m->apic_address;
	out->count = 0;
	p = (const uint8_t *)(m + 1);
	end = (const uint8_t *)m + m->header.length;
	while (p + 2 <= end && p[1] >= 2 && p + p[1] <= end) {
		const struct madt_apic *a = (const struct madt_apic *)p;

		if (a->type == MADT_LOCAL_APIC && a->length >= sizeof(*a) && a->flags & 1 &&
		    out->count < CPUS_MAX)
			out->apic_id[out->count++] = a->apic_id;
		p += p[1];
	}
	return out->count > 0;
}
