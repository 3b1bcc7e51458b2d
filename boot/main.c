/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of steps from the first C instruction to the first program. */
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/features.h"
#include "arch/x86/fpu.h"
#include "arch/x86/paging.h"
#include "arch/x86/percpu.h"
#include "arch/x86/traps.h"
#include "arch/x86/tsc.h"
#include "boot/boot.h"
#include "kernel/console.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "pmu/pmu.h"

void kernel_main(void)
{
	/* The processor, and somewhere to complain. */
	panic_init();    /* exceptions of the kernel are reported */
	traps_init();    /* GDT, IDT, per-processor data, SYSCALL */
	console_init();  /* serial line; console= and log= of the command line */
	features_init(); /* write protection, NX, SMEP, SMAP */

	/* Memory. */
	paging_init(); /* the final map; the boot door's is gone */
	memory_init(); /* pages */
	kalloc_init(); /* small objects */
	paging_set_allocator(page_alloc, page_put);
	panic("the end");
}
