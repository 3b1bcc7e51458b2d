/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of steps from the first C instruction to the first program. */
#include "api/bpf/init.h"
#include "api/perf/perf.h"
#include "api/process/core_file.h"
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/features.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "boot/boot.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/base/log.h"
#include "kernel/base/system.h"
#include "kernel/device/devices.h"
#include "kernel/device/keys.h"
#include "kernel/fs/inode.h"
#include "kernel/host/framebuffer.h"
#include "kernel/host/host.h"
#include "kernel/host/keep.h"
#include "kernel/host/panic.h"
#include "kernel/ipc/sysv.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/nodes.h"
#include "kernel/process/first.h"
#include "kernel/process/init.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/processors.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "kernel/vm/vdso.h"
#include "kernel/vm/vm.h"
#include "pmu/pmu.h"
#include "trace/trace.h"

/* Applies abi= of the command line. */
static void abi_init(void)
{
	char name[16];

	if (cmdline_value("abi", name, sizeof(name)) && !system_set_abi(name))
		log_warn("abi=%s is no version of Linux that is known: ignored", name);
}

static void log_machine(void)
{
	log_info("barepmu: %s, %lu MiB free, TSC %lu kHz (%s), %s %u",
		 boot_info.by_uefi   ? "UEFI"
		 : boot_info.by_bios ? "BIOS"
				     : "PVH",
		 memory_free_pages() * PAGE_SIZE >> 20, tsc_clock.khz, tsc_clock.source,
		 apic_is_x2apic() ? "x2APIC" : "xAPIC", apic_id());
	if (!acpi_info.found)
		log_warn("no ACPI tables");
}

void kernel_main(void)
{
	/* The processor, and error reports. */
	panic_init();    /* exceptions of the kernel are reported */
	traps_init();    /* GDT, IDT, per-processor data, SYSCALL */
	features_init(); /* write protection, NX, SMEP, SMAP */
	fpu_init();      /* SSE, AVX */
	console_init();  /* the serial line */
	log_init();      /* log= of the command line */
	abi_init();      /* abi= of the command line */

	/* Memory. */
	paging_init();                              /* the final map; the door's is gone */
	memory_init();                              /* pages */
	kalloc_init();                              /* small objects */
	paging_set_allocator(page_alloc, page_put); /* page tables come from there now */
	framebuffer_init();                         /* the screen, if the firmware left one */
	/* output buffer for the UEFI loader (host=firmware) */
	keep_init();

	/* Time and interrupts. */
	acpi_init();       /* processors, APIC, PM timer */
	tsc_init();        /* the clock */
	ioapic_mask_all(); /* no device interrupts */
	apic_init();       /* one-shot timer; everything else masked */
	nodes_init();      /* memory nodes */
	huge_init();       /* huge pages, as the command line says */
	clock_init();      /* the time of day */
	timers_init();     /* timers of tasks, work deferred by NMIs */
	log_machine();

	/* Tasks, and the subsystems that hook them. */
	host_init();       /* the host command on COM2 */
	sched_init();      /* this code becomes the idle task */
	processors_init(); /* the other processors idle from here on */
	vm_init();         /* truncation unmaps file pages */
	sysv_init();       /* /proc/sysvipc */
	trap_hooks_init(); /* ring 3's faults become signals */
	pmu_init();        /* performance events */
	trace_init();      /* trace events */
	bpf_init();        /* programs */
	limits_init();     /* /proc/sys/kernel/perf_event_* */
	core_init();       /* core files of programs that fail */

	/* The file tree. */
	inodes_init();  /* its root */
	devices_init(); /* /dev */
	proc_init();    /* /proc and /sys */
	vdso_init();    /* the page of vDSO code in programs */

	first_start(); /* the initrd, and the program that the run file names */
	keys_init();   /* keys that end the program, without a host command */
	sched_idle();  /* runs tasks; at the first program's end the machine ends */
}
