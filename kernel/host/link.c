/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings in memory that is shared with the host command. A request stops the machine until the host
 * replies: no guest time passes, and the time of a request depends on the program alone. So a run
 * is reproducible, however slow the host is.
 */
#include <linux/errno.h>
#include "abi/host_link.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/list.h"
#include "kernel/base/string.h"
#include "kernel/base/uart.h"
#include "kernel/host/link.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"

#define COM3_INPUT 4          /* of the I/O APIC: the ISA interrupt that COM1 and COM3 share */
#define LAST_LOOKS 100000000u /* of a panic for room: some seconds */

void (*link_news)(void);

static struct link *memory; /* NULL: there is none */
static uint32_t known_tail; /* out_tail at the last question: what came after it is not looked at */
static bool stands_still;   /* the machine, where one of its processors waits for the host */
static struct waitq *input_waiters;

static void ring_host(void)
{
	uart_ring(UART_COM2);
}

/* Posts a request and blocks until the host replies: the OUT to the request port does not complete
 * before then, and no guest time passes inside one instruction. With several processors, each on a
 * host thread, they would wait for each other there, so the requester polls. */
static void link_request(enum link_question question, uint64_t ns)
{
	uint64_t flags = irq_save();
	uint32_t number = memory->ask + 1;

	memory->question = question;
	memory->request_ns = ns;
	__atomic_store_n(&memory->ask, number, __ATOMIC_RELEASE);
	ring_host();
	do {
		if (stands_still || nr_cpus == 1)
			outb(LINK_DOOR + number % LINK_DOORS, 0);
		cpu_relax();
	} while (__atomic_load_n(&memory->answer, __ATOMIC_ACQUIRE) != number);
	if (question == LINK_ASK_INPUT && link_news)
		link_news();
	irq_restore(flags);
}

static bool has_room(size_t bytes)
{
	return LINK_OUT_BYTES - (memory->out_head - known_tail) >= bytes;
}

static void host_link_put(const void *bytes, size_t size)
{
	uint32_t at = memory->out_head & (LINK_OUT_BYTES - 1);
	size_t first = LINK_OUT_BYTES - at < size ? LINK_OUT_BYTES - at : size;

	memcpy(memory->out + at, bytes, first);
	memcpy(memory->out, (const char *)bytes + first, size - first);
	__atomic_store_n(&memory->out_head, memory->out_head + (uint32_t)size, __ATOMIC_RELEASE);
}

/* In the ring. */
static size_t size_of(const struct link_part part[3])
{
	size_t size = 0;

	for (unsigned i = 0; i < 3; i++)
		size += part[i].there ? 0 : part[i].size;
	return size;
}

/* Sets the pages of the next request. */
static void show_pages(const struct link_pages *pages, size_t bytes)
{
	size_t nr = (pages->offset + bytes + PAGE_SIZE - 1) / PAGE_SIZE;

	memory->data = pages->offset;
	memory->data_bytes = bytes;
	memcpy(memory->page, pages->phys, nr * sizeof(pages->phys[0]));
}

/* Has the host read the part in place, after the contents of the ring, which is then empty. */
static void show(const struct link_part *part)
{
	show_pages(part->there, part->size);
	link_request(LINK_ASK_TAKE, 0);
	known_tail = memory->out_head;
}

/* Masks interrupts, so that an interrupt's frame cannot get between the parts, nor before a frame
 * with a smaller number. */
static bool try_send(const struct link_part part[3], uint32_t *number, uint32_t *next)
{
	uint64_t flags = irq_save();
	bool room = has_room(size_of(part));

	if (room)
		*number = (*next)++;
	for (unsigned i = 0; room && i < 3; i++) {
		if (part[i].there)
			show(&part[i]);
		else
			host_link_put(part[i].bytes, part[i].size);
	}
	irq_restore(flags);
	if (room)
		ring_host();
	return room;
}

void link_send(const struct link_part part[3], uint32_t *number, uint32_t *next)
{
	while (!try_send(part, number, next)) {
		if (this_cpu()->irq_depth || !(read_rflags() & RFLAGS_IF))
			return;
		link_request(LINK_ASK_ROOM, 0);
		known_tail = __atomic_load_n(&memory->out_tail, __ATOMIC_ACQUIRE);
	}
}

void link_send_last(const struct link_part part[3], uint32_t *number, uint32_t *next)
{
	for (unsigned i = 0; i < LAST_LOOKS && !has_room(size_of(part)); i++) {
		cpu_relax();
		known_tail = __atomic_load_n(&memory->out_tail, __ATOMIC_ACQUIRE);
	}
	try_send(part, number, next);
}

size_t link_waiting(void)
{
	return __atomic_load_n(&memory->in_head, __ATOMIC_ACQUIRE) - memory->in_tail;
}

size_t link_take(void *to, size_t bytes)
{
	uint32_t at = memory->in_tail & (LINK_IN_BYTES - 1);
	size_t there = link_waiting(), first;

	if (bytes > there)
		bytes = there;
	first = LINK_IN_BYTES - at < bytes ? LINK_IN_BYTES - at : bytes;
	memcpy(to, memory->in + at, first);
	memcpy((char *)to + first, memory->in, bytes - first);
	__atomic_store_n(&memory->in_tail, memory->in_tail + (uint32_t)bytes, __ATOMIC_RELEASE);
	return bytes;
}

bool link_ended(void)
{
	return __atomic_load_n(&memory->in_ended, __ATOMIC_ACQUIRE) && !link_waiting();
}

int link_signal(void)
{
	uint32_t pending = __atomic_load_n(&memory->signals, __ATOMIC_ACQUIRE);
	int number = pending ? __builtin_ctz(pending) + 1 : 0;

	if (number)
		__atomic_and_fetch(&memory->signals, ~(1u << (number - 1)), __ATOMIC_ACQ_REL);
	return number;
}

void link_size(uint16_t *rows, uint16_t *cols)
{
	*rows = (uint16_t)memory->rows;
	*cols = (uint16_t)memory->cols;
}

void link_request_input(bool wait)
{
	if (wait && nr_cpus == 1 && sched_others_wait())
		sched_yield();
	link_request(LINK_ASK_INPUT,
		     wait && nr_cpus == 1 && !sched_others_wait() ? timers_next_ns() : 0);
	if (link_waiting() || link_ended())
		return;
	__atomic_store_n(&memory->want, LINK_WANT_INPUT, __ATOMIC_RELEASE);
	ring_host();
}

/* Sets the path of the next request. Returns 0, -ENOENT (no link) or -ENAMETOOLONG. */
static int show_path(const char *path)
{
	if (!memory)
		return -ENOENT;
	return strlcpy(memory->path, path, LINK_PATH) < LINK_PATH ? 0 : -ENAMETOOLONG;
}

int64_t link_request_names(enum link_question question, const char *path, void *to, size_t bytes)
{
	int err = show_path(path);

	if (err)
		return err;
	memory->data = page_phys(to);
	memory->data_bytes = bytes;
	link_request(question, 0);
	return memory->result;
}

int64_t link_request_file(const char *path, uint64_t offset, const struct link_pages *to,
			  unsigned nr)
{
	int err = show_path(path);

	if (err)
		return err;
	show_pages(to, nr * PAGE_SIZE);
	memory->offset = offset;
	link_request(LINK_ASK_FILE, 0);
	return memory->result;
}

/* Before the processor idles: tasks that wait for input get the host's time. */
static void before_idle(void)
{
	if (list_empty(&input_waiters->waiters) || link_waiting() || link_ended())
		return;
	link_request(LINK_ASK_INPUT, timers_next_ns());
}

void link_idle_for(struct waitq *queue)
{
	input_waiters = queue;
	sched_idle_hook = before_idle;
}

static void host_rings(struct frame *frame)
{
	(void)frame;
	uart_discard(UART_COM3);
	if (link_news)
		link_news();
}

uint64_t link_open(bool stands)
{
	stands_still = stands;
	if (!uart_init(UART_COM3))
		return 0;
	memory = kalloc(sizeof(*memory));
	if (!memory)
		return 0;
	irq_register(VECTOR_HOST, host_rings);
	if (!ioapic_route(COM3_INPUT, IOAPIC_EDGE_HIGH, VECTOR_HOST, apic_id())) {
		kfree(memory);
		return 0;
	}
	uart_listen(UART_COM3);
	return page_phys(memory);
}
