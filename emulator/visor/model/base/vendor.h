/* SPDX-License-Identifier: BSD-2-Clause */
/* A vendor's PMUs: tables of registers and events, and operations. */
#ifndef VISOR_MODEL_VENDOR_H
#define VISOR_MODEL_VENDOR_H

#include <stdint.h>
#include "emulator/visor/model/base/types.h"

#include "emulator/visor/model/base/events.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/types.h"

#define VENDOR_NAME_SIZE 13
/* rdpmc() of an index that is no counter: PERF_METRICS. */
#define VENDOR_METRICS 64
#define VENDOR_NO_SLOT (-1)

struct vendor {
	char name[VENDOR_NAME_SIZE]; /* CPUID leaf 0: EBX, EDX, ECX */
	const struct register_table *registers;
	const struct event_table *events;
	/* The slot of the counter that RDPMC's ECX names, or VENDOR_NO_SLOT. */
	int (*rdpmc)(const struct personality *personality, uint32_t index);
	/* Decodes what the registers say about the counter in `slot`: rings, interrupt. */
	void (*decode)(struct model *model, unsigned slot);
	/* As model_cpuid(), except for leaves 0, 1 and 7. */
	void (*cpuid)(const struct personality *personality, uint32_t leaf, uint32_t regs[4]);
};

extern const struct vendor vendor_intel, vendor_amd;

#endif
