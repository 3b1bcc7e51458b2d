/* SPDX-License-Identifier: BSD-2-Clause */
/* Events on several processors: of a processor, of tasks that move or run elsewhere, of threads
 * everywhere; and concurrent operations on them. */
#include "tests/guest/cpus.h"
#include "tests/guest/perf.h"
#include <stdatomic.h>
#include <sys/wait.h>

#define PAGE 4096

static int cpus[CPUS_MAX], nr;

static struct perf_event_attr faults_attr(void)
{
	return perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

/* Takes `number` page faults. */
static void take_faults(int number)
{
	char *pages = mmap(NULL, (size_t)number * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < number; i++)
		((volatile char *)pages)[i * PAGE] = 1;
	munmap(pages, (size_t)number * PAGE);
}

/* ---- of a processor ---- */

static void of_processors(void)
{
	int fds[CPUS_MAX], right = 0, others = 0;
	struct perf_event_attr attr = faults_attr();

	for (int i = 0; i < nr; i++)
		fds[i] = perf_open(&attr, -1, cpus[i], -1, 0);
	for (int i = 0; i < nr; i++) {
		place(0, cpus[i]);
		take_faults(100 + i);
		place(0, cpus[0]);
		right += perf_value(fds[i]) >= (uint64_t)(100 + i);
		others += i + 1 < nr && perf_value(fds[i + 1]) >= 100;
	}
	ok(right == nr, "each processor's event counts its own instructions");
	ok(!others, "a processor's event counts no other's");
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	ok(perf_try(&attr, -1, cpus[nr - 1] + 1, -1, 0) == -EINVAL || cpus[nr - 1] + 1 == CPUS_MAX,
	   "a processor that is not there: EINVAL");
}

/* From afar: every call is about an event that is on elsewhere. */
static void from_afar(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	uint64_t first, second, third;
	int fd;

	attr.disabled = 1;
	place(0, cpus[0]);
	fd = perf_open(&attr, -1, cpus[nr - 1], -1, 0);
	is(perf_value(fd), 0, "an event of another processor, disabled");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	first = perf_value(fd);
	usleep(2000);
	second = perf_value(fd);
	ok(second - first >= 1000000, "enabled, it counts that processor's time");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	second = perf_value(fd);
	usleep(1000);
	is(perf_value(fd), second, "disabled, it stands");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	is(perf_value(fd), 0, "reset");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	place(0, cpus[nr - 1]);
	third = perf_value(fd);
	ok(perf_value(fd) > third, "read where it counts");
	close(fd);
}

/* ---- of a task that moves ---- */

static void follows(void)
{
	struct perf_event_attr attr = faults_attr();
	int every, one, moves;
	uint64_t on_one, on_every;

	place(0, cpus[0]);
	every = perf_open(&attr, 0, -1, -1, 0);
	one = perf_open(&attr, 0, cpus[1], -1, 0);
	attr.config = PERF_COUNT_SW_CPU_MIGRATIONS;
	moves = perf_open(&attr, 0, -1, -1, 0);
	take_faults(10);
	place(0, cpus[1]);
	take_faults(20);
	on_one = perf_value(one);
	place(0, cpus[0]);
	on_every = perf_value(every);
	ok(on_every >= 30 && on_every < 40, "an event follows its task: %d faults", (int)on_every);
	ok(on_one >= 20 && on_one < 25,
	   "an event of a task on one processor counts there alone: %d", (int)on_one);
	is(perf_value(one), on_one, "that event does not count elsewhere");
	is(perf_value(moves), 2, "two migrations");
	for (int i = 0; i < 50; i++)
		place(0, cpus[i % nr]);
	ok(perf_value(moves) >= 50 && perf_value(moves) <= 52, "each migration counts once: %d",
	   (int)perf_value(moves));
	close(every);
	close(one);
	close(moves);
}

/* ---- of a task that runs elsewhere ---- */

static struct other {
	atomic_int stop;
	atomic_ulong faults;
} * other;

/* Starts a process of its own: its changes of memory need no TLB shootdown on this one's
 * processor. */
static pid_t start_other(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	other = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (child)
		return child;
	place(0, cpus[1]);
	while (!atomic_load(&other->stop)) {
		*(volatile char *)page = 1;
		atomic_fetch_add(&other->faults, 1);
		madvise(page, PAGE, MADV_DONTNEED);
	}
	_exit(0);
}

static void until_faults(unsigned long more)
{
	unsigned long since = atomic_load(&other->faults);

	while (atomic_load(&other->faults) < since + more)
		;
}

static void elsewhere(void)
{
	struct perf_event_attr attr = faults_attr(), clock;
	unsigned long before, after;
	uint64_t count, time;
	int fd, clock_fd;
	pid_t child;

	place(0, cpus[0]);
	child = start_other();
	until_faults(10);
	attr.disabled = 1;
	clock = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	fd = perf_open(&attr, child, -1, -1, 0);
	clock_fd = perf_open(&clock, child, -1, -1, 0);
	time = perf_value(clock_fd);
	before = atomic_load(&other->faults);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	until_faults(500);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	after = atomic_load(&other->faults);
	count = perf_value(fd);
	ok(count + 2 >= 500 && count <= after - before + 2,
	   "a running task's event, switched on and off from another processor");
	until_faults(20);
	is(perf_value(fd), count, "a disabled event of another's task does not count");
	ok(perf_value(clock_fd) > time, "the task clock is read from the running task");
	for (int i = 0; i < 100; i++) {
		place(child, cpus[1 + i % (nr - 1)]);
		ioctl(fd, i % 2 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
		time = perf_value(clock_fd);
	}
	count = perf_value(fd);
	until_faults(20);
	is(perf_value(fd), count, "switched while it moves, it is off in the end");
	ok(perf_value(clock_fd) > time, "an enabled clock of another's task continues");
	atomic_store(&other->stop, 1);
	waitpid(child, NULL, 0);
	count = perf_value(clock_fd);
	is(perf_value(clock_fd), count, "a clock stops with its task");
	close(fd);
	close(clock_fd);
}

/* ---- inherited, everywhere ---- */

static void *some_faults(void *cpu)
{
	place(0, *(int *)cpu);
	take_faults(50);
	return NULL;
}

static void inherited(void)
{
	struct perf_event_attr attr = faults_attr();
	pthread_t threads[CPUS_MAX];
	uint64_t count;
	int fd;

	attr.inherit = 1;
	attr.disabled = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < nr; i++)
		start(&threads[i], some_faults, &cpus[i]);
	perf_value(fd);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_value(fd);
	ok(count >= 50ul * nr && count < 70ul * nr, "threads on all processors add up: %d faults",
	   (int)count);
	ok(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
	       errno == EINVAL,
	   "an inherited event of every processor has no ring");
	close(fd);
}

/* ---- records ---- */

/* Samples of page faults name their processor. */
static void processors_of_samples(void)
{
	struct perf_event_attr attr = faults_attr();
	int wrong = 0, samples = 0;
	static struct perf_record record;
	struct perf_ring ring;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CPU;
	for (int i = 0; i < nr; i++) {
		place(0, cpus[0]);
		fd = perf_open(&attr, 0, cpus[i], -1, 0);
		perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
		place(0, cpus[i]);
		take_faults(20);
		place(0, cpus[0]);
		while (perf_next(&ring, &record)) {
			samples += record.header.type == PERF_RECORD_SAMPLE;
			wrong += record.header.type == PERF_RECORD_SAMPLE &&
				 (uint32_t)record.words[0] != (uint32_t)cpus[i];
		}
		perf_unmap(&ring);
		close(fd);
	}
	ok(samples >= 20 * nr && !wrong, "samples name the processor they were taken on");
}

#define OPENED 48 /* times three, by all processors together */

/* A storm: events of every kind come and go while threads run, move and end. */
static void *opener(void *cpu)
{
	struct perf_event_attr attr = faults_attr();

	place(0, *(int *)cpu);
	for (int i = 0; i < OPENED / nr; i++) {
		int wide = perf_open(&attr, -1, cpus[i % nr], -1, 0);
		int own = perf_open(&attr, 0, -1, -1, 0);
		int first = perf_open(&attr, getpid(), -1, -1, 0);

		attr.inherit = i % 2;
		take_faults(2);
		ioctl(wide, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(first, PERF_EVENT_IOC_RESET, 0);
		perf_value(wide);
		perf_value(own);
		place(0, cpus[(i + *(int *)cpu) % nr]);
		close(first);
		close(wide);
		close(own);
	}
	return NULL;
}

static void storm(void)
{
	struct perf_event_attr attr = faults_attr();
	pthread_t threads[CPUS_MAX];
	int fd;

	for (int i = 0; i < nr; i++)
		start(&threads[i], opener, &cpus[i]);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	fd = perf_open(&attr, 0, -1, -1, 0);
	take_faults(10);
	ok(perf_value(fd) >= 10, "events still count after a storm of them");
	close(fd);
}

/* ---- deferred work ---- */

static atomic_bool enough;

static void *turn_here(void *cpu)
{
	place(0, *(int *)cpu);
	while (!atomic_load(&enough))
		;
	return NULL;
}

/* A clock samples elsewhere. Each sample wakes, which is put off until that processor has the
 * kernel's lock: it is closed from here as soon as there is one. */
static void sample_and_close(int owner, const struct perf_ring *ring)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	uint64_t first = ring->page->data_head;
	int fd;

	attr.sample_period = 10000;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	fd = perf_open(&attr, -1, cpus[1], -1, 0);
	ring->page->data_tail = first;
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner);
	while (__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) == first)
		;
	close(fd);
}

static void closed_at_work(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int owner = perf_open(&attr, -1, cpus[1], -1, 0);
	struct perf_ring ring;
	pthread_t thread;

	place(0, cpus[0]);
	perf_map(&ring, owner, 8, PROT_READ | PROT_WRITE);
	start(&thread, turn_here, &cpus[1]);
	for (unsigned i = 0; i < 50; i++)
		sample_and_close(owner, &ring);
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	perf_unmap(&ring);
	close(owner);
	ok(true, "events are closed while their processors have work for them");
}

/* ---- counters of hardware ---- */

#define SAMPLES  20
#define LOOP     100000
#define ESTIMATE (LOOP / 10) /* at least, of 2 * LOOP instructions: the emulated PMU estimates */

static atomic_int sampled_right;

/* Samples itself on its processor, as all others do at the same time. */
static void *sample_here(void *cpu)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_record *record = malloc(sizeof(*record));
	int samples = 0, wrong = 0, fd;
	struct perf_ring ring;

	attr.sample_period = 50000;
	attr.sample_type = PERF_SAMPLE_CPU;
	place(0, *(int *)cpu);
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (samples < SAMPLES) {
		perf_loop(20000);
		while (perf_next(&ring, record)) {
			samples += record->header.type == PERF_RECORD_SAMPLE;
			wrong += record->header.type == PERF_RECORD_SAMPLE &&
				 (uint32_t)record->words[0] != (uint32_t) * (int *)cpu;
		}
	}
	close(fd);
	perf_unmap(&ring);
	free(record);
	atomic_fetch_add(&sampled_right, !wrong);
	return NULL;
}

static void hardware_everywhere(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fds[CPUS_MAX], own, counted = 0, followed = 0;
	pthread_t threads[CPUS_MAX];

	attr.disabled = 0;
	place(0, cpus[0]);
	own = perf_open(&attr, 0, -1, -1, 0);
	for (int i = 0; i < nr; i++)
		fds[i] = perf_open(&attr, -1, cpus[i], -1, 0);
	for (int i = 0; i < nr; i++) {
		uint64_t before = perf_value(fds[i]), own_before = perf_value(own);

		place(0, cpus[i]);
		perf_loop(LOOP);
		place(0, cpus[(i + 1) % nr]);
		counted += perf_value(fds[i]) - before >= ESTIMATE;
		followed += perf_value(own) - own_before >= ESTIMATE;
	}
	ok(counted == nr, "each processor's counters count its instructions");
	ok(followed == nr, "a task's counter follows it to each processor");
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	close(own);
	for (int i = 0; i < nr; i++)
		start(&threads[i], sample_here, &cpus[i]);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	ok(atomic_load(&sampled_right) == nr, "all processors sample at the same time");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr < 2)
		return tap_skip_all("one processor");
	of_processors();
	from_afar();
	follows();
	elsewhere();
	inherited();
	processors_of_samples();
	storm();
	closed_at_work();
	if (have_hardware())
		hardware_everywhere();
	else
		skip("an event on every processor", "no PMU");
	return tap_end();
}
