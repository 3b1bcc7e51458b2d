/* SPDX-License-Identifier: BSD-2-Clause */
/* More processors than a word has bits: places, lists, threads on all of them, shootdowns, events.
 */
#include "tests/guest/cpus.h"
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/guest/perf.h"
#include "tests/guest/tap.h"

#define WORD 64

static int cpus[CPUS_MAX], nr;

static void places(void)
{
	int reached = 0;
	uint64_t words[CPUS_MAX / WORD];

	ok(sysconf(_SC_NPROCESSORS_ONLN) == nr, "the C library sees them all");
	ok(syscall(SYS_sched_getaffinity, 0, sizeof(words), words) == (nr + WORD - 1) / WORD * 8,
	   "sched_getaffinity() returns whole words");
	ok(syscall(SYS_sched_getaffinity, 0, 8, words) == -1 && errno == EINVAL,
	   "sched_getaffinity() into one word: EINVAL");
	for (int i = 0; i < nr; i++)
		reached += !place(0, cpus[i]) && current_cpu() == cpus[i];
	ok(reached == nr, "a task moves to each processor");
	ok(place(0, nr) == -1 && errno == EINVAL, "the first that does not exist: EINVAL");
}

static void lists(void)
{
	char expected[32], line[32] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "r");

	snprintf(expected, sizeof(expected), "0-%d\n", nr - 1);
	ok(file && fgets(line, sizeof(line), file) && !strcmp(line, expected),
	   "/sys lists them: %s", line);
	if (file)
		fclose(file);
}

/* ---- threads on all processors, and a page that one of them protects ---- */

static pthread_barrier_t touched, protected;
static volatile char *page;
static int met, faulted;

static __thread sigjmp_buf back;

static void on_fault(int signo)
{
	(void)signo;
	siglongjmp(back, 1);
}

static void *touch(void *cpu)
{
	bool here = !place(0, *(int *)cpu) && current_cpu() == *(int *)cpu;

	(void)*page;
	pthread_barrier_wait(&touched);
	pthread_barrier_wait(&protected);
	__atomic_add_fetch(&met, here, __ATOMIC_RELAXED);
	if (sigsetjmp(back, 1))
		__atomic_add_fetch(&faulted, 1, __ATOMIC_RELAXED);
	else
		(void)*page;
	return NULL;
}

static void shootdown(void)
{
	pthread_t threads[CPUS_MAX];

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	signal(SIGSEGV, on_fault);
	pthread_barrier_init(&touched, NULL, (unsigned)nr + 1);
	pthread_barrier_init(&protected, NULL, (unsigned)nr + 1);
	for (int i = 0; i < nr; i++)
		start(&threads[i], touch, &cpus[i]);
	pthread_barrier_wait(&touched);
	mprotect((void *)page, 4096, PROT_NONE);
	pthread_barrier_wait(&protected);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	ok(met == nr, "a thread runs on each: %d", met);
	ok(faulted == nr, "each thread's processor forgets a page that one protects: %d", faulted);
}

/* ---- events of processors ---- */

static void events(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK};
	uint64_t first = 0, second = 0;
	int fd = perf_open(&attr, -1, nr - 1, -1, 0);

	ok(fd >= 0 && read(fd, &first, 8) == 8 && !usleep(1000) && read(fd, &second, 8) == 8 &&
	       second > first,
	   "an event of the last processor counts");
	close(fd);
	fd = perf_open(&attr, -1, nr, -1, 0);
	ok(fd == -1 && (errno == EINVAL || errno == ENODEV), "an event of the next one: refused");
}

int main(void)
{
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr <= WORD)
		return tap_skip_all("a word has a bit for each processor");
	places();
	lists();
	shootdown();
	events();
	return tap_end();
}
