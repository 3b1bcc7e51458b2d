/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines how many instructions of a block that QEMU translates belong to it. */
#include "emulator/sim/plugin/qemu/tb.h"

#include "emulator/sim/decode/decode.h"
#include "emulator/sim/plugin/qemu/qemu.h"

#define GUEST_PAGE 4096
#define INSN_MAX   15

/* Returns the mode (64, 32, 16) of the block's n-th instruction; 0: there is none. */
static unsigned bits_of(const struct qemu_plugin_tb *tb, size_t n)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, n);
	struct insn decoded;

	decode_insn(qemu_way->insn_data(insn), (unsigned)qemu_plugin_insn_size(insn), &decoded);
	return decoded.bits;
}

size_t plugin_tb_insns(const struct qemu_plugin_tb *tb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	if (nr < 2 ||
	    qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, nr - 1)) % GUEST_PAGE + INSN_MAX <=
		GUEST_PAGE)
		return nr;
	return bits_of(tb, nr - 1) == bits_of(tb, 0) ? nr : nr - 1;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || (byte & 0xfe) == 0xf2 || (byte & 0xf0) == 0x40 ||
	       (byte & 0xe7) == 0x26 || (byte & 0xfe) == 0x64;
}

/* SDM volume 2, appendix A.3: opcode maps; what follows 0FH. VEX and EVEX begin with C4H, C5H, 62H.
 */
bool plugin_may_be_wide(const uint8_t *bytes, size_t length)
{
	static const struct {
		uint8_t first, last;
	} rows[] = {{0x10, 0x17}, {0x28, 0x2f}, {0x38, 0x3a}, {0x50, 0x7f},
		    {0xc2, 0xc2}, {0xc6, 0xc7}, {0xd0, 0xff}};
	size_t at = 0;

	while (at + 1 < length && is_prefix(bytes[at]))
		at++;
	if (bytes[at] == 0xc4 || bytes[at] == 0xc5 || bytes[at] == 0x62)
		return true;
	if (bytes[at] != 0x0f || at + 1 >= length)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (bytes[at + 1] >= rows[i].first && bytes[at + 1] <= rows[i].last)
			return true;
	return false;
}
