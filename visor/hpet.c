/* SPDX-License-Identifier: BSD-2-Clause */
/* The HPET as the stopwatch of hpet.h. IA-PC HPET specification 1.0a; QEMU's hw/timer/hpet.c for
 * its exact arithmetic. */
#include "visor/hpet.h"

#include "visor/console.h"
#include "visor/cpu.h"
#include "visor/host.h"

#define HPET_ID       (HPET_BASE + 0x000)
#define HPET_PERIOD   (HPET_BASE + 0x004)
#define HPET_CONFIG   (HPET_BASE + 0x010)
#define HPET_COUNTER  (HPET_BASE + 0x0f0)
#define TIMER(n)      (HPET_BASE + 0x100 + 0x20 * (n))
#define TIMER_CONFIG  0x00
#define TIMER_COMPARE 0x08
#define TIMER_MESSAGE 0x10

#define ID_LAST_TIMER(id) ((id) >> 8 & 0x1f)
#define PERIOD_10NS       10000000 /* femtoseconds */
#define CONFIG_ENABLE     (1u << 0)
#define TIMER_ENABLE      (1u << 2)
#define TIMER_FSB         (1u << 14)
#define TIMER_FSB_CAPABLE (1u << 15)
#define MESSAGE_NMI       0x400
#define MESSAGE_ADDRESS   0xfee00000u

#define TICK_NS 10
/* Instructions that certainly suffice from the last look at the clock to the write of the
 * comparator. */
#define AIM_LATENCY 400
/* The comparator's upper half is written once for so many ticks; no deadline crosses their end. */
#define EPOCH_TICKS  (1ull << 32)
#define EPOCH_MARGIN 1000

static uint64_t timer; /* its registers */
static uint64_t epoch; /* what the comparator's upper half holds */

/* Both halves of the comparator, with the timer off: half a comparator would fire at once. */
static void begin_epoch(uint64_t number)
{
	epoch = number;
	cpu_write_device(timer + TIMER_CONFIG, TIMER_FSB);
	cpu_write_device(timer + TIMER_COMPARE + 4, (uint32_t)epoch);
	cpu_write_device(timer + TIMER_COMPARE, ~0u);
	cpu_write_device(timer + TIMER_CONFIG, TIMER_FSB | TIMER_ENABLE);
}

void hpet_setup(struct vcpu *vcpu)
{
	if (cpu_read_device(HPET_PERIOD) != PERIOD_10NS)
		fail("no HPET of 100 MHz here: start QEMU without hpet=off");
	timer = TIMER(ID_LAST_TIMER(cpu_read_device(HPET_ID)));
	if (!(cpu_read_device(timer + TIMER_CONFIG) & TIMER_FSB_CAPABLE))
		fail("the HPET sends no messages: start QEMU with -global hpet.msi=on");
	cpu_write_device(timer + TIMER_CONFIG, TIMER_FSB);
	cpu_write_device(timer + TIMER_MESSAGE, MESSAGE_NMI);
	cpu_write_device(timer + TIMER_MESSAGE + 4, MESSAGE_ADDRESS);
	vcpu->deadline = NEVER;
}

/* Started from 0 the counter reads the nanoseconds since the write that starts it, divided by ten.
 */
void hpet_align(struct vcpu *vcpu)
{
	uint64_t started;

	cpu_write_device(HPET_CONFIG, 0);
	cpu_write_device(HPET_COUNTER, 0);
	cpu_write_device(HPET_COUNTER + 4, 0);
	started = write_device_timed(HPET_CONFIG, CONFIG_ENABLE) + (1ull << vcpu->shift);
	vcpu->hpet_bias = (RUN_WRITE_INSTRUCTIONS << vcpu->shift) - started;
	begin_epoch(0);
}

static uint64_t tick_now(const struct vcpu *vcpu)
{
	return (cpu_rdtsc() + vcpu->hpet_bias) / TICK_NS;
}

/* An old deadline that would pass before the new one replaces it is let pass here, and its NMI
 * taken. */
static void settle(struct vcpu *vcpu)
{
	uint32_t nmis = host_nmis;

	if (vcpu->deadline == NEVER || cpu_rdtsc() + (AIM_LATENCY << vcpu->shift) < vcpu->deadline)
		return;
	while (cpu_rdtsc() <= vcpu->deadline)
		;
	cpu_take_nmi();
	vcpu->stale_nmi = host_nmis == nmis;
	vcpu->deadline = NEVER;
}

/* Ticks that a deadline may lie ahead. */
static uint64_t room(const struct vcpu *vcpu)
{
	uint64_t tick = tick_now(vcpu);

	while (tick % EPOCH_TICKS > EPOCH_TICKS - EPOCH_MARGIN)
		tick = tick_now(vcpu);
	if (tick / EPOCH_TICKS != epoch)
		begin_epoch(tick / EPOCH_TICKS);
	return EPOCH_TICKS - EPOCH_MARGIN / 2 - tick % EPOCH_TICKS;
}

static void set_sled(struct vcpu *vcpu, unsigned instructions)
{
	vcpu->sled_used = instructions;
	vcpu->sled = (uint64_t)run_sled_end - instructions;
	vcpu->tsc_bias =
	    vcpu->guest_tsc - ((RUN_ENTRY_INSTRUCTIONS + (uint64_t)instructions) << vcpu->shift);
}

/*
 * QEMU fires 10 ns times the ticks after the write, and the guest stops on the first instruction at
 * or behind that. The sled shifts the guest against the write until that is the one wanted.
 */
void hpet_aim(struct vcpu *vcpu, uint64_t instructions)
{
	uint64_t limit, distance, step = 1ull << vcpu->shift;
	unsigned sled = 0;

	settle(vcpu);
	vcpu->aimed = instructions != NEVER;
	vcpu->comparator = &vcpu->no_comparator;
	if (vcpu->aimed) {
		limit = room(vcpu);
		distance = RUN_ENTRY_INSTRUCTIONS - RUN_WRITE_INSTRUCTIONS;
		distance += instructions < limit ? instructions : limit;
		distance <<= vcpu->shift;
		while ((distance + sled * step) % TICK_NS >= step)
			sled++;
		vcpu->hpet_delta = (distance + sled * step) / TICK_NS;
		if (vcpu->hpet_delta > limit)
			vcpu->hpet_delta = limit;
		vcpu->comparator = (volatile uint32_t *)(timer + TIMER_COMPARE);
	}
	set_sled(vcpu, sled);
}

void hpet_note_exit(struct vcpu *vcpu)
{
	if (vcpu->aimed)
		vcpu->deadline = vcpu->tsc_in + (RUN_WRITE_INSTRUCTIONS << vcpu->shift) +
				 vcpu->hpet_delta * TICK_NS;
}

bool hpet_took_nmi(struct vcpu *vcpu)
{
	uint64_t exit_path = vcpu->overhead - (RUN_ENTRY_INSTRUCTIONS << vcpu->shift);
	bool ours = vcpu->tsc_out - exit_path >= vcpu->deadline;

	cpu_take_nmi();
	if (cpu_rdtsc() > vcpu->deadline)
		vcpu->deadline = NEVER;
	if (!ours && vcpu->stale_nmi) {
		vcpu->stale_nmi = false;
		return true;
	}
	return ours;
}
