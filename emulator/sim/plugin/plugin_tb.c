/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines how many instructions of a block that QEMU translates belong to it. */
#include "emulator/sim/plugin/plugin_tb.h"

#include "emulator/sim/decode/decode.h"

#define GUEST_PAGE 4096
#define INSN_MAX   15

/* Returns the mode (64, 32, 16) of the block's n-th instruction; 0: there is none. */
static unsigned bits_of(const struct qemu_plugin_tb *tb, size_t n)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, n);
	struct insn decoded;

	decode_insn(qemu_plugin_insn_data(insn), (unsigned)qemu_plugin_insn_size(insn), &decoded);
	return decoded.bits;
}

size_t border_tb_insns(const struct qemu_plugin_tb *tb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	if (nr < 2 ||
	    qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, nr - 1)) % GUEST_PAGE + INSN_MAX <=
		GUEST_PAGE)
		return nr;
	return bits_of(tb, nr - 1) == bits_of(tb, 0) ? nr : nr - 1;
}
