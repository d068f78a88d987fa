/*
 * acpi.h - which processors there are.
 */
#pragma once

#include "cpu/pda.h"

struct acpi_cpus {
	paddr_t apic_address;
	uint32_t count;
	uint32_t apic_id[CPUS_MAX];
};

/* Read the processors from ACPI's MADT.  False: no ACPI, or no MADT in it. */
bool acpi_find_cpus(struct acpi_cpus *out);
