/* SPDX-License-Identifier: BSD-2-Clause */
/* The MADT's processors, INIT and SIPI to each, and their first code. */
#include "emulator/visor/start/wake.h"

#include <stddef.h>

#include "emulator/visor/base/acpi.h"
#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/exit/exits.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/startup.h"

#define TRAMPOLINE_PAGE       0x8000u /* PAGE_BASE in trampoline.asm */
#define TRAMPOLINE_PARAMETERS 0x800
#define PATIENCE              60000000000ull /* TSC ticks: at least ten seconds */

extern const char trampoline[];
extern const uint64_t trampoline_bytes;

struct trampoline_parameters {
	uint64_t root, stack, entry, index;
};

#define PARAMETER_AT(member, place)                                                             \
	_Static_assert(offsetof(struct trampoline_parameters, member) == (place), "trampoline." \
										  "asm")
PARAMETER_AT(root, 0);
PARAMETER_AT(stack, 8);
PARAMETER_AT(entry, 16);
PARAMETER_AT(index, 24);
_Static_assert(TRAMPOLINE_PAGE == 0x8000 && TRAMPOLINE_PARAMETERS == 0x800, "trampoline.asm");

struct __attribute__((packed)) acpi_madt {
	struct acpi_header header;
	uint32_t apic, flags;
};

struct __attribute__((packed)) madt_entry {
	uint8_t type, length;
	uint8_t processor, apic_id; /* of MADT_LOCAL_APIC */
	uint32_t flags;
};

#define MADT_LOCAL_APIC 0
#define MADT_ENABLED    (1u << 0)

unsigned wake_find(uint64_t rsdp, uint8_t ids[MAX_PROCESSORS])
{
	const struct acpi_madt *madt = (const struct acpi_madt *)acpi_find(rsdp, "APIC");
	const uint8_t *at = (const uint8_t *)(madt + 1),
		      *end = madt ? (const uint8_t *)madt + madt->header.length : at;
	unsigned nr = 1;

	ids[0] = (uint8_t)apic_id();
	for (; at + sizeof(struct madt_entry) <= end; at += at[1]) {
		const struct madt_entry *entry = (const struct madt_entry *)at;

		if (entry->length < 2)
			break;
		if (entry->type != MADT_LOCAL_APIC || !(entry->flags & MADT_ENABLED) ||
		    entry->apic_id == ids[0])
			continue;
		if (nr == MAX_PROCESSORS)
			fail("more than %u processors", MAX_PROCESSORS);
		ids[nr++] = entry->apic_id;
	}
	return nr;
}

/* Runs on a further processor and never returns. */
static void begin(uint64_t index)
{
	struct vcpu *vcpu = visor_setup_other((unsigned)index);

	startup_wait(vcpu);
	visor_loop(vcpu);
}

static void wake(uint8_t id, const struct vcpu *vcpu)
{
	uint64_t limit = rdtsc() + PATIENCE;

	apic_send(id, ICR_ASSERT | ICR_MODE_INIT << 8);
	apic_send(id, ICR_ASSERT | ICR_MODE_SIPI << 8 | TRAMPOLINE_PAGE / PAGE_SIZE);
	while (!__atomic_load_n(&vcpu->online, __ATOMIC_SEQ_CST)) {
		cpu_relax();
		if (rdtsc() > limit)
			fail("the processor with APIC id %u does not start", id);
	}
}

void wake_all(const struct visor_memory *memory, const uint8_t ids[MAX_PROCESSORS])
{
	static uint8_t before[PAGE_SIZE];
	struct trampoline_parameters *parameters =
	    (struct trampoline_parameters *)(uint64_t)(TRAMPOLINE_PAGE + TRAMPOLINE_PARAMETERS);
	uint8_t *page = (uint8_t *)(uint64_t)TRAMPOLINE_PAGE;

	memcpy(before, page, sizeof(before));
	memcpy(page, trampoline, trampoline_bytes);
	for (unsigned i = 1; i < memory->nr; i++) {
		*parameters = (struct trampoline_parameters){
		    .root = host_root_address(),
		    .stack = visor_stack(memory, i),
		    .entry = (uint64_t)begin,
		    .index = i,
		};
		wake(ids[i], visor_processor(i));
	}
	memcpy(page, before, sizeof(before));
}
