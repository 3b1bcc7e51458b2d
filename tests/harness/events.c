/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives of events under ASan and UBSan: opened, grouped, mapped, read, switched, inherited and
 * closed in any order, on every personality, with rings that the program writes to. Afterwards
 * nothing is held.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>
#include "emulator/visor/model/model.h"
#include "kernel/mem/account.h"
#include "pmu/core/core.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"

#define SLOTS     12
#define MOST_KIDS 10
#define PAGE      4096

struct slot {
	int fd; /* -1: free */
	uint64_t pages;
	uint64_t *ring;
};

static struct slot slots[SLOTS];
static struct task *tasks[MOST_KIDS + 1];
static bool gone[MOST_KIDS + 1];
static unsigned nr_tasks;

static struct slot *some_slot(struct bytes *in)
{
	return &slots[take_one_of(in, SLOTS)];
}

/* A slot's descriptor, or -1. */
static int some_fd(struct bytes *in)
{
	return some_slot(in)->fd;
}

static unsigned current_index(void)
{
	unsigned i = 0;

	while (tasks[i] != current_task())
		i++;
	return i;
}

/* A living task other than the current one, or NULL. */
static struct task *some_other(struct bytes *in)
{
	unsigned start = take_one_of(in, nr_tasks);

	for (unsigned i = 0; i < nr_tasks; i++) {
		unsigned n = (start + i) % nr_tasks;

		if (!gone[n] && n != current_index())
			return tasks[n];
	}
	return NULL;
}

/* Types and configurations that exist, and with 15 some that do not. */
static void choose_event(struct bytes *in, struct perf_event_attr *attr)
{
	unsigned choice = take_one_of(in, 16);

	attr->type = choice < 6    ? PERF_TYPE_HARDWARE
		     : choice < 10 ? PERF_TYPE_SOFTWARE
		     : choice < 12 ? PERF_TYPE_RAW
				   : PERF_TYPE_HW_CACHE;
	attr->config = take(in, attr->type == PERF_TYPE_RAW ? 4 : 1);
	if (attr->type == PERF_TYPE_HARDWARE)
		attr->config %= PERF_COUNT_HW_MAX;
	if (attr->type == PERF_TYPE_SOFTWARE)
		attr->config %= PERF_COUNT_SW_MAX;
	if (choice == 15)
		attr->type = (uint32_t)take(in, 4);
}

static void choose_attr(struct bytes *in, struct perf_event_attr *attr)
{
	uint64_t flags;

	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	choose_event(in, attr);
	attr->sample_type = take(in, 4) & (PERF_SAMPLE_MAX - 1);
	attr->read_format = take(in, 1) & (PERF_FORMAT_MAX - 1);
	flags = take(in, 5);
	memcpy(&attr->read_format + 1, &flags,
	       sizeof(flags)); /* the bit field that starts with `disabled` */
	attr->sample_period = take(in, 2);
	attr->wakeup_events = (uint32_t)take(in, 1);
	attr->sample_max_stack = (uint16_t)take(in, 1);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = take(in, 3) & (PERF_SAMPLE_BRANCH_MAX - 1);
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = take(in, 3);
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = take(in, 3);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = (uint32_t)take(in, 2) & ~7u;
	attr->config1 = take(in, 1);
	attr->sig_data = take(in, 1);
}

static void do_open(struct bytes *in)
{
	struct slot *slot = some_slot(in);
	struct perf_event_attr attr;
	unsigned who = take_one_of(in, 8);
	int group = take_one_of(in, 2) ? some_fd(in) : -1;
	int pid = who < 4 ? 0 : who < 6 ? tasks[take_one_of(in, nr_tasks)]->pid : -1;
	int cpu = pid == -1 || take_one_of(in, 4) == 0 ? 0 : -1;
	int fd;

	choose_attr(in, &attr);
	if (slot->fd >= 0)
		return;
	fd = fake_open(&attr, pid, cpu, group, take(in, 1) & 0xf);
	slot->fd = fd < 0 ? -1 : fd;
}

static void close_slot(struct slot *slot)
{
	if (slot->ring)
		fake_munmap(slot->fd, slot->ring);
	if (slot->fd >= 0)
		fake_close(slot->fd);
	*slot = (struct slot){.fd = -1};
}

static void do_close(struct bytes *in)
{
	close_slot(some_slot(in));
}

static const unsigned commands[] = {
    PERF_EVENT_IOC_ENABLE,       PERF_EVENT_IOC_DISABLE,   PERF_EVENT_IOC_REFRESH,
    PERF_EVENT_IOC_RESET,        PERF_EVENT_IOC_PERIOD,    PERF_EVENT_IOC_SET_OUTPUT,
    PERF_EVENT_IOC_SET_FILTER,   PERF_EVENT_IOC_ID,        PERF_EVENT_IOC_SET_BPF,
    PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_QUERY_BPF, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
};

static void do_ioctl(struct bytes *in)
{
	static struct perf_event_attr attr;
	static uint64_t word;
	unsigned command = commands[take_one_of(in, sizeof(commands) / sizeof(*commands))];
	uint64_t argument = take(in, 1);
	int fd = some_fd(in);

	if (fd < 0)
		return;
	word = take(in, 2);
	if (command == PERF_EVENT_IOC_PERIOD || command == PERF_EVENT_IOC_ID)
		argument = (uint64_t)&word;
	else if (command == PERF_EVENT_IOC_MODIFY_ATTRIBUTES)
		choose_attr(in, &attr), argument = (uint64_t)&attr;
	else if (command == PERF_EVENT_IOC_SET_OUTPUT)
		argument = (uint64_t)(int64_t)some_fd(in);
	else if (command == PERF_EVENT_IOC_SET_FILTER || command == PERF_EVENT_IOC_QUERY_BPF)
		argument = 0; /* the fake kernel believes every other address */
	fake_ioctl(fd, command, argument);
}

static void do_read(struct bytes *in)
{
	static uint64_t buffer[1024];
	int fd = some_fd(in);
	uint64_t size = take_one_of(in, 2) ? take(in, 1) : sizeof(buffer);

	if (fd >= 0)
		fake_read(fd, buffer, size);
}

static void do_map(struct bytes *in)
{
	struct slot *slot = some_slot(in);
	uint64_t pages = 1 + (1u << take_one_of(in, 5));
	bool writable = take_one_of(in, 3);
	int error;

	if (slot->fd < 0 || slot->ring)
		return;
	slot->ring =
	    fake_mmap(slot->fd, take_one_of(in, 8) ? pages : take(in, 1), writable, &error);
	slot->pages = pages;
}

static void do_unmap(struct bytes *in)
{
	struct slot *slot = some_slot(in);

	if (slot->ring)
		fake_munmap(slot->fd, slot->ring);
	slot->ring = NULL;
}

/* The program writes what it likes to its user page and its records. */
static void do_scribble(struct bytes *in)
{
	struct slot *slot = some_slot(in);
	size_t word = take(in, 2) % (2 * PAGE / 8);

	if (slot->ring)
		slot->ring[take_one_of(in, 2) ? word
					      : offsetof(struct perf_event_mmap_page, data_tail) /
						    8] = take(in, 8);
}

static void do_run(struct bytes *in)
{
	enum model_ring ring = take_one_of(in, 2) ? MODEL_USER : MODEL_KERNEL;

	fake_run(1 + take(in, 2), ring);
}

static void do_pass(struct bytes *in)
{
	fake_pass(1 + take(in, 3));
}

static void do_fork(struct bytes *in)
{
	bool thread = take_one_of(in, 2);

	if (nr_tasks <= MOST_KIDS)
		tasks[nr_tasks++] = fake_fork(thread);
}

static void do_switch(struct bytes *in)
{
	struct task *next = some_other(in);

	if (next)
		fake_switch(next);
}

static void do_exit(struct bytes *in)
{
	struct task *next = some_other(in);

	if (!next)
		return;
	gone[current_index()] = true;
	fake_exit(next);
}

static void do_exec(struct bytes *in)
{
	(void)in;
	fake_exec();
}

static void do_poll(struct bytes *in)
{
	int fd = some_fd(in);

	if (fd >= 0)
		fake_poll(fd);
}

static void (*const steps[])(struct bytes *in) = {
    do_open,   do_open,   do_open,     do_close, do_ioctl, do_ioctl, do_read,
    do_map,    do_unmap,  do_scribble, do_run,   do_run,   do_pass,  do_fork,
    do_switch, do_switch, do_exit,     do_exec,  do_poll,
};

/* Checks that everything is given back: objects, pages, charges for rings. */
static void check_nothing_held(void)
{
	if (fake_open_objects || account_held(0, ACCOUNT_RINGS))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = {data, size};
	unsigned personality = take_one_of(&in, 12);

	if (!personality_at(personality))
		return 0;
	fake_boot(personality_name(personality_at(personality)));
	fake_prepare();
	memset(gone, 0, sizeof(gone));
	tasks[0] = fake_first_task();
	nr_tasks = 1;
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i] = (struct slot){.fd = -1};
	while (in.left)
		steps[take_one_of(&in, sizeof(steps) / sizeof(*steps))](&in);
	for (unsigned i = 0; i < SLOTS; i++)
		close_slot(&slots[i]);
	fake_run(1, MODEL_USER);
	fake_shutdown();
	check_nothing_held();
	return 0;
}
