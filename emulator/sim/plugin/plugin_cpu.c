/* SPDX-License-Identifier: BSD-2-Clause */
/* Where pages are: by the processor's registers and the guest's page tables. */
#include "emulator/sim/plugin/plugin_cpu.h"

#include <dlfcn.h>
#include <string.h>

#include "emulator/sim/memory/memory.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/qemu/qemu.h"

#define PAGE_BYTES  4096
#define STACK_LINE  16 /* alignment of interrupt frames in 64-bit mode, bytes */
#define CR0_PAGING  (1u << 31)
#define CR4_LEVELS5 (1u << 12)

#define ENTRY_PRESENT 1u
#define ENTRY_LARGE   (1u << 7)
#define ENTRY_ADDRESS 0x000ffffffffff000

struct CPUState;

static struct {
	struct CPUState *(*get_cpu)(int index);
	uint64_t (*page)(struct CPUState *cpu, uint64_t vaddr);
	bool (*translate)(uint64_t vaddr, uint64_t *physical);
	void *(*map)(uint64_t physical, uint64_t *bytes, bool write);
	void (*unmap)(void *at, uint64_t bytes, bool write, uint64_t used);
} qemu;

/* The running processor's page by the official function, since QEMU 10.1; all ones: none. */
static uint64_t translated_page(struct CPUState *cpu, uint64_t vaddr)
{
	uint64_t physical;

	(void)cpu;
	return qemu.translate(vaddr, &physical) ? physical & ~0xfffull : ~0ull;
}

void plugin_cpu_setup(void)
{
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.page = dlsym(RTLD_DEFAULT, "cpu_get_phys_page_debug");
	*(void **)&qemu.translate = dlsym(RTLD_DEFAULT, "qemu_plugin_translate_vaddr");
	if (!qemu.page && qemu.translate)
		qemu.page = translated_page;
	*(void **)&qemu.map = qemu_function("cpu_physical_memory_map", "physical_memory_map");
	*(void **)&qemu.unmap = qemu_function("cpu_physical_memory_unmap", "physical_memory_unmap");
	if (!qemu.unmap)
		qemu.map = NULL;
}

bool plugin_knows_memory(void)
{
	return qemu.get_cpu && qemu.page && qemu.map;
}

/* Returns our address of the guest's memory at a physical address. NULL: there is none. */
static const void *memory_at(uint64_t physical, uint64_t bytes)
{
	uint64_t mapped = bytes;
	void *at = qemu.map ? qemu.map(physical, &mapped, false) : NULL;

	if (!at)
		return NULL;
	qemu.unmap(at, mapped, false, 0);
	return mapped == bytes && plugin_in_ram(at) ? at : NULL;
}

bool plugin_space(unsigned vcpu, uint64_t *cr3, uint8_t *mode)
{
	struct qemu_paging paging;

	if (!qemu_way->paging(vcpu, &paging))
		return false;
	*cr3 = paging.cr3;
	*mode = paging.code64 ? PT_MODE_64 : paging.code32 ? PT_MODE_32 : PT_MODE_16;
	return true;
}

/* An interrupt aligns RSP before it pushes: the low bits show whether there is an error code. */
bool plugin_frame(unsigned vcpu, uint64_t *vaddr)
{
	struct qemu_paging paging;
	uint64_t rsp;

	if (!qemu_way->paging(vcpu, &paging) || !paging.code64 || !qemu_way->stack(vcpu, &rsp))
		return false;
	*vaddr = rsp + (rsp % STACK_LINE ? 0 : sizeof(*vaddr));
	return true;
}

uint8_t *plugin_page(uint64_t physical)
{
	uint64_t bytes = PAGE_BYTES - physical % PAGE_BYTES;
	void *at = qemu.map ? qemu.map(physical, &bytes, true) : NULL;

	if (!at)
		return NULL;
	qemu.unmap(at, bytes, true, bytes);
	return bytes == PAGE_BYTES - physical % PAGE_BYTES && plugin_in_ram(at) ? at : NULL;
}

uint8_t plugin_page_size(unsigned vcpu, uint64_t vaddr)
{
	struct qemu_paging paging;
	uint64_t table;

	if (!qemu_way->paging(vcpu, &paging) || !paging.long_mode || !(paging.cr0 & CR0_PAGING))
		return PAGE_4K;
	table = paging.cr3 & ENTRY_ADDRESS;
	for (unsigned level = paging.cr4 & CR4_LEVELS5 ? 4 : 3; level; level--) {
		uint64_t index = vaddr >> (12 + 9 * level) & 511, value;
		const void *entry = memory_at(table + index * sizeof(value), sizeof(value));

		if (!entry)
			return PAGE_4K;
		memcpy(&value, entry, sizeof(value));
		if (!(value & ENTRY_PRESENT))
			return PAGE_4K;
		if (level <= PAGE_1G && value & ENTRY_LARGE)
			return (uint8_t)level;
		table = value & ENTRY_ADDRESS;
	}
	return PAGE_4K;
}

bool plugin_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical)
{
	const char *at;
	uint64_t page;

	if (!qemu.get_cpu || !qemu.page)
		return false;
	page = qemu.page(qemu.get_cpu((int)vcpu), vaddr & ~(uint64_t)(PAGE_BYTES - 1));
	if (page == UINT64_MAX)
		return false;
	at = memory_at(page + vaddr % PAGE_BYTES, 1);
	if (at)
		*physical = (uint64_t)(at - plugin_ram());
	return at;
}
