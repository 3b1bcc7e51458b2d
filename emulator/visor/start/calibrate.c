/* SPDX-License-Identifier: BSD-2-Clause */
/* Calibration, with a guest of a few known instructions (the end of run.asm). */
#include "emulator/visor/base/options.h"
#include "emulator/visor/start/calibrate.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/exit/exits.h"
#include "emulator/visor/vcpu/hpet.h"

#define PROBE_NOPS  256
#define WARM_UP     5
#define LOOP_ROUNDS 200000
#define LOOPS       8
#define CHECK_STOPS 24
#define HPET_KHZ    100000

extern const char probe_rdtsc[], probe_vmmcall[], probe_nops[], probe_loop[], probe_halt[];

#define FLAT_CODE 0xa9b
#define FLAT_DATA 0xc93

static void prepare_probe(struct vmcb *vmcb)
{
	struct vmcb_segment data = {
	    .selector = cpu_read_ss(), .attributes = FLAT_DATA, .limit = ~0u};

	vmcb->intercept1 = INTERCEPT_NMI;
	vmcb->intercept_exceptions = 0;
	vmcb->event = 0;
	vmcb->ss = vmcb->ds = vmcb->es = data;
	vmcb->cs =
	    (struct vmcb_segment){.selector = cpu_read_cs(), .attributes = FLAT_CODE, .limit = ~0u};
	vmcb->cpl = 0;
	vmcb->efer = rdmsr(MSR_EFER);
	vmcb->cr0 = read_cr0();
	vmcb->cr3 = read_cr3();
	vmcb->cr4 = read_cr4();
	vmcb->rflags = RFLAGS_FIXED;
	vmcb->dr6 = DR6_RESET;
	vmcb->dr7 = DR7_RESET;
	vmcb->nested_control = 0; /* the probe is in memory that the guest will not see */
}

/* Runs the probe from `start` to its VMMCALL, or until it is stopped after `limit` instructions;
 * returns the TSC ticks. */
static uint64_t probe(struct vcpu *vcpu, const char *start, uint64_t limit)
{
	vcpu->vmcb->rip = (uint64_t)start;
	hpet_aim(vcpu, limit);
	visor_run(vcpu);
	return vcpu->tsc_out - vcpu->tsc_in;
}

static unsigned measure_shift(struct vcpu *vcpu)
{
	uint64_t ticks = probe(vcpu, probe_nops, NEVER) - vcpu->overhead;

	for (unsigned shift = 0; shift <= ICOUNT_MAX; shift++)
		if (ticks == (uint64_t)PROBE_NOPS << shift)
			return shift;
	return ICOUNT_MAX + 1;
}

/* Checks that the stopwatch stops at every instruction, at every phase of the HPET's ten
 * nanoseconds. */
static bool stops_exactly(struct vcpu *vcpu)
{
	for (uint64_t limit = 1; limit <= CHECK_STOPS; limit++) {
		probe(vcpu, probe_nops, limit);
		if (vcpu->vmcb->exit_code != EXIT_NMI || !hpet_took_nmi(vcpu) ||
		    vcpu->vmcb->rip != (uint64_t)probe_nops + limit)
			return false;
	}
	return true;
}

/* Measures the TSC ticks per instruction, as a power of two, and the HPET's rate relative to the
 * TSC. The fastest of several loops was disturbed least by the host. */
static void estimate(struct vcpu *vcpu)
{
	uint64_t start = hpet_now(vcpu), first = rdtsc(), best = NEVER, elapsed, ticks;

	for (unsigned i = 0; i < LOOPS; i++) {
		uint64_t took;

		vcpu->gpr[RCX] = LOOP_ROUNDS;
		took = probe(vcpu, probe_loop, NEVER);
		if (took < best)
			best = took;
	}
	ticks = hpet_now(vcpu) - start;
	elapsed = rdtsc() - first;
	vcpu->tsc_khz = (uint32_t)(elapsed * HPET_KHZ / ticks);
	while (vcpu->shift < ICOUNT_MAX && best >> (vcpu->shift + 1) > 2 * LOOP_ROUNDS)
		vcpu->shift++;
	vcpu->hpet_rate = (ticks << (HPET_RATE_SHIFT + vcpu->shift)) / elapsed;
}

static void check_shift(const struct options *options, unsigned shift)
{
	if (options->icount != ICOUNT_UNKNOWN && options->icount != (int)shift)
		fail("icount=%u, but QEMU runs with -icount shift=%u", (unsigned)options->icount,
		     shift);
}

static void calibrate_exactly(struct vcpu *vcpu, unsigned shift)
{
	check_shift(&vcpu->options, shift);
	vcpu->icount = true;
	vcpu->shift = shift;
	vcpu->tsc_khz = NANOSECOND_KHZ;
	hpet_align(vcpu);
	if (!stops_exactly(vcpu))
		fail("QEMU's timers do not stop on the instruction here: this is not an "
		     "accelerator that the visor knows");
}

static void calibrate_roughly(struct vcpu *vcpu)
{
	if (vcpu->options.icount != ICOUNT_UNKNOWN)
		fail("icount=%u, but QEMU runs without -icount", (unsigned)vcpu->options.icount);
	hpet_align(vcpu);
	estimate(vcpu);
	vcpu->tsc_slot = &vcpu->no_offset;
}

void calibrate(struct vcpu *vcpu)
{
	unsigned shift;

	prepare_probe(vcpu->vmcb);
	vcpu->overhead = NEVER;
	for (unsigned i = 0; i < WARM_UP; i++) {
		uint64_t ticks = probe(vcpu, probe_vmmcall, NEVER);

		if (ticks < vcpu->overhead)
			vcpu->overhead = ticks;
	}
	shift = measure_shift(vcpu);
	if (shift <= ICOUNT_MAX && !vcpu->options.turns)
		calibrate_exactly(vcpu, shift);
	else
		calibrate_roughly(vcpu);
}

void calibrate_like(struct vcpu *vcpu, const struct vcpu *other)
{
	vcpu->icount = other->icount;
	vcpu->shift = other->shift;
	vcpu->hpet_rate = other->hpet_rate;
	vcpu->tsc_khz = other->tsc_khz;
	vcpu->overhead = other->overhead;
	vcpu->tsc_slot = &vcpu->no_offset;
}

void calibrate_wait(struct vcpu *vcpu)
{
	prepare_probe(vcpu->vmcb);
	vcpu->vmcb->interrupt_control = INT_CONTROL_MASKING;
	probe(vcpu, probe_halt, NEVER);
	cpu_take_nmi();
}
