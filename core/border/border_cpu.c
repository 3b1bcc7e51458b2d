/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's struct of a processor begins with what all architectures have; that has a pointer to the
 * architecture's part behind it, which begins with the general registers and the instruction
 * pointer (QEMU: hw/core/cpu.h, target/i386/cpu.h). It is recognised by the latter.
 */
#include "core/border/border_cpu.h"

#include <dlfcn.h>
#include <string.h>

#include "abi/core_page.h"

#define PAGE_BYTES   4096
#define COMMON_WORDS 256    /* of the struct, among which the pointer is */
#define REACH_BYTES  0x4000 /* the other part begins so near to it */
#define WORD_RIP     16     /* behind the registers */

struct CPUState;

static struct {
	struct CPUState *(*get_cpu)(int index);
	uint64_t (*page)(struct CPUState *cpu, uint64_t vaddr);
} qemu;

static const uint64_t *parts[CORE_PROCESSORS];

void border_cpu_setup(void)
{
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.page = dlsym(RTLD_DEFAULT, "cpu_get_phys_page_debug");
}

/* NULL: none of the words points to registers whose instruction pointer is `rip`. */
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

bool border_registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_REGISTERS])
{
	const uint64_t **part = &parts[vcpu % CORE_PROCESSORS];

	if (!qemu.get_cpu)
		return false;
	if (!*part)
		*part = find_part(qemu.get_cpu((int)vcpu), start);
	if (!*part || (*part)[WORD_RIP] != start)
		return false;
	memcpy(out, *part, TOUCH_REGISTERS * sizeof(*out));
	return true;
}

bool border_physical(unsigned vcpu, uint64_t vaddr, uint64_t *physical)
{
	uint64_t page;

	if (!qemu.get_cpu || !qemu.page)
		return false;
	page = qemu.page(qemu.get_cpu((int)vcpu), vaddr & ~(uint64_t)(PAGE_BYTES - 1));
	*physical = page + vaddr % PAGE_BYTES;
	return page != UINT64_MAX;
}
