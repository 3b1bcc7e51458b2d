/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue of timers on a machine whose hypervisor takes time that the clock does not show: an
 * interrupted program makes progress, however much time that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kernel/time/timer.c"

#define PERIOD 10000  /* ns, of a clock that samples as often as it may */
#define WORK   5000   /* of a sample */
#define LOOK   100    /* of a look at the clock */
#define LONG   100000 /* a machine with this many interrupts hangs */

static struct {
	struct cpu cpu;
	uint64_t now, after; /* the hardware's timer, 0: off */
	uint64_t hidden;     /* of each interrupt */
	uint64_t fired;
	irq_handler *interrupt;
} machine;

struct cpu *this_cpu(void)
{
	return &machine.cpu;
}

uint64_t clock_ns(void)
{
	return machine.now += LOOK;
}

uint64_t irq_save(void)
{
	return 0;
}

void irq_restore(uint64_t flags)
{
	(void)flags;
}

void apic_timer_oneshot(uint64_t ns)
{
	machine.after = ns;
}

void apic_self_ipi(uint8_t vector)
{
	(void)vector;
}

void irq_register(uint8_t vector, irq_handler *handler)
{
	if (vector == VECTOR_TIMER)
		machine.interrupt = handler;
}

void remote_call(uint32_t cpu, remote_fn *fn, void *argument)
{
	(void)cpu;
	fn(argument);
}

uint32_t nr_cpus = 1;

static void sample(struct timer *timer, struct frame *frame)
{
	(void)frame;
	machine.fired++;
	machine.now += WORK;
	timer_arm(timer, timer->deadline_ns + PERIOD > machine.now ? timer->deadline_ns + PERIOD
								   : machine.now + 1);
}

/* Runs a program under the timer's interrupts for `ns` of the clock. Returns what it had of
 * them. */
static uint64_t run(uint64_t ns)
{
	uint64_t end = machine.now + ns, had = 0;

	for (unsigned i = 0; machine.now < end && i < LONG; i++) {
		uint64_t left = machine.after > machine.hidden ? machine.after - machine.hidden : 0;

		had += left;
		machine.now += left;
		machine.interrupt(NULL);
	}
	return had;
}

static void start(struct timer *timer)
{
	static const struct timer_queue none;

	queues[0] = none;
	machine.now = 1000000;
	machine.fired = 0;
	timers_init();
	timer_init(timer, sample);
	timer_arm(timer, machine.now + PERIOD);
}

static void test_progress(void **state)
{
	static const uint64_t hidden[] = {0, 500, 1500, 5000, 15000, 40000, 90000};
	struct timer timer;

	(void)state;
	for (unsigned i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		machine.hidden = hidden[i];
		start(&timer);
		run(1000000);
		assert_in_range(run(10000000), 3300000, 7000000);
		assert_in_range(machine.fired, 300, 1200);
	}
}

/* Time that is no longer hidden delays timers once, and not for long. */
static void test_end_of_hiding(void **state)
{
	struct timer timer;

	(void)state;
	machine.hidden = 40000;
	start(&timer);
	run(10000000);
	machine.hidden = 0;
	run(1000000);
	machine.fired = 0;
	run(1000000);
	assert_in_range(machine.fired, 60, 110);
}

/* Time hidden before a quiet period does not delay the first timer after it. */
static void test_quiet_time(void **state)
{
	struct timer timer;

	(void)state;
	machine.hidden = 40000;
	start(&timer);
	run(10000000);
	timer_cancel(&timer);
	timer_arm(&timer, machine.now + PERIOD);
	assert_in_range(machine.after, 2 * PERIOD, 100000);
	timer_cancel(&timer);
	machine.now += 2000000;
	timer_arm(&timer, machine.now + PERIOD);
	assert_in_range(machine.after, PERIOD - 10 * LOOK, PERIOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_progress),
	    cmocka_unit_test(test_end_of_hiding),
	    cmocka_unit_test(test_quiet_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
