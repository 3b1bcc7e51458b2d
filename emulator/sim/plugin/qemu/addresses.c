/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Since version 8.0 QEMU translates code position-independently: a page that is mapped at two
 * addresses has one block, whose callbacks report the address at which it ran first. A flag of the
 * processor selects that; curr_cflags() returns it with few others (QEMU:
 * include/exec/translation-block.h, accel/tcg/cpu-exec.c).
 */
#include "emulator/sim/plugin/qemu/addresses.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define CF_PCREL 0x00020000u
/* Flags that curr_cflags() adds: CF_SINGLE_STEP, CF_NO_GOTO_PTR, CF_NO_GOTO_TB, a count of 1. */
#define CF_ADDED 0x00000e01u

#define FLAGS_REACH 0x1000 /* bytes of the struct of a processor within which its flags are */

struct CPUState;

/* Clears CF_PCREL in the one word of the processor that curr_cflags() reads. */
static bool clear(struct CPUState *cpu, uint32_t (*flags_of)(struct CPUState *cpu))
{
	uint32_t flags = flags_of(cpu);

	for (size_t at = 0; at < FLAGS_REACH; at += sizeof(uint32_t)) {
		uint32_t *word = (uint32_t *)((char *)cpu + at), before = *word;

		if ((before | CF_ADDED) != (flags | CF_ADDED))
			continue;
		*word = before & ~CF_PCREL;
		if (!(flags_of(cpu) & CF_PCREL))
			return true;
		*word = before;
	}
	return false;
}

bool plugin_own_addresses(unsigned vcpu)
{
	struct CPUState *(*get_cpu)(int index);
	uint32_t (*flags_of)(struct CPUState * cpu);
	struct CPUState *cpu;

	*(void **)&get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&flags_of = dlsym(RTLD_DEFAULT, "curr_cflags");
	cpu = get_cpu ? get_cpu((int)vcpu) : NULL;
	if (!cpu || !flags_of)
		return false;
	return !(flags_of(cpu) & CF_PCREL) || clear(cpu, flags_of);
}
