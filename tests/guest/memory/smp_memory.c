/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that threads on several processors share: what one takes away, the others lose at once. */
#include "tests/guest/cpus.h"
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "tests/guest/tap.h"

#define PAGE 4096

static int cpus[CPUS_MAX], nr;

/* ---- TLB shootdown ---- */

static char *volatile shared;
static atomic_ulong accesses;
static atomic_int faults, end_access;
static sigjmp_buf after_fault;

static void on_fault(int signo)
{
	(void)signo;
	atomic_fetch_add(&faults, 1);
	siglongjmp(after_fault, 1);
}

/* Touches the page until it must end; after a fault it waits until `faults` is taken back. */
static void *toucher(void *write)
{
	place(0, cpus[1]);
	while (sigsetjmp(after_fault, 1))
		while (atomic_load(&faults) && !atomic_load(&end_access))
			sched_yield();
	while (!atomic_load(&end_access)) {
		volatile char *at = shared;

		if (write)
			*at = 1;
		else
			(void)*at;
		atomic_fetch_add(&accesses, 1);
	}
	return NULL;
}

static void until_accessed(unsigned long times)
{
	unsigned long since = atomic_load(&accesses);

	while (atomic_load(&accesses) < since + times)
		sched_yield();
}

static void give_back(void)
{
	mmap(shared, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	atomic_store(&faults, 0);
}

/* The right goes while the other processor uses it: at most the access under way still succeeds. */
static void shootdown(void *write, int (*take_away)(void), const char *what)
{
	unsigned long late = 0;
	pthread_t thread;

	atomic_store(&end_access, 0);
	give_back();
	start(&thread, toucher, write);
	for (int i = 0; i < 50; i++) {
		unsigned long at_return;

		until_accessed(100);
		take_away();
		at_return = atomic_load(&accesses);
		while (!atomic_load(&faults))
			sched_yield();
		late += atomic_load(&accesses) > at_return + 1;
		give_back();
	}
	atomic_store(&end_access, 1);
	pthread_join(thread, NULL);
	ok(!late, "%s: the next access of another processor faults", what);
}

static int unmap(void)
{
	return munmap(shared, PAGE);
}

static int forbid(void)
{
	return mprotect(shared, PAGE, PROT_NONE);
}

static int forbid_writing(void)
{
	return mprotect(shared, PAGE, PROT_READ);
}

static void shootdowns(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};

	sigaction(SIGSEGV, &action, NULL);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	place(0, cpus[0]);
	shootdown(NULL, unmap, "munmap");
	shootdown(NULL, forbid, "mprotect to nothing");
	shootdown(&nr, forbid_writing, "mprotect to read-only");
	signal(SIGSEGV, SIG_DFL);
}

/* The value that a thread on another processor reads. */
static atomic_int word_seen, stop_reading;

static void *reader(void *word)
{
	place(0, cpus[1]);
	while (!atomic_load(&stop_reading))
		atomic_store(&word_seen, atomic_load((atomic_int *)word));
	return NULL;
}

static void wait_seen(int value)
{
	while (atomic_load(&word_seen) != value)
		sched_yield();
}

/* fork makes the page read-only; the write after it makes a copy, which all threads must see. */
static void copies(void)
{
	atomic_int *word =
	    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int go[2], status, right = 0;
	pthread_t thread;
	char byte = 0;

	place(0, cpus[0]);
	atomic_store(word, 1);
	start(&thread, reader, word);
	for (int i = 1; i <= 20; i++) {
		pid_t child;

		atomic_store(word, i);
		wait_seen(i);
		if (pipe(go))
			exit(1);
		child = fork();
		if (!child)
			_exit(read(go[0], &byte, 1) == 1 && atomic_load(word) == i ? 0 : 1);
		atomic_store(word, -i);
		wait_seen(-i);
		right += write(go[1], &byte, 1) == 1;
		waitpid(child, &status, 0);
		right += status == 0;
		close(go[0]);
		close(go[1]);
	}
	madvise(word, PAGE, MADV_DONTNEED);
	wait_seen(0);
	ok(right == 40, "a write after fork is the parent's alone, and all its threads see it");
	atomic_store(&stop_reading, 1);
	pthread_join(thread, NULL);
}

/* Threads write while their process forks: the child's memory does not change. */
static atomic_int stop_writing;

static void *writer(void *word)
{
	place(0, cpus[1]);
	while (!atomic_load(&stop_writing))
		atomic_fetch_add((atomic_int *)word, 1);
	return NULL;
}

static void snapshots(void)
{
	atomic_int *word =
	    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status, still = 0;
	pthread_t thread;

	start(&thread, writer, word);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			int before = atomic_load(word);

			for (int k = 0; k < 100; k++)
				sched_yield();
			_exit(atomic_load(word) != before);
		}
		waitpid(child, &status, 0);
		still += status == 0;
	}
	atomic_store(&stop_writing, 1);
	pthread_join(thread, NULL);
	ok(still == 20, "a child's memory stands still while the parent's threads write");
}

/* ---- words that the kernel changes while ring 3 does ---- */

#define ADDITIONS 5000

static atomic_int adders; /* by system call, that are not done */
static atomic_uint sum, added_here;

static void *add_by_futex(void *unused)
{
	static uint32_t nobody;

	for (int i = 0; i < ADDITIONS; i++)
		syscall(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, &sum,
			FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
	atomic_fetch_sub(&adders, 1);
	return unused;
}

static void *add_here(void *unused)
{
	unsigned count = 0;

	for (; atomic_load(&adders); count++)
		atomic_fetch_add(&sum, 1);
	atomic_fetch_add(&added_here, count);
	return unused;
}

static void additions(void)
{
	pthread_t threads[4];

	atomic_store(&adders, 2);
	for (int i = 0; i < 4; i++)
		start(&threads[i], i % 2 ? add_by_futex : add_here, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok(atomic_load(&sum) == 2 * ADDITIONS + atomic_load(&added_here),
	   "FUTEX_WAKE_OP loses no addition of another processor, nor its own");
}

static struct robust {
	struct robust_list_head head;
	struct robust_list entry;
	atomic_uint word;
} robust;

static void *die_as_owner(void *unused)
{
	robust.head.list.next = &robust.entry;
	robust.head.futex_offset = offsetof(struct robust, word) - offsetof(struct robust, entry);
	robust.entry.next = &robust.head.list;
	syscall(SYS_set_robust_list, &robust.head, sizeof(robust.head));
	atomic_store(&robust.word, (unsigned)syscall(SYS_gettid));
	return unused;
}

/* A thread begins to wait just when the owner ends. */
static void owners_die(void)
{
	int right = 0;

	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		atomic_store(&robust.word, 0);
		start(&thread, die_as_owner, NULL);
		while (!atomic_load(&robust.word))
			;
		for (volatile int k = 0; k < i * 50; k++)
			;
		atomic_fetch_or(&robust.word, FUTEX_WAITERS);
		pthread_join(thread, NULL);
		right += atomic_load(&robust.word) == (FUTEX_OWNER_DIED | FUTEX_WAITERS);
	}
	ok(right == 100, "a futex whose owner dies keeps that somebody waits");
}

int main(void)
{
	long flushes;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr < 2)
		return tap_skip_all("one processor");
	flushes = interrupts("TLB:", cpus[1]);
	shootdowns();
	ok(interrupts("TLB:", cpus[1]) > flushes, "/proc/interrupts counts the shootdowns");
	copies();
	snapshots();
	additions();
	owners_die();
	return tap_end();
}
