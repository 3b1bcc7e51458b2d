/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for files: poll(2), ppoll(2), select(2), pselect6(2). */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/posix_types.h>
#include <linux/resource.h>
#include <linux/time.h>
#include "api/calls.h"
#include "api/file/poll.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/poll.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

#define ALWAYS (POLLERR | POLLHUP) /* reported whether asked for or not */

/* Returns the events of descriptor fd; -1: not a descriptor. */
static int fd_events(int fd, struct poll_table *table)
{
	struct file *file = fd_get(fd);
	unsigned events;

	if (!file)
		return -1;
	events = file_poll(file, table);
	file_put(file);
	return (int)events;
}

/* Called after each file of a pass: lets other tasks run now and then. False: the process is
 * ending. */
static bool go_on(unsigned i)
{
	return i % POLL_AT_ONCE != POLL_AT_ONCE - 1 || sched_pause();
}

/* Makes one pass over all entries; returns the number of ready ones. */
static int poll_pass(struct pollfd *fds, unsigned count, struct poll_table *table)
{
	int ready = 0;

	for (unsigned i = 0; i < count && go_on(i); i++) {
		int events;

		fds[i].revents = 0;
		if (fds[i].fd < 0)
			continue;
		events = fd_events(fds[i].fd, ready ? NULL : table);
		fds[i].revents = events < 0 ? POLLNVAL : (short)(events & (fds[i].events | ALWAYS));
		ready += fds[i].revents != 0;
	}
	return ready;
}

/* Sleeps until an entry is ready. Returns the number of ready ones, 0 at the deadline, or -EINTR,
 * -ENOMEM. */
static long poll_until(struct pollfd *fds, unsigned count, uint64_t deadline)
{
	struct poll_table table;
	int ready, err = 0;

	poll_table_init(&table);
	ready = poll_pass(fds, count, deadline ? &table : NULL);
	while (!ready && deadline && !err) {
		err = table.err ? table.err : poll_sleep(&table, deadline);
		ready = poll_pass(fds, count, NULL);
	}
	poll_table_end(&table);
	return ready ? ready : err == -ETIMEDOUT ? 0 : err;
}

static long do_poll(uint64_t user, uint32_t count, uint64_t deadline)
{
	struct pollfd quick[POLL_INLINE], *fds = quick;
	long result;

	if (count > current_task()->process->limits[RLIMIT_NOFILE][0])
		return -EINVAL;
	if (count > POLL_INLINE)
		fds = kalloc(count * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	if (copy_from_user(fds, user, count * sizeof(*fds))) {
		result = -EFAULT;
	} else {
		result = poll_until(fds, count, deadline);
		for (unsigned i = 0; i < count && result >= 0 && go_on(i); i++)
			if (copy_to_user(user + i * sizeof(*fds) + offsetof(struct pollfd, revents),
					 &fds[i].revents, sizeof(fds[i].revents)))
				result = -EFAULT;
	}
	if (fds != quick)
		kfree(fds);
	return result;
}

uint64_t deadline_from_ms(int ms)
{
	if (ms < 0)
		return WAITQ_FOREVER;
	return ms ? deadline_after((uint64_t)ms * 1000000) : 0;
}

long sys_poll(uint64_t user, uint64_t count, uint64_t timeout)
{
	return deadline_done(do_poll(user, (uint32_t)count, deadline_from_ms((int)timeout)));
}

int poll_deadline(uint64_t user, uint64_t *deadline)
{
	int err = deadline_from_user(user, deadline);

	if (!err && *deadline <= clock_ns())
		*deadline = 0;
	return err;
}

int block_for_call(uint64_t mask_user, uint64_t size)
{
	uint64_t mask;

	if (!mask_user)
		return 0;
	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, mask_user, sizeof(mask)))
		return -EFAULT;
	signal_block_for_call(mask);
	return 0;
}

long sys_ppoll(uint64_t user, uint64_t count, uint64_t timeout, uint64_t mask, uint64_t size)
{
	uint64_t deadline;
	long result = poll_deadline(timeout, &deadline);

	if (!result)
		result = block_for_call(mask, size);
	if (result)
		return deadline_done(result);
	result = do_poll(user, (uint32_t)count, deadline);
	if (timeout && deadline && remaining_to_user(timeout, deadline) && result >= 0)
		result = -EFAULT;
	return deadline_done(result);
}

/* select: three sets of descriptors as bits. */

static const unsigned set_events[3] = {POLLIN | POLLRDNORM | POLLHUP | POLLERR,
				       POLLOUT | POLLWRNORM | POLLERR, POLLPRI};

struct sets {
	uint64_t *wanted[3], *ready[3]; /* parts of `words` */
	size_t bytes;                   /* of one */
	uint64_t words[];
};

static bool bit_of(const uint64_t *set, unsigned fd)
{
	return set[fd / 64] >> fd % 64 & 1;
}

/* Empty sets for `count` descriptors, or NULL. */
static struct sets *sets_new(unsigned count)
{
	size_t words = (count + 63) / 64;
	struct sets *sets = kalloc(sizeof(*sets) + 6 * words * sizeof(uint64_t));

	if (!sets)
		return NULL;
	sets->bytes = words * sizeof(uint64_t);
	for (unsigned i = 0; i < 3; i++) {
		sets->wanted[i] = sets->words + i * words;
		sets->ready[i] = sets->words + (3 + i) * words;
	}
	return sets;
}

/* Makes one pass; returns the number of bits set, or -EBADF. */
static int select_pass(struct sets *sets, unsigned count, struct poll_table *table)
{
	int ready = 0;

	memset(sets->ready[0], 0, 3 * sets->bytes);
	for (unsigned fd = 0; fd < count && go_on(fd); fd++) {
		int events;

		if (!bit_of(sets->wanted[0], fd) && !bit_of(sets->wanted[1], fd) &&
		    !bit_of(sets->wanted[2], fd))
			continue;
		events = fd_events((int)fd, ready ? NULL : table);
		if (events < 0)
			return -EBADF;
		for (unsigned i = 0; i < 3; i++) {
			if (bit_of(sets->wanted[i], fd) && (unsigned)events & set_events[i]) {
				sets->ready[i][fd / 64] |= 1ul << fd % 64;
				ready++;
			}
		}
	}
	return ready;
}

static long select_until(struct sets *sets, unsigned count, uint64_t deadline)
{
	struct poll_table table;
	int ready, err = 0;

	poll_table_init(&table);
	ready = select_pass(sets, count, deadline ? &table : NULL);
	while (!ready && deadline && !err) {
		err = table.err ? table.err : poll_sleep(&table, deadline);
		ready = select_pass(sets, count, NULL);
	}
	poll_table_end(&table);
	return ready ? ready : err == -ETIMEDOUT ? 0 : err;
}

static long do_select(uint64_t count, const uint64_t users[3], uint64_t deadline)
{
	struct sets *sets;
	long result = 0;

	if ((int)count < 0)
		return -EINVAL;
	if (count > current_task()->files->size) /* nothing is open beyond: as Linux */
		count = current_task()->files->size;
	sets = sets_new((unsigned)count);
	if (!sets)
		return -ENOMEM;
	for (unsigned i = 0; i < 3 && !result; i++)
		if (users[i])
			result = copy_from_user(sets->wanted[i], users[i], sets->bytes);
	if (!result)
		result = select_until(sets, (unsigned)count, deadline);
	for (unsigned i = 0; i < 3 && result >= 0; i++)
		if (users[i] && copy_to_user(users[i], sets->ready[i], sets->bytes))
			result = -EFAULT;
	kfree(sets);
	return result;
}

long sys_pselect6(uint64_t count, uint64_t in, uint64_t out, uint64_t except, uint64_t timeout,
		  uint64_t mask_user)
{
	const uint64_t users[3] = {in, out, except};
	uint64_t deadline, mask[2] = {0, 0};
	long result = poll_deadline(timeout, &deadline);

	if (!result && mask_user && copy_from_user(mask, mask_user, sizeof(mask)))
		result = -EFAULT;
	if (!result)
		result = block_for_call(mask[0], mask[1]);
	if (result)
		return deadline_done(result);
	result = do_select(count, users, deadline);
	if (timeout && deadline && remaining_to_user(timeout, deadline) && result >= 0)
		result = -EFAULT;
	return deadline_done(result);
}

long sys_select(uint64_t count, uint64_t in, uint64_t out, uint64_t except, uint64_t timeout)
{
	const uint64_t users[3] = {in, out, except};
	uint64_t deadline = WAITQ_FOREVER, now;
	struct timeval time;
	int64_t ns;
	long result;

	if (timeout) {
		if (copy_from_user(&time, timeout, sizeof(time)))
			return -EFAULT;
		ns = timespec_ns(time.tv_sec, time.tv_usec < 0 || time.tv_usec >= 1000000
						  ? -1
						  : time.tv_usec * 1000);
		if (ns < 0)
			return ns;
		deadline = ns ? deadline_after((uint64_t)ns) : 0;
	}
	result = do_select(count, users, deadline);
	now = clock_ns();
	if (timeout && deadline) {
		ns = deadline > now ? (int64_t)(deadline - now) : 0;
		time.tv_sec = ns / 1000000000;
		time.tv_usec = ns % 1000000000 / 1000;
		if (copy_to_user(timeout, &time, sizeof(time)) && result >= 0)
			result = -EFAULT;
	}
	return deadline_done(result);
}
