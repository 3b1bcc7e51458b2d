/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the other processors: INIT, start-up IPIs, and each one's initialisation before it runs
 * tasks. */
#include "abi/boot_info.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/features.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/start/startup.h"
#include "arch/x86/trap/traps.h"

#define PAGE_BYTES 4096ul
#define LOW_END    0xa0000ul

/* Intel SDM volume 3, "MP Initialization Protocol": between INIT and the first start-up IPI, and
 * until the second; then a timeout, because a virtual processor may have to wait for a real one. */
#define INIT_NS    10000000ul
#define STARTUP_NS 200000ul
#define ANSWER_NS  2000000000ul

extern const char trampoline_start[], trampoline_end[], trampoline_data[];

/* trampoline.asm. */
struct trampoline_data {
	uint32_t root, efer;
	uint64_t stack;
	struct startup *argument;
	void (*entry)(struct startup *startup);
	uint32_t far_offset;
	uint16_t far_selector;
	uint16_t gdt_limit;
	uint32_t gdt_base;
} __attribute__((packed));

_Static_assert(offsetof(struct trampoline_data, root) == 0, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, efer) == 4, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, stack) == 8, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, argument) == 16, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, entry) == 24, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, far_offset) == 32, "trampoline.asm");
_Static_assert(offsetof(struct trampoline_data, gdt_limit) == 38, "trampoline.asm");
_Static_assert(sizeof(struct trampoline_data) == 44, "trampoline.asm");

/* Parameters for the processor being started. */
static struct startup {
	struct cpu *cpu;
	void (*main)(void);
	uint32_t state; /* atomic: who is first, the processor or our patience */
} startup;

enum { STARTING, ARRIVED, READY, GIVEN_UP };

static uint64_t page; /* physical, of the start-up code */
static uint64_t root; /* an address space where it is executable */

static struct trampoline_data *data(void)
{
	return (void *)(DIRECT_MAP + page +
			((uint64_t)trampoline_data - (uint64_t)trampoline_start));
}

/* Returns the highest whole page of free memory below 640 KiB, except the first; 0: there is
 * none. */
static uint64_t find_page(void)
{
	uint64_t best = 0;

	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t end = region->base + region->bytes, at;

		end = end < LOW_END ? end : LOW_END;
		at = (end & -PAGE_BYTES) - PAGE_BYTES;
		if (region->kind == BOOT_MEM_USABLE && end > PAGE_BYTES && at >= region->base &&
		    at > best)
			best = at;
	}
	return best;
}

bool startup_begin(void)
{
	page = find_page();
	root = page ? paging_new() : 0;
	if (!root)
		return false;
	if (root >> 32 || paging_map(root, page, page, PAGING_EXEC)) {
		paging_free(root);
		return false;
	}
	__builtin_memcpy((void *)(DIRECT_MAP + page), trampoline_start,
			 (uint64_t)trampoline_end - (uint64_t)trampoline_start);
	data()->root = (uint32_t)root;
	data()->efer = (uint32_t)(EFER_LME | (cpuid_has(CPUID_NX) ? EFER_NXE : 0));
	data()->far_offset += (uint32_t)page;
	data()->gdt_base += (uint32_t)page;
	return true;
}

void startup_end(void)
{
	paging_free(root);
}

/* The processor's first C code. */
static void arrive(struct startup *what)
{
	void (*main)(void) = what->main;
	uint32_t state = STARTING;

	if (!__atomic_compare_exchange_n(&what->state, &state, ARRIVED, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		for (;;)
			halt();
	features_init();
	traps_init_processor(what->cpu);
	traps_use_kernel_lock();
	fpu_init();
	paging_load(paging_kernel_root());
	apic_init_processor();
	__atomic_store_n(&what->state, READY, __ATOMIC_RELEASE);
	main();
}

/* Waits until the processor runs our code or the time has passed. */
static bool wait_for(uint64_t ns)
{
	uint64_t end = clock_ns() + ns;

	while (__atomic_load_n(&startup.state, __ATOMIC_ACQUIRE) == STARTING) {
		if (clock_ns() > end)
			return false;
		cpu_relax();
	}
	return true;
}

/* False: it started just in time. */
static bool give_up(void)
{
	uint32_t state = STARTING;

	if (!__atomic_compare_exchange_n(&startup.state, &state, GIVEN_UP, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	apic_init_ipi(startup.cpu->apic_id);
	return true;
}

bool startup_processor(struct cpu *cpu, uint64_t stack_top, void (*main)(void))
{
	startup = (struct startup){.cpu = cpu, .main = main, .state = STARTING};
	data()->stack = stack_top;
	data()->argument = &startup;
	data()->entry = arrive;
	apic_init_ipi(cpu->apic_id);
	if (!cpuid_has(CPUID_HYPERVISOR)) /* virtual ones need no time */
		wait_for(INIT_NS);
	apic_startup_ipi(cpu->apic_id, (uint8_t)(page >> 12));
	if (!wait_for(STARTUP_NS)) {
		apic_startup_ipi(cpu->apic_id, (uint8_t)(page >> 12));
		if (!wait_for(ANSWER_NS) && give_up())
			return false;
	}
	while (__atomic_load_n(&startup.state, __ATOMIC_ACQUIRE) != READY)
		cpu_relax();
	return true;
}
