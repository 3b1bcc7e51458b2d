/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locates a processor's registers in QEMU. QEMU's struct of a processor starts with the part common
 * to all architectures, which has a pointer to the architecture's part after it; that starts with
 * the general registers and the instruction pointer (QEMU: hw/core/cpu.h, target/i386/cpu.h). It is
 * recognised by the instruction pointer.
 */
#include "emulator/sim/plugin/plugin_cpu.h"

#include <dlfcn.h>
#include <string.h>

#include "abi/core_page.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/memory/memory.h"

#define PAGE_BYTES   4096
#define COMMON_WORDS 256    /* of the struct, among which the pointer is */
#define REACH_BYTES  0x4000 /* the other part begins so near to it */

/* Words of the architecture's part: registers, instruction pointer, and so on. */
enum {
	WORD_RSP = 4,
	WORD_RIP = 16,
	WORD_MODE = 22,
	WORD_FS_BASE = 36, /* segments have three words each */
	WORD_GS_BASE = 39,
	WORD_CR0 = 53,
	WORD_CR3 = 56,
	WORD_CR4 = 57,
};

#define MODE_RING   3u         /* HF_CPL_MASK */
#define MODE_CODE32 (1u << 4)  /* HF_CS32_MASK */
#define MODE_LONG   (1u << 14) /* HF_LMA_MASK */
#define MODE_CODE64 (1u << 15) /* HF_CS64_MASK */
#define MODE_GUEST  (1u << 21) /* HF_GUEST_MASK */

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
	void *(*map)(uint64_t physical, uint64_t *bytes, bool write);
	void (*unmap)(void *at, uint64_t bytes, bool write, uint64_t used);
} qemu;

static const uint64_t *parts[CORE_PROCESSORS];

void border_cpu_setup(void)
{
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.page = dlsym(RTLD_DEFAULT, "cpu_get_phys_page_debug");
	*(void **)&qemu.map = dlsym(RTLD_DEFAULT, "cpu_physical_memory_map");
	*(void **)&qemu.unmap = dlsym(RTLD_DEFAULT, "cpu_physical_memory_unmap");
	if (!qemu.unmap)
		qemu.map = NULL;
}

/* Returns NULL if none of the words points to registers with the instruction pointer `rip`. */
static const uint64_t *find_part(const struct CPUState *cpu, uint64_t rip)
{
	const uint64_t *words = (const uint64_t *)cpu;

	for (unsigned i = 0; i < COMMON_WORDS; i++) {
		uint64_t distance = words[i] - (uint64_t)words;
		const uint64_t *part = (const uint64_t *)words[i];

		if (distance && distance < REACH_BYTES && !(distance % sizeof(*words)) &&
		    part[WORD_RIP] == rip)
			return part;
	}
	return NULL;
}

void border_cpu_find(uint64_t start)
{
	for (int i = 0; qemu.get_cpu && i < CORE_PROCESSORS; i++) {
		const struct CPUState *cpu = parts[i] ? NULL : qemu.get_cpu(i);

		if (cpu)
			parts[i] = find_part(cpu, start);
	}
}

bool border_registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES])
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (!part || part[WORD_RIP] != start)
		return false;
	memcpy(out, part, TOUCH_REGISTERS * sizeof(*out));
	out[TOUCH_FS] = part[WORD_FS_BASE];
	out[TOUCH_GS] = part[WORD_GS_BASE];
	return true;
}

bool border_runs_guest(unsigned vcpu)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	return part && part[WORD_MODE] & (MODE_RING | MODE_GUEST);
}

/* Returns our address of the guest's memory at a physical address. NULL: there is none. */
static const void *memory_at(uint64_t physical, uint64_t bytes)
{
	uint64_t mapped = bytes;
	void *at = qemu.map ? qemu.map(physical, &mapped, false) : NULL;

	if (!at)
		return NULL;
	qemu.unmap(at, mapped, false, 0);
	return mapped == bytes && border_in_ram(at) ? at : NULL;
}

bool border_space(unsigned vcpu, uint64_t *cr3, uint8_t *mode)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (!part)
		return false;
	*cr3 = part[WORD_CR3];
	*mode = part[WORD_MODE] & MODE_CODE64   ? PT_MODE_64
		: part[WORD_MODE] & MODE_CODE32 ? PT_MODE_32
						: PT_MODE_16;
	return true;
}

/* An interrupt aligns RSP before it pushes: the low bits show whether there is an error code. */
bool border_frame(unsigned vcpu, uint64_t *vaddr)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (!part || !(part[WORD_MODE] & MODE_CODE64))
		return false;
	*vaddr = part[WORD_RSP] + (part[WORD_RSP] % STACK_LINE ? 0 : sizeof(*vaddr));
	return true;
}

uint8_t *border_page(uint64_t physical)
{
	uint64_t bytes = PAGE_BYTES - physical % PAGE_BYTES;
	void *at = qemu.map ? qemu.map(physical, &bytes, true) : NULL;

	if (!at)
		return NULL;
	qemu.unmap(at, bytes, true, bytes);
	return bytes == PAGE_BYTES - physical % PAGE_BYTES && border_in_ram(at) ? at : NULL;
}

uint8_t border_page_size(unsigned vcpu, uint64_t vaddr)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];
	uint64_t table;

	if (!part || !(part[WORD_MODE] & MODE_LONG) || !(part[WORD_CR0] & CR0_PAGING))
		return PAGE_4K;
	table = part[WORD_CR3] & ENTRY_ADDRESS;
	for (unsigned level = part[WORD_CR4] & CR4_LEVELS5 ? 4 : 3; level; level--) {
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

bool border_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical)
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
		*physical = (uint64_t)(at - border_ram());
	return at;
}
