/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that threads on several processors share: what one takes away, the others lose at once. */
#include "cpus.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "tap.h"

#define PAGE 4096

static int cpus[CPUS_MOST], nr;

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

/* What a thread on another processor reads of the word. */
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

/* Writers in one process, fork in the same: the child's memory stands still. */
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

int main(void)
{
	long flushes;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr < 2) {
		printf("1..0 # SKIP one processor\n");
		return 0;
	}
	flushes = interrupts("TLB:", cpus[1]);
	shootdowns();
	ok(interrupts("TLB:", cpus[1]) > flushes, "/proc/interrupts counts the shootdowns");
	copies();
	snapshots();
	return tap_end();
}
