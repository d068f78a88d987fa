/*
 * insn.c - an instruction, as far as a TLB cares: just enough decoding (SDM 2A 2.1, 2B).
 */
#include <string.h>

#include "monitor/tlb/guest.h"
#include "monitor/tlb/insn.h"

struct insn insn_look(const struct qemu_plugin_tb *tb, size_t i)
{
	struct insn it = { .handle = qemu_plugin_tb_get_insn(tb, i) };
	size_t n;

	it.linear = qemu_plugin_insn_vaddr(it.handle);
	it.bytes = qemu_plugin_insn_size(it.handle);
	n = it.bytes < sizeof(it.code) ? it.bytes : sizeof(it.code);
#if QEMU_PLUGIN_VERSION >= 3
	qemu_plugin_insn_data(it.handle, it.code, n);
#else
	memcpy(it.code, qemu_plugin_insn_data(it.handle), n);
#endif
	return it;
}

/* Its opcode, behind any prefixes (SDM 2A 2.1.1), with zeros behind its end. */
static const uint8_t *opcode(const struct insn *it)
{
	const uint8_t *p = it->code;

	while (p < it->code + sizeof(it->code) - 4 &&
	       strchr("\x66\x67\x2e\x36\x3e\x26\x64\x65\xf0\xf2\xf3", *p) && *p)
		p++;
	return p;
}

enum insn_effect insn_effect(const struct insn *it)
{
	const uint8_t *op = opcode(it);
	uint32_t reg = op[2] >> 3 & 7;

	if (it->linear < KERNEL_BASE || op[0] != 0x0f)
		return INSN_ORDINARY; /* user code is refused these: it traps instead */
	if (op[1] == 0x22)	      /* MOV to a control register */
		return reg == 3	  ? INSN_LOADS_CR3
		       : reg == 0 ? INSN_WRITES_CR0
		       : reg == 4 ? INSN_WRITES_CR4
				  : INSN_ORDINARY;
	if (op[1] == 0x01 && reg == 7 && op[2] < 0xc0) /* INVLPG */
		return INSN_DROPS_PAGE;
	return INSN_ORDINARY;
}

bool insn_is_string(const struct insn *it)
{
	uint8_t op = *opcode(it) & ~1u;

	return op == 0xa4 || op == 0xa6 || op == 0xaa || op == 0xac || op == 0xae;
}

bool insn_is_push(const struct insn *it)
{
	uint8_t op = it->code[0];

	return (op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a;
}
