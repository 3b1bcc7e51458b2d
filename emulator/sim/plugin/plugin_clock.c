/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Under -icount QEMU's virtual clock is a bias plus the instructions that were executed. The bias
 * is moved so that the clock advances by a core's cycles. Timers of the machine stay where they
 * are; the HPET's, the visor's stopwatch, count instructions and move with the clock
 * (QEMU: softmmu/timers-state.h, softmmu/icount.c, util/qemu-timer.c, include/hw/core/cpu.h).
 */
#include "emulator/sim/plugin/plugin_clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "abi/qemu_versions.h"
#include "emulator/sim/memory/moves.h"
#include "emulator/sim/plugin/qemu/stop.h"

/* Between two looks at the core, in cycles; near a timer's time the clock is looked at earlier. */
#define LOOK_CYCLES 500
#define LOOK_SHARE  8 /* of the time to the next timer: no core is faster in instructions */

/* By how many cycles a processor may be ahead of others: while all of them wait for one line, and
 * for each instruction of a turn. */
#define AHEAD_SHARING 3000
#define AHEAD_CYCLES  10

#define CHECK_INSTRUCTIONS 64 /* from the visor's look at the clock to ours */
#define CHECK_NS           200
#define STOPWATCHES        (2 * CORE_PROCESSORS)

/* Where things are inside QEMU, in bytes. */
struct layout {
	unsigned shift, bias, icount;    /* of timers_state */
	unsigned budget, extra, counter; /* of a processor */
	unsigned lock, timers;           /* of a list of timers, */
	unsigned lists;                  /* and of main_loop_tlg the virtual clock's list */
};

/* One row for each of qemu_clock_versions, in the same order. */
static const struct layout layouts[] = {
    {.shift = 0x1a,
     .bias = 0x28,
     .icount = 0x40,
     .budget = 0xe0,
     .extra = 0xe8,
     .counter = 0x13a0,
     .lock = 8,
     .timers = 56,
     .lists = 8},
    {.shift = 0x1a,
     .bias = 0x28,
     .icount = 0x40,
     .budget = 0xd8,
     .extra = 0xe0,
     .counter = 0x2bb8,
     .lock = 8,
     .timers = 56,
     .lists = 8},
};

_Static_assert(sizeof(layouts) / sizeof(layouts[0]) == QEMU_CLOCK_VERSIONS, "a row a version");

/* The begin of QEMU's struct of a timer. */
struct timer {
	int64_t expires;
	void *list;
	void (*callback)(void *);
	void *argument;
	struct timer *next;
};

struct CPUState;

static struct {
	const struct layout *layout;
	char *state;
	char **lists;
	struct CPUState *(*get_cpu)(int index);
	const char *cpus[CORE_PROCESSORS];
	void (*stopwatch)(void *); /* the callback of the HPET's timers; NULL: not known */
	int64_t given;             /* the latest time that a processor has read */
} qemu;

static int64_t word_at(const char *place, unsigned offset)
{
	int64_t word;

	memcpy(&word, place + offset, sizeof(word));
	return word;
}

static uint16_t half_at(const char *place, unsigned offset)
{
	uint16_t half;

	memcpy(&half, place + offset, sizeof(half));
	return half;
}

void plugin_clock_setup(const char *version)
{
	for (size_t i = 0; i < QEMU_CLOCK_VERSIONS; i++)
		if (!strcmp(version, qemu_clock_versions[i]))
			qemu.layout = &layouts[i];
	qemu.state = dlsym(RTLD_DEFAULT, "timers_state");
	qemu.lists = dlsym(RTLD_DEFAULT, "main_loop_tlg");
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
}

static int64_t bias(void)
{
	return word_at(qemu.state, qemu.layout->bias);
}

/* Other threads of QEMU's may read it. */
static void set_bias(int64_t value)
{
	__atomic_store_n((int64_t *)(void *)(qemu.state + qemu.layout->bias), value,
			 __ATOMIC_RELAXED);
}

static unsigned shift(void)
{
	return half_at(qemu.state, qemu.layout->shift);
}

/* Returns the clock in ns; `waiting` instructions that QEMU has counted have not run. */
static int64_t clock_ns(unsigned vcpu, unsigned waiting)
{
	const char **cpu = &qemu.cpus[vcpu % CORE_PROCESSORS];
	int64_t executed;

	if (!*cpu)
		*cpu = (const char *)qemu.get_cpu((int)vcpu);
	executed = word_at(qemu.state, qemu.layout->icount) + word_at(*cpu, qemu.layout->budget) -
		   word_at(*cpu, qemu.layout->extra) - half_at(*cpu, qemu.layout->counter);
	return bias() + ((executed - waiting) << shift());
}

uint64_t plugin_clock_now(unsigned vcpu, unsigned waiting)
{
	if (!qemu.layout || !qemu.state || !qemu.get_cpu)
		return 0;
	return (uint64_t)clock_ns(vcpu, waiting);
}

/* ---- timers ---- */

static char *lock_timers(void)
{
	char *list = *(char **)((char *)qemu.lists + qemu.layout->lists);

	pthread_mutex_lock((pthread_mutex_t *)(void *)(list + qemu.layout->lock));
	return list;
}

static void unlock_timers(char *list)
{
	pthread_mutex_unlock((pthread_mutex_t *)(void *)(list + qemu.layout->lock));
}

static struct timer **first_timer(char *list)
{
	return (struct timer **)(void *)(list + qemu.layout->timers);
}

/* When the first timer but the stopwatch's is due; INT64_MAX: there is none. */
static int64_t next_timer(void)
{
	char *list = lock_timers();
	const struct timer *timer = *first_timer(list);
	int64_t expires;

	while (timer && timer->callback == qemu.stopwatch)
		timer = timer->next;
	expires = timer ? timer->expires : INT64_MAX;
	unlock_timers(list);
	return expires;
}

/* Takes the stopwatch's timers off the list, as many as there is room for. Returns the number. */
static unsigned take_stopwatches(struct timer **at, struct timer *taken[STOPWATCHES])
{
	unsigned nr = 0;

	while (*at && nr < STOPWATCHES) {
		struct timer *timer = *at;

		if (timer->callback == qemu.stopwatch) {
			taken[nr++] = timer;
			*at = timer->next;
		} else {
			at = &timer->next;
		}
	}
	return nr;
}

/* QEMU keeps the list in the order of time; of two at the same time the older one comes first. */
static void put_timer(struct timer **at, struct timer *timer)
{
	while (*at && (*at)->expires <= timer->expires)
		at = &(*at)->next;
	timer->next = *at;
	*at = timer;
}

static void move_stopwatches(int64_t by)
{
	struct timer *taken[STOPWATCHES];
	char *list = lock_timers();
	unsigned nr = take_stopwatches(first_timer(list), taken);

	for (unsigned i = 0; i < nr; i++) {
		taken[i]->expires += by;
		put_timer(first_timer(list), taken[i]);
	}
	unlock_timers(list);
}

static bool is_near(int64_t a, int64_t b, int64_t most)
{
	return a - b <= most && b - a <= most;
}

/* Whether just one timer fires then; it is the stopwatch's. */
static bool find_stopwatch(int64_t expires)
{
	char *list = lock_timers();
	unsigned nr = 0;

	for (const struct timer *t = *first_timer(list); t; t = t->next)
		if (is_near(t->expires, expires, CHECK_NS)) {
			qemu.stopwatch = t->callback;
			nr++;
		}
	unlock_timers(list);
	if (nr != 1)
		qemu.stopwatch = NULL;
	return nr == 1;
}

bool plugin_clock_check(unsigned vcpu, const struct core_page *page)
{
	if (!qemu.layout || !qemu.state || !qemu.lists || !qemu.get_cpu || !plugin_can_stop())
		return false;
	return is_near(clock_ns(vcpu, 0), (int64_t)page->clock_now,
		       (int64_t)CHECK_INSTRUCTIONS << shift()) &&
	       (!page->clock_fires || find_stopwatch((int64_t)page->clock_fires));
}

/* ---- the guest ---- */

bool plugin_clock_reads(const uint8_t *code, size_t bytes)
{
	static const uint8_t rdtsc[] = {0x0f, 0x31}, rdtscp[] = {0x0f, 0x01, 0xf9};

	return (bytes == sizeof(rdtsc) && !memcmp(code, rdtsc, bytes)) ||
	       (bytes == sizeof(rdtscp) && !memcmp(code, rdtscp, bytes));
}

static void move_clock(int64_t by)
{
	if (!by)
		return;
	set_bias(bias() + by);
	move_stopwatches(by);
}

void plugin_clock_move(unsigned vcpu, int64_t by)
{
	move_clock(by);
	if (by > 0 && next_timer() <= clock_ns(vcpu, 0))
		plugin_end_turn(vcpu);
}

static int64_t time_of(const struct processor *p)
{
	return p->clock.start + (int64_t)core_time(p->core);
}

static void start_at(struct processor *p, int64_t now)
{
	p->clock.start = now - (int64_t)core_time(p->core);
	core_start_clock(p->core, p->clock.start);
}

/* The first guest of all begins: from now on each processor has its time. */
static void start_clocks(int64_t now)
{
	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		start_at(&plugin.processors[i], now);
		plugin.processors[i].clock.on = true;
		plugin.processors[i].waits = CODE_HALTS;
	}
	plugin.turn_until = INT64_MAX;
	plugin.moves->clocked = true;
}

static void enter_in_turn(struct processor *p, unsigned vcpu, const struct code_block *block)
{
	if (plugin.page->has_clock && !p->clock.on)
		start_clocks(clock_ns(vcpu, block->counted));
	p->waits = block->waits;
	p->clock.due = 0;
	plugin_clock_block(p, vcpu, block);
}

/* The times of the other processors that make progress. */
struct others {
	int64_t least, most; /* INT64_MAX, INT64_MIN: there are none */
};

static struct others find_others(const struct processor *p)
{
	struct others others = {INT64_MAX, INT64_MIN};

	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		const struct processor *other = &plugin.processors[i];
		int64_t time = time_of(other);

		if (other == p || other->waits != CODE_GOES_ON)
			continue;
		if (time < others.least)
			others.least = time;
		if (time > others.most)
			others.most = time;
	}
	return others;
}

static void wait_until(struct processor *p, int64_t time)
{
	if (time_of(p) < time)
		core_wait(p->core, (uint64_t)(time - time_of(p)));
}

void plugin_clock_turn(struct processor *p, unsigned vcpu, unsigned waiting, unsigned instructions)
{
	struct others others;
	int64_t now;

	if (!p->clock.on)
		return;
	others = find_others(p);
	now = clock_ns(vcpu, waiting);
	if (p->waits == CODE_HALTS && time_of(p) < now)
		start_at(p, now);
	else if (p->waits == CODE_PAUSES && others.least != INT64_MAX)
		wait_until(p, others.least);
	if (instructions < plugin.words.turn && others.most != INT64_MIN)
		wait_until(p, others.most - 2 * AHEAD_SHARING);
	set_bias(bias() + time_of(p) - now);
	p->clock.due = 0;
	plugin.turn_until = INT64_MAX;
	if (others.least != INT64_MAX)
		plugin.turn_until =
		    others.least + AHEAD_SHARING + (int64_t)instructions * AHEAD_CYCLES;
	p->clock.ahead = time_of(p) > plugin.turn_until;
}

void plugin_clock_enter(struct processor *p, unsigned vcpu, const struct code_block *block)
{
	struct clock *clock = &p->clock;

	if (plugin.words.turn) {
		if (plugin.moves)
			enter_in_turn(p, vcpu, block);
		return;
	}
	clock->on = plugin.page->has_clock && p->page->timing;
	if (!clock->on)
		return;
	clock->moved = 0;
	if (!clock->was_on)
		clock->synced = core_time(p->core);
	clock->start = clock_ns(vcpu, block->counted) - (int64_t)clock->synced;
	clock->due = 0;
	plugin_clock_block(p, vcpu, block);
}

void plugin_clock_follow(struct processor *p, unsigned vcpu, unsigned waiting)
{
	struct clock *clock = &p->clock;
	int64_t now = clock->start + (int64_t)core_time(p->core), left = next_timer() - now,
		by = now - clock_ns(vcpu, waiting);

	move_clock(by);
	clock->moved += by;
	if (left <= 0) {
		plugin_end_turn(vcpu);
		if (now > qemu.given) /* whom the timer interrupts must find it due */
			qemu.given = now;
	}
	clock->ahead = plugin.words.turn && now > plugin.turn_until;
	left = left < 0 ? LOOK_CYCLES : left / LOOK_SHARE >> shift();
	clock->due = core_time(p->core) + (uint64_t)(left < LOOK_CYCLES ? left : LOOK_CYCLES);
}

void plugin_clock_read(struct processor *p, unsigned vcpu)
{
	if (plugin.words.turn) {
		if (time_of(p) < qemu.given)
			start_at(p, qemu.given);
		qemu.given = time_of(p);
	}
	plugin_clock_follow(p, vcpu, 0);
}

void plugin_clock_sync(struct processor *p)
{
	struct clock *clock = &p->clock;
	uint64_t now = core_time(p->core);

	if (plugin.words.turn)
		return;
	clock->was_on = clock->on;
	clock->on = false;
	if (!clock->was_on)
		return;
	p->page->elapsed = (int64_t)(now - clock->synced);
	p->page->moved = clock->moved;
	clock->synced = now;
}
