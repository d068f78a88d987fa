/*
 * insn.h - an instruction, as far as a TLB cares.
 *
 * What the plugin must know of it before it runs, from nothing but its bytes: whether it changes
 * the TLB, may begin a trap's entry stub, or repeats itself.
 */
#pragma once

#include "monitor/tlb/qemu.h"

#define LONGEST_INSTRUCTION 15 /* bytes, SDM 2A 2.3.11 */

struct insn {
	struct qemu_plugin_insn *handle;
	uint32_t linear, bytes;
	uint8_t code[LONGEST_INSTRUCTION + 1];
};

/* Instruction `i` of a block that is being translated. */
struct insn insn_look(const struct qemu_plugin_tb *tb, size_t i);

/* Those that change what is cached, or that the model counts. */
enum insn_effect {
	INSN_ORDINARY,
	INSN_LOADS_CR3,
	INSN_WRITES_CR0,
	INSN_WRITES_CR4,
	INSN_DROPS_PAGE,
};

enum insn_effect insn_effect(const struct insn *it);

bool insn_is_string(const struct insn *it);

/* As an entry stub begins: with a push, of a register or of a constant. */
bool insn_is_push(const struct insn *it);
