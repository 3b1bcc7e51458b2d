/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of a block that QEMU translates, before the cores hear of it. */
#include "emulator/sim/plugin/plugin_tb.h"

#include <stdint.h>
#include <string.h>

#include "emulator/sim/decode/decode.h"

#define GUEST_PAGE 4096
#define INSN_MAX   15

struct core_page *border_tb_page(const struct qemu_plugin_tb *tb)
{
	static const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00};
	const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	const uint8_t *bytes = qemu_plugin_insn_data(first);
	uint32_t marker = CORE_MARKER;
	char *host = qemu_plugin_insn_haddr(first);
	int32_t distance;

	if (qemu_plugin_insn_size(first) != CORE_MARKER_LENGTH || !host ||
	    memcmp(bytes, nop, sizeof(nop)) || memcmp(bytes + sizeof(nop), &marker, sizeof(marker)))
		return NULL;
	memcpy(&distance, host + CORE_PAGE_DISTANCE, sizeof(distance));
	return (struct core_page *)(host + CORE_PAGE_DISTANCE + distance);
}

/* 64, 32, 16: the mode of that instruction of the block's; 0: it is none. */
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
