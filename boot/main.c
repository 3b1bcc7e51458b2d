/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of steps from the first C instruction to the first program. */
#include "api/perf.h"
#include "arch/x86/acpi.h"
#include "arch/x86/apic.h"
#include "arch/x86/features.h"
#include "arch/x86/fpu.h"
#include "arch/x86/ioapic.h"
#include "arch/x86/paging.h"
#include "arch/x86/percpu.h"
#include "arch/x86/traps.h"
#include "arch/x86/tsc.h"
#include "boot/boot.h"
#include "kernel/clock.h"
#include "kernel/console.h"
#include "kernel/first.h"
#include "kernel/host.h"
#include "kernel/init.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "kernel/processors.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "pmu/pmu.h"

static void log_machine(void)
{
	log_info("barepmu: %s, %lu MiB free, TSC %lu kHz (%s), %s %u",
		 boot_info.by_uefi ? "UEFI" : "PVH", memory_free_pages() * PAGE_SIZE >> 20,
		 tsc_clock.khz, tsc_clock.source, apic_is_x2apic() ? "x2APIC" : "xAPIC", apic_id());
	if (!acpi_info.found)
		log_warn("no ACPI tables");
}

void kernel_main(void)
{
	/* The processor, and somewhere to complain. */
	panic_init();    /* exceptions of the kernel are reported */
	traps_init();    /* GDT, IDT, per-processor data, SYSCALL */
	features_init(); /* write protection, NX, SMEP, SMAP */
	fpu_init();      /* SSE, AVX */
	console_init();  /* the serial line */
	log_init();      /* log= of the command line */

	/* Memory. */
	paging_init();                              /* the final map; the door's is gone */
	memory_init();                              /* pages */
	kalloc_init();                              /* small objects */
	paging_set_allocator(page_alloc, page_put); /* page tables come from there now */
	console_add_framebuffer();                  /* the screen, if the firmware left one */

	/* Time and interrupts. */
	acpi_init();       /* processors, APIC, PM timer */
	tsc_init();        /* the clock */
	ioapic_mask_all(); /* no device interrupts */
	apic_init();       /* one-shot timer; everything else masked */
	clock_init();      /* the time of day */
	timers_init();     /* timers of tasks, work deferred by NMIs */
	log_machine();

	/* Tasks, and what watches them. */
	host_init();       /* the host command on COM2 */
	sched_init();      /* this is the idle task now */
	processors_init(); /* the other processors idle from here on */
	trap_hooks_init(); /* ring 3's faults become signals */
	pmu_init();        /* performance events */
	limits_init();     /* /proc/sys/kernel/perf_event_* */

	first_start(); /* the initrd, and the program that the run file names */
	sched_idle();  /* runs tasks; at the first program's end the machine ends */
}
