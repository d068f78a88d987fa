/*
 * x86.h - the host's stand-in for kernel/cpu/x86.h: ports lead to the test's model of a device.
 */
#pragma once

#include "lib/types.h"

uint8_t inb(uint16_t port);
void outb(uint16_t port, uint8_t v);
void insw(uint16_t port, void *dst, uint32_t n);
void outsw(uint16_t port, const void *src, uint32_t n);
