/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One processor of the guest, and the visor's internal interfaces. Everything here runs with the
 * global interrupt flag clear: nothing interrupts the visor. A processor accesses only its own
 * struct vcpu, except the members that startup.c names, so no locks are needed.
 */
#ifndef VISOR_VCPU_H
#define VISOR_VCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/pt/pt.h"
#include "emulator/visor/base/options.h"
#include "emulator/visor/base/svm.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/core/quirks.h"
#include "emulator/visor/model/insn/decode.h"
#include "emulator/visor/model/insn/predict.h"

enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R11 = 11, GPRS = 16 };

#define NEVER UINT64_MAX

#define EILVT_ENTRIES 4

/* QEMU's TSC under -icount is its virtual clock, in nanoseconds; its APIC's timer always is. */
#define NANOSECOND_KHZ 1000000

/* The page from which the guest's last instruction was fetched. */
struct code_page {
	uint64_t cr3, linear, physical;
};

struct core_processor;
struct host_events;
struct nested_tables;

struct vcpu {
	/* Shared with run.asm: layout.inc has these offsets. */
	uint64_t gpr[GPRS]; /* the guest's; RAX and RSP are in the VMCB */
	struct vmcb *vmcb;
	uint64_t tsc_in, tsc_out; /* the host's TSC at the last entry and exit */
	uint64_t tsc_bias;   /* the guest's TSC at entry, less the ticks from tsc_in to there */
	uint64_t hpet_bias;  /* HPET time, in ns, at the write of the comparator, less tsc_in */
	uint64_t hpet_delta; /* ticks from that write to the deadline */
	volatile uint32_t *comparator; /* where to write it: the HPET, or `no_comparator` when there
					  is nothing to arm */
	uint64_t sled;                 /* where to jump into run.asm's sled */
	uint64_t *tsc_slot; /* where to write the guest's TSC offset: the VMCB, or `no_offset` */

	/* Time: count.c, hpet.c, calibrate.c. */
	unsigned shift; /* the TSC advances 2^shift for an instruction */
	bool icount; /* it really does; otherwise the TSC is the host's and counts are estimates */
	uint64_t hpet_rate;  /* without icount: HPET ticks for an instruction (HPET_RATE_SHIFT) */
	uint64_t overhead;   /* TSC ticks from tsc_in to tsc_out when the guest executes nothing */
	uint64_t guest_tsc;  /* current value of the guest's TSC */
	uint64_t tsc_adjust; /* IA32_TSC_ADJUST: what the guest's writes have moved it by */
	uint32_t tsc_khz;    /* about, without icount */
	uint64_t run_ticks;  /* ticks of the last run */
	bool timed;          /* the guest's clock follows the core in this run, */
	uint64_t clock_lead; /* and the machine's clock is so far before it */
	uint64_t deadline;   /* host TSC at which the armed HPET timer fires, or the HPET's tick
				without  icount; NEVER: it is not armed */
	uint32_t no_comparator; /* takes the write when there is nothing to arm */
	uint64_t no_offset;     /* takes the write of the TSC offset when that must not change */
	uint64_t timer;         /* the registers of this processor's HPET timer */
	uint64_t epoch;         /* upper half of its comparator */
	bool aimed;             /* this run arms the timer */
	unsigned sled_used;     /* instructions of the sled in this run */
	bool stale_nmi;         /* a deadline passed unseen: its NMI is still to come */

	/* The simulated core: core.c. NULL: there is none. */
	struct core_processor *core;
	uint32_t stops_taken; /* NMIs that it has sent, and that have come */

	/* Events: nmi.c. */
	bool nmi_pending, nmi_blocked; /* blocked: from delivery to IRET */
	bool shadow; /* STI or MOV SS: neither interrupts nor NMIs before the next instruction
		      * ends */
	bool pass_interrupt; /* an intercepted interrupt is to reach the guest at the next entry */
	bool halted;         /* in HLT at halt_rip; vmcb->rip is past it */
	uint64_t halt_rip;
	uint64_t soft_rip; /* the INT n whose event is being delivered; 0: none is */

	/* Other processors: startup.c, apic_store.c. */
	unsigned index;
	uint32_t apic_id;
	bool online;   /* it runs under the visor: what it does not see is the real APIC's */
	bool waiting;  /* for a SIPI */
	uint32_t mail; /* MAIL_*: written by other processors */
	uint32_t sipi; /* the last SIPI's vector: written by other processors */
	/* NMIs from other processors to have their mail checked: counts before and after sending,
	 * written by them; and the number taken. */
	uint32_t kicks_begun, kicks_done, kicks_taken;
	uint32_t ldr, dfr; /* how the guest has set its APIC's logical id: read by others */
	struct host_events *host_events;
	struct nested_tables *nested;
	uint8_t *apic_shadow; /* a page that takes the guest's write to its APIC */
	bool storing;         /* the instruction being stepped writes to it, */
	bool loading;         /* or reads of it */
	unsigned store_offset;

	/* This run: exits.c. */
	bool step_over;  /* run just the instruction at RIP, which an intercept reported */
	bool stepping;   /* at most one instruction runs */
	bool precise;    /* without the stopwatch: the step ends by the trap flag or an NMI */
	bool delivering; /* it starts with the delivery of an event: the ring may change first */
	uint8_t entry_cpl;
	uint64_t entry_rip;
	/* the stepped-over instruction is the IRET that ends an NMI handler */
	bool step_unblocks;
	bool counts;          /* some counter counts now */
	uint8_t needs;        /* enum core_needs of all that was counted so far */
	bool steps;           /* every instruction is stepped now */
	bool split_rings;     /* some counter counts in one ring only */
	bool splits;          /* the rings are separated by intercepts now */
	bool syscall_enabled; /* the guest's EFER.SCE */

	/* Last branch records: branches.c. */
	bool records;      /* branches are recorded now */
	bool gap;          /* some were not seen since the last record */
	bool whole_window; /* stepped since the last PMI, from a gap on */
	uint32_t window;   /* instructions before an overflow that are stepped */

	/* Processor Trace: trace.c. */
	bool traces; /* TraceEn is set */
	uint64_t traced_cr3;
	uint8_t stores; /* the branch trace store is on: enum model_ring; store.c */
	struct pt pt;

	/* The instruction being stepped: exact.c. */
	uint64_t insn_rip;
	struct insn insn;
	uint64_t injected; /* the event that its step began with; 0: none */
	struct code_page code_page;
	bool trapping;    /* the step ends by the trap flag, not by the stopwatch */
	bool guest_traps; /* by the guest's own */
	uint8_t opcode;   /* of a precise step */
	bool self_nmi;    /* it ends by an NMI that the visor sent itself */
	uint64_t guest_dr6;

	uint64_t apic_base;            /* IA32_APIC_BASE as the guest sees it */
	uint32_t eilvt[EILVT_ENTRIES]; /* the extended LVT: eilvt.c */
	uint64_t host_cr0, host_cr4;   /* the values that host_follow() set */
	struct options options;
	struct model model;
	struct quirk_state quirks;
	uint8_t *msr_permissions;
	struct predictor predictor; /* last: the members used at every entry are close together */
};

#define VCPU_OFFSET(member, offset) \
	_Static_assert(offsetof(struct vcpu, member) == (offset), "layout.inc")
VCPU_OFFSET(gpr, 0x00);
VCPU_OFFSET(vmcb, 0x80);
VCPU_OFFSET(tsc_in, 0x88);
VCPU_OFFSET(tsc_out, 0x90);
VCPU_OFFSET(tsc_bias, 0x98);
VCPU_OFFSET(hpet_bias, 0xa0);
VCPU_OFFSET(hpet_delta, 0xa8);
VCPU_OFFSET(comparator, 0xb0);
VCPU_OFFSET(sled, 0xb8);
VCPU_OFFSET(tsc_slot, 0xc0);

/* run.asm */
void run_guest(struct vcpu *vcpu);
extern const char run_sled_end[];

/* The state in which become_guest()'s caller continues: run.asm fills it. */
struct guest_start {
	uint64_t rsp, rip;
};
_Static_assert(offsetof(struct guest_start, rsp) == 0, "run.asm");
_Static_assert(offsetof(struct guest_start, rip) == 8, "run.asm");

typedef void become_host(void *argument, const struct guest_start *start);
void become_guest(become_host *code, uint64_t stack, void *argument);
uint64_t write_device_timed(uint64_t address, uint32_t value);

#endif
