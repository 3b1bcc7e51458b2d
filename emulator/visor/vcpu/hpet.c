/* SPDX-License-Identifier: BSD-2-Clause */
/* The HPET as the stopwatch of hpet.h. IA-PC HPET specification 1.0a; QEMU's hw/timer/hpet.c for
 * its exact arithmetic. How a timer stops the guest on an instruction: docs/essays.md. */
#include "emulator/visor/vcpu/hpet.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/startup.h"

#define HPET_ID       (HPET_BASE + 0x000)
#define HPET_PERIOD   (HPET_BASE + 0x004)
#define HPET_CONFIG   (HPET_BASE + 0x010)
#define HPET_COUNTER  (HPET_BASE + 0x0f0)
#define TIMER(n)      (HPET_BASE + 0x100 + 0x20 * (n))
#define TIMER_CONFIG  0x00
#define TIMER_COMPARE 0x08
#define TIMER_MESSAGE 0x10

#define ID_LAST_TIMER(id) ((id) >> 8 & 0x1f)
#define PERIOD_10NS       10000000 /* femtoseconds: HPET_PERIOD_NS of layout.inc */
#define CONFIG_ENABLE     (1u << 0)
#define TIMER_ENABLE      (1u << 2)
#define TIMER_FSB         (1u << 14)
#define TIMER_FSB_CAPABLE (1u << 15)
#define MESSAGE_NMI       0x400
#define MESSAGE_ADDRESS   0xfee00000u
#define MESSAGE_ID_SHIFT  12

/* Upper bound of the instructions from the last reading of the clock to the write of the
 * comparator. */
#define AIM_LATENCY 400
/* The comparator's upper half is written once for EPOCH_TICKS ticks; no deadline crosses their
 * end. */
#define EPOCH_TICKS  (1ull << 32)
#define EPOCH_MARGIN 1000
/* Maximum error of a tick that was computed from the TSC. */
#define CLOCK_ERROR_TICKS 100
/* Writes both halves of the comparator, with the timer off: half a comparator would fire at
 * once. */
static void begin_epoch(struct vcpu *vcpu, uint64_t number)
{
	vcpu->epoch = number;
	cpu_write_device(vcpu->timer + TIMER_CONFIG, TIMER_FSB);
	cpu_write_device(vcpu->timer + TIMER_COMPARE + 4, (uint32_t)number);
	cpu_write_device(vcpu->timer + TIMER_COMPARE, ~0u);
	cpu_write_device(vcpu->timer + TIMER_CONFIG, TIMER_FSB | TIMER_ENABLE);
}

/* Returns the registers of a processor's own timer: the last one is the first processor's. */
static uint64_t find_timer(unsigned index)
{
	unsigned last = ID_LAST_TIMER(cpu_read_device(HPET_ID));

	if (index > last)
		fail("the HPET has fewer timers than there are processors: start QEMU with -global "
		     "hpet.timers=%u",
		     index + 1);
	return TIMER(last - index);
}

void hpet_check(unsigned index)
{
	if (cpu_read_device(HPET_PERIOD) != PERIOD_10NS)
		fail("no HPET of 100 MHz here: start QEMU without hpet=off");
	if (!(cpu_read_device(find_timer(index) + TIMER_CONFIG) & TIMER_FSB_CAPABLE))
		fail("the HPET sends no messages: start QEMU with -global hpet.msi=on");
}

void hpet_setup(struct vcpu *vcpu)
{
	hpet_check(vcpu->index);
	vcpu->timer = find_timer(vcpu->index);
	cpu_write_device(vcpu->timer + TIMER_CONFIG, TIMER_FSB);
	cpu_write_device(vcpu->timer + TIMER_MESSAGE, MESSAGE_NMI);
	cpu_write_device(vcpu->timer + TIMER_MESSAGE + 4,
			 MESSAGE_ADDRESS | apic_id() << MESSAGE_ID_SHIFT);
	vcpu->deadline = vcpu->epoch = NEVER; /* no comparator is armed before the first aim */
}

uint8_t hpet_lead[HPET_TICK_NS];

/* The phase of the write in ns after that many NOPs. */
static unsigned phase_after(unsigned phase, unsigned nops, unsigned shift)
{
	return (phase + ((RUN_LEAD_INSTRUCTIONS + nops) << shift)) % HPET_TICK_NS;
}

/* Fills hpet_lead. An instruction takes 2^shift ns: with a shift the phases of one parity are not
 * brought to 0 but to 1, which the clock has after the wait for another timer's odd time. */
static void set_lead(unsigned shift)
{
	for (unsigned phase = 0; phase < HPET_TICK_NS; phase++) {
		unsigned best = 0;

		for (unsigned nops = 1; nops < HPET_TICK_NS; nops++)
			if (phase_after(phase, nops, shift) < phase_after(phase, best, shift))
				best = nops;
		hpet_lead[phase] = (uint8_t)best;
	}
}

/* The counter's value is its initial value plus the nanoseconds since the write that started it,
 * divided by ten. */
void hpet_align(struct vcpu *vcpu)
{
	uint64_t started;

	cpu_write_device(HPET_CONFIG, 0);
	cpu_write_device(HPET_COUNTER, vcpu->options.hpet);
	cpu_write_device(HPET_COUNTER + 4, 0);
	started = write_device_timed(HPET_CONFIG, CONFIG_ENABLE) + (1ull << vcpu->shift);
	vcpu->hpet_bias = (RUN_WRITE_INSTRUCTIONS << vcpu->shift) - started +
			  (uint64_t)vcpu->options.hpet * HPET_TICK_NS;
	if (vcpu->icount)
		set_lead(vcpu->shift);
}

/* Returns the main counter: computed from the TSC that it was aligned to, or read in halves. */
uint64_t hpet_now(const struct vcpu *vcpu)
{
	uint32_t high, low;

	if (!vcpu->icount) {
		do {
			high = cpu_read_device(HPET_COUNTER + 4);
			low = cpu_read_device(HPET_COUNTER);
		} while (high != cpu_read_device(HPET_COUNTER + 4));
		return (uint64_t)high << 32 | low;
	}
	return (rdtsc() + vcpu->hpet_bias) / HPET_TICK_NS;
}

/* Waits here for an old deadline that would pass before the new one replaces it, and takes its
 * NMI. */
static void settle(struct vcpu *vcpu)
{
	uint32_t nmis = vcpu->host_events->nmis;

	if (vcpu->deadline == NEVER || rdtsc() + (AIM_LATENCY << vcpu->shift) < vcpu->deadline)
		return;
	while (rdtsc() <= vcpu->deadline)
		;
	cpu_take_nmi();
	vcpu->stale_nmi = vcpu->host_events->nmis == nmis;
	vcpu->deadline = NEVER;
}

/* Returns the maximum distance of a deadline in ticks. */
static uint64_t room(struct vcpu *vcpu)
{
	uint64_t tick = hpet_now(vcpu);

	while (tick % EPOCH_TICKS > EPOCH_TICKS - EPOCH_MARGIN)
		tick = hpet_now(vcpu);
	if (tick / EPOCH_TICKS != vcpu->epoch)
		begin_epoch(vcpu, tick / EPOCH_TICKS);
	return EPOCH_TICKS - EPOCH_MARGIN / 2 - tick % EPOCH_TICKS;
}

uint64_t hpet_arm_far(struct vcpu *vcpu)
{
	begin_epoch(vcpu, hpet_now(vcpu) / EPOCH_TICKS);
	return ((vcpu->epoch + 1) * EPOCH_TICKS - 1) * HPET_TICK_NS - vcpu->hpet_bias;
}

void hpet_disarm(struct vcpu *vcpu)
{
	cpu_write_device(vcpu->timer + TIMER_CONFIG, TIMER_FSB);
	vcpu->deadline = vcpu->epoch = NEVER;
}

static void set_sled(struct vcpu *vcpu, unsigned instructions)
{
	vcpu->sled_used = instructions;
	vcpu->sled = (uint64_t)run_sled_end - instructions;
	vcpu->tsc_bias =
	    vcpu->guest_tsc - ((RUN_ENTRY_INSTRUCTIONS + (uint64_t)instructions) << vcpu->shift);
}

/*
 * QEMU fires at the comparator's tick (before 9.1: 10 ns times the ticks after the write, which is
 * at most 1 ns later, since the write follows a tick), and the guest stops on the first instruction
 * at that time or later. The sled shifts the guest relative to the write until that is the desired
 * instruction; where the write may be late, distances are even.
 */
static unsigned aim_exactly(struct vcpu *vcpu, uint64_t instructions)
{
	uint64_t limit = room(vcpu), distance, step = 1ull << vcpu->shift;
	unsigned sled = 0;

	distance = RUN_ENTRY_INSTRUCTIONS - RUN_WRITE_INSTRUCTIONS;
	distance += instructions < limit ? instructions : limit;
	distance <<= vcpu->shift;
	while ((distance + sled * step) % HPET_TICK_NS >= step)
		sled++;
	vcpu->hpet_delta = (distance + sled * step) / HPET_TICK_NS;
	if (vcpu->hpet_delta > limit)
		vcpu->hpet_delta = limit;
	vcpu->comparator = (volatile uint32_t *)(vcpu->timer + TIMER_COMPARE);
	return sled;
}

static uint64_t rough_ticks(const struct vcpu *vcpu, uint64_t instructions)
{
	unsigned __int128 ticks = (unsigned __int128)instructions * vcpu->hpet_rate;

	ticks >>= HPET_RATE_SHIFT;
	return ticks < EPOCH_TICKS ? (uint64_t)ticks : EPOCH_TICKS;
}

/*
 * Without icount QEMU's timers have a thread of their own, which may be arbitrarily late, but waits
 * while a processor writes to a device. So once a deadline is replaced its NMI either was sent, and
 * is taken here, or never will be. `now` was the tick at the TSC `at`, some time before.
 */
static void replace_deadline(struct vcpu *vcpu, uint64_t tick, uint64_t now, uint64_t at)
{
	uint64_t old = vcpu->deadline;

	vcpu->deadline = tick;
	cpu_write_device(vcpu->timer + TIMER_COMPARE, (uint32_t)tick);
	now += rough_ticks(vcpu, (rdtsc() - at) >> vcpu->shift) + CLOCK_ERROR_TICKS;
	if (old != NEVER && now >= old)
		startup_absorb_nmi(vcpu);
}

static uint64_t end_of_epoch(const struct vcpu *vcpu)
{
	return (vcpu->epoch + 1) * EPOCH_TICKS - 1;
}

/* Without icount: about when that many instructions will have been executed; `deadline` is a
 * tick. */
static void aim_roughly(struct vcpu *vcpu, uint64_t instructions)
{
	uint64_t at = rdtsc(), now, tick;

	room(vcpu);
	now = hpet_now(vcpu);
	tick = now + rough_ticks(vcpu, instructions);
	if (tick > end_of_epoch(vcpu))
		tick = end_of_epoch(vcpu);
	replace_deadline(vcpu, tick, now, at);
}

void hpet_aim(struct vcpu *vcpu, uint64_t instructions)
{
	unsigned sled = 0;

	vcpu->aimed = instructions != NEVER;
	vcpu->comparator = &vcpu->no_comparator;
	if (!vcpu->icount) {
		if (vcpu->aimed)
			aim_roughly(vcpu, instructions);
	} else {
		settle(vcpu);
		if (vcpu->aimed)
			sled = aim_exactly(vcpu, instructions);
	}
	set_sled(vcpu, sled);
}

void hpet_note_exit(struct vcpu *vcpu)
{
	if (vcpu->aimed && vcpu->icount)
		vcpu->deadline = vcpu->tsc_in + (RUN_WRITE_INSTRUCTIONS << vcpu->shift) +
				 vcpu->hpet_delta * HPET_TICK_NS;
}

/* Past the deadline, moves it to the end of the epoch so that a pending NMI cannot fire; at the end
 * of the epoch turns the timer off. */
static bool took_nmi_roughly(struct vcpu *vcpu)
{
	uint64_t at = rdtsc(), now = hpet_now(vcpu);

	if (now < vcpu->deadline)
		return false;
	if (vcpu->deadline < end_of_epoch(vcpu)) {
		replace_deadline(vcpu, end_of_epoch(vcpu), now, at);
	} else {
		cpu_write_device(vcpu->timer + TIMER_CONFIG, TIMER_FSB);
		vcpu->deadline = vcpu->epoch = NEVER;
		startup_absorb_nmi(vcpu);
	}
	return true;
}

static bool took_nmi_exactly(struct vcpu *vcpu)
{
	uint64_t exit_path = vcpu->overhead - (RUN_ENTRY_INSTRUCTIONS << vcpu->shift);
	bool ours = vcpu->tsc_out - exit_path >= vcpu->deadline;

	if (rdtsc() > vcpu->deadline)
		vcpu->deadline = NEVER;
	if (!ours && vcpu->stale_nmi) {
		vcpu->stale_nmi = false;
		return true;
	}
	return ours;
}

bool hpet_took_nmi(struct vcpu *vcpu)
{
	cpu_take_nmi();
	return vcpu->icount ? took_nmi_exactly(vcpu) : took_nmi_roughly(vcpu);
}
