/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the page of a marker (abi/core_page.h), and distinguishes the visor's from one made by a
 * guest. */
#include "emulator/sim/plugin/plugin_call.h"

#include <string.h>

#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/qemu/qemu.h"

#define CODE_BYTES (CORE_PAGE_DISTANCE + sizeof(int32_t))

static bool is_marker(const struct qemu_plugin_insn *insn)
{
	static const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00};
	const uint8_t *bytes = qemu_way->insn_data(insn);
	uint32_t marker = CORE_MARKER;

	return qemu_plugin_insn_size(insn) == CORE_MARKER_LENGTH &&
	       !memcmp(bytes, nop, sizeof(nop)) &&
	       !memcmp(bytes + sizeof(nop), &marker, sizeof(marker));
}

/* True if the physical bytes [at, at + bytes) are in the page's region of the visor. */
static bool is_inside(const struct core_page *page, uint64_t at, uint64_t bytes)
{
	uint64_t offset = at - page->visor_base;

	return offset < page->visor_bytes && page->visor_bytes - offset >= bytes;
}

/* True if the claims of a page that calls for the first time match its place and its code. */
static bool fits(const struct core_page *page, uint64_t distance, uint64_t vaddr)
{
	return page->page_address - distance == vaddr &&
	       is_inside(page, page->page_address, sizeof(*page)) &&
	       is_inside(page, vaddr, CODE_BYTES);
}

static struct core_page *page_after(char *host)
{
	int32_t distance;

	memcpy(&distance, host + CORE_PAGE_DISTANCE, sizeof(distance));
	return (struct core_page *)((uintptr_t)host + CORE_PAGE_DISTANCE + (uintptr_t)distance);
}

struct core_page *plugin_call_page(const struct qemu_plugin_tb *tb, const struct core_page *known)
{
	const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	char *host = qemu_plugin_insn_haddr(first);
	struct host_range memory;
	struct core_page *page;

	if (!host || !is_marker(first))
		return NULL;
	if (known) {
		uint64_t at = known->page_address + (uint64_t)(host - (const char *)known);

		return is_inside(known, at, CODE_BYTES) && page_after(host) == known
			   ? page_after(host)
			   : NULL;
	}
	memory = plugin_mapping(host);
	if (!plugin_range_has(&memory, host, CODE_BYTES))
		return NULL;
	page = page_after(host);
	if ((uintptr_t)page % _Alignof(uint64_t) ||
	    !plugin_range_has(&memory, (const char *)page, sizeof(*page)))
		return NULL;
	return fits(page, (uint64_t)((const char *)page - host), qemu_plugin_insn_vaddr(first))
		   ? page
		   : NULL;
}
