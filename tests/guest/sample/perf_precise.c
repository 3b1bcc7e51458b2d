/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise samples where the processor has PEBS, and their refusal where it has not. */
#include <asm/perf_regs.h>
#include <time.h>
#include "tests/guest/sample/sampling.h"

/* The first line of a file of the processor's PMU, without its end; empty: there is none. */
static const char *read_cpu(const char *name)
{
	static char line[128];
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu/%s", name);
	file = fopen(path, "r");
	if (!file) { /* processors of two kinds: the first one's kind */
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu_core/%s", name);
		file = fopen(path, "r");
	}
	line[0] = 0;
	if (file && fgets(line, sizeof(line), file))
		line[strcspn(line, "\n")] = 0;
	if (file)
		fclose(file);
	return line;
}

/* CPUID leaf 80000001H, ECX bit 10: instruction-based sampling, which knows no instructions retired
 * (perf_ibs.c). */
static bool has_ibs(void)
{
	uint32_t eax = 0x80000001, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return processor_is_amd() && (ecx >> 10 & 1);
}

static struct perf_event_attr precise_attr(uint64_t period, uint64_t sample_type, unsigned precise)
{
	struct perf_event_attr attr = sampling_attr(period, sample_type);

	attr.precise_ip = precise;
	attr.wakeup_events = 1; /* so that Linux does not collect records before it looks at them */
	return attr;
}

static void refused(unsigned most)
{
	for (unsigned precise = 1; precise <= 3; precise++) {
		struct perf_event_attr attr = precise_attr(1000, PERF_SAMPLE_IP, precise);
		bool pebs = precise <= most;
		int refusal = has_ibs() && precise < 3 ? -ENOENT : -EOPNOTSUPP;
		int fd = perf_try(&attr, 0, -1, -1, 0);

		ok(pebs ? fd >= 0 : fd == refusal, "precise_ip %u: %d", precise, fd);
		if (fd >= 0)
			close(fd);
		attr.sample_period = 0;
		is((uint64_t)perf_try(&attr, 0, -1, -1, 0), (uint64_t)(pebs ? -EINVAL : refusal),
		   "precise_ip of an event that only counts is refused");
	}
}

/* Samples of a loop have addresses of its two instructions, exact ones from precise_ip 2 on. */
static void places(unsigned precise)
{
	struct perf_event_attr attr =
	    precise_attr(1001, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD, precise);
	unsigned samples = 0, inside = 0, exact = 0;
	struct perf_record record;
	struct sampler s;

	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 25000);
	while (perf_next(&s.ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		inside += record.words[0] >= (uint64_t)perf_loop_begin &&
			  record.words[0] <= (uint64_t)perf_loop_end;
		exact += !!(record.header.misc & PERF_RECORD_MISC_EXACT_IP);
	}
	is(samples, perf_value(s.fd) / 1001, "a sample for each period");
	ok(inside + 1 >= samples, "%u of %u in the loop", inside, samples);
	is(exact, precise > 1 ? samples : 0, "exact samples are marked EXACT_IP");
	sampler_close(&s);
}

/* The registers are those after the instruction: the loop's counter goes down by the iterations of
 * a period. */
static void registers(void)
{
	const uint64_t all = (1ull << PERF_REG_X86_R15 << 1) - 1,
		       segments = 15ull << PERF_REG_X86_DS;
	struct perf_event_attr attr = precise_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR, 2);
	unsigned steady = 0, samples = 0;
	struct perf_record record, before;
	struct sampler s;

	attr.sample_regs_intr = all & ~segments;
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 40000);
	while (perf_next(&s.ring, &record)) {
		/* Words: IP, ABI, registers. Exactly one of them counts iterations. */
		for (unsigned i = 2; samples && i < 22; i++)
			steady += before.words[i] - record.words[i] == 500;
		before = record;
		samples++;
	}
	is(samples, 80, "samples with registers");
	ok(steady >= 76, "the loop's counter goes down by 500 between two of them: %u times",
	   steady);
	sampler_close(&s);
}

#define MEM_LOADS_AUX 0x8203 /* must be in the group of such loads where sysfs names it */
#define LATENCY       30

/* Loads lines of a large area in no order that a prefetcher knows: most are slow. */
static void load_lines(struct sampler *s)
{
	static volatile char lines[65536][64];
	uint32_t random = 1;

	for (unsigned i = 0; i < 65536; i += 64)
		lines[i][0] = 1; /* a page of its own */
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 20000; i++) {
		random = random * 1664525 + 1013904223;
		(void)lines[random >> 16][0];
	}
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Samples loads that take so long, in a loop that has some: how many, of which known ones, and slow
 * ones. */
static void memory(void)
{
	struct perf_event_attr attr =
	    precise_attr(50, PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC, 2);
	struct perf_event_attr aux = perf_user_attr(PERF_TYPE_RAW, MEM_LOADS_AUX);
	bool needs_aux = *read_cpu("events/mem-loads-aux");
	unsigned event, umask, samples = 0, loads = 0, slow = 0, snoops = 0, unlocked = 0,
			       translated = 0;
	struct perf_record record;
	struct sampler s;
	int leader = -1;

	if (sscanf(read_cpu("events/mem-loads"), "event=%x,umask=%x", &event, &umask) != 2)
		return;
	attr.type = PERF_TYPE_RAW;
	attr.config = event | umask << 8;
	attr.config1 = LATENCY;
	if (needs_aux) {
		is((uint64_t)perf_try(&attr, 0, -1, -1, 0), (uint64_t)-ENODATA,
		   "loads without the event that they need");
		aux.disabled = 0;
		leader = perf_try(&aux, 0, -1, -1, 0);
	}
	sampler_join(&s, &attr, leader, 8, PROT_READ | PROT_WRITE);
	load_lines(&s);
	while (perf_next(&s.ring, &record)) {
		union perf_mem_data_src source = {.val = record.words[2]};

		samples++;
		loads += source.mem_op == PERF_MEM_OP_LOAD && (source.mem_lvl & PERF_MEM_LVL_HIT);
		slow += record.words[1] >= LATENCY;
		snoops += source.mem_snoop != 0;
		unlocked += !(source.mem_lock & PERF_MEM_LOCK_LOCKED);
		translated += (source.mem_dtlb & (PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS)) != 0;
	}
	ok(samples > 0, "slow loads: %u samples", samples);
	is(loads, samples, "loads have their data source");
	is(slow, samples, "ldlat's samples took at least that long");
	ok(snoops > 0, "slow loads have a snoop's result: %u", snoops);
	is(unlocked, samples, "slow loads are not locked");
	is(translated, strcmp(read_cpu("caps/pmu_name"), "nehalem") ? samples : 0,
	   "slow loads hit or miss a TLB, where records say so");
	sampler_close(&s);
	if (leader >= 0)
		close(leader);
}

/* Two events that end their periods together share a record; before Skylake it is of neither. */
static void collisions(void)
{
	const char *name = read_cpu("caps/pmu_name");
	bool lost =
	    !strcmp(name, "nehalem") || !strcmp(name, "sandybridge") || !strcmp(name, "haswell");
	struct perf_event_attr attr = precise_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_TID, 1);
	unsigned kinds[PERF_RECORD_MAX] = {0};
	struct perf_record record;
	struct sampler s, other;

	attr.disabled = 1;
	attr.sample_id_all = 1;
	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	attr.disabled = 0;
	sampler_join(&other, &attr, s.fd, 8, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 100000);
	while (perf_next(&s.ring, &record)) {
		kinds[record.header.type]++;
		if (record.header.type == PERF_RECORD_LOST_SAMPLES) {
			is(record.header.size, 24, "LOST_SAMPLES: header, number, identity");
			is(record.words[0], 1, "LOST_SAMPLES: one record of both events");
			break;
		}
	}
	ok(lost ? kinds[PERF_RECORD_LOST_SAMPLES] : kinds[PERF_RECORD_SAMPLE] >= 190,
	   "two events that end their periods together: %u samples, %u losses",
	   kinds[PERF_RECORD_SAMPLE], kinds[PERF_RECORD_LOST_SAMPLES]);
	sampler_close(&other);
	sampler_close(&s);
}

/* Precise cycles are counted by an event that can be precise. */
static void cycles(void)
{
	struct perf_event_attr attr = precise_attr(1000, PERF_SAMPLE_IP, 1);
	struct perf_event_attr plain = perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct sampler s;
	int fd = perf_try(&plain, 0, -1, -1, 0);
	uint64_t counted, precise;

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	sampler_loop(&s, 100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	counted = perf_value(fd);
	precise = perf_value(s.fd);
	sampler_drain(&s);
	ok(precise <= counted && precise + precise / 20 >= counted, "precise cycles: %llu of %llu",
	   (unsigned long long)precise, (unsigned long long)counted);
	ok(s.in_loop * 20 >= s.samples * 19 && s.samples + 1 >= precise / 1000,
	   "%u samples, %u in the loop", s.samples, s.in_loop);
	sampler_close(&s);
	close(fd);
}

/* An event that is switched on and off all the time keeps its count and its samples. */
static void on_and_off(void)
{
	struct perf_event_attr attr = precise_attr(1000, PERF_SAMPLE_IP, 2);
	struct perf_record record;
	unsigned samples = 0;
	struct sampler s;

	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < 100; i++)
		sampler_loop(&s, 777);
	while (perf_next(&s.ring, &record))
		samples += record.header.type == PERF_RECORD_SAMPLE;
	ok(samples + 1 >= perf_value(s.fd) / 1000 && samples <= perf_value(s.fd) / 1000,
	   "on and off: %u samples of %llu instructions", samples,
	   (unsigned long long)perf_value(s.fd));
	sampler_close(&s);
}

/* A record of ring 3 whose PMI comes in the kernel shows ring 3's registers, not the kernel's. */
static void late_in_the_kernel(void)
{
	const uint64_t all = 0xff0fff;
	struct perf_event_attr attr = precise_attr(37, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER, 2);
	unsigned samples = 0, kernels = 0, elsewhere = 0;
	struct perf_record record;
	struct sampler s;

	attr.sample_regs_user = all;
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 200; i++)
		syscall(SYS_getppid);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE || !record.words[1])
			continue;
		samples++;
		/* Words: IP, ABI, registers, the eighth of which is the stack pointer. */
		elsewhere += record.words[2 + PERF_REG_X86_SP] - (uint64_t)&s > 1 << 20 &&
			     (uint64_t)&s - record.words[2 + PERF_REG_X86_SP] > 1 << 20;
		for (unsigned i = 2; i < 22; i++)
			kernels += record.words[i] >> 47 == 0x1ffff && record.words[i] < -4096ul;
	}
	ok(samples > 100, "samples of system calls (%u)", samples);
	is(kernels, 0, "no register of theirs holds an address of the kernel");
	is(elsewhere, 0, "a late sample's stack is the program's");
	sampler_close(&s);
}

/* Processors whose records have the time, without which samples with it cannot wait. */
static bool has_times(void)
{
	static const char *const older[] = {"core2", "nehalem", "sandybridge", "haswell"};

	for (unsigned i = 0; i < sizeof(older) / sizeof(older[0]); i++)
		if (!strcmp(read_cpu("caps/pmu_name"), older[i]))
			return false;
	return true;
}

static void within(uint64_t value, uint64_t least, uint64_t most, const char *name)
{
	ok(value >= least && value <= most, "%s: %lu", name, value);
}

static void opened_waiting(struct sampler *s, uint32_t wakeup_events, uint64_t iterations)
{
	struct perf_event_attr attr =
	    precise_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, 2);

	attr.wakeup_events = wakeup_events;
	sampler_open(s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(iterations);
}

/* Takes all samples out. Returns the number of new ones in the loop: taking them is also counted.
 */
static unsigned new_in_loop(struct sampler *s)
{
	unsigned before = s->in_loop;

	sampler_drain(s);
	return s->in_loop - before;
}

/* Records of a fixed period wait in the processor's buffer until the event is read or stopped, or
 * its task sleeps. */
static void waiting(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	unsigned waited, was_read, slept, stopped;
	uint64_t count = 0;
	struct sampler s;

	opened_waiting(&s, 0, 10000);
	waited = sampler_drain(&s);
	count = read(s.fd, &count, 8) == 8 ? count : 0;
	was_read = new_in_loop(&s);
	perf_loop(5000);
	nanosleep(&nap, NULL);
	slept = new_in_loop(&s);
	perf_loop(5000);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	stopped = new_in_loop(&s);
	sampler_close(&s);
	is(waited, 0, "records wait in the processor's buffer");
	within(count, 20000, 24000, "the count has the periods of records that wait");
	within(was_read, 19, 20, "a read takes the records");
	within(slept, 9, 11, "a sleep takes the records");
	within(stopped, 9, 11, "a stop takes the records");
}

#define GENERAL_REGISTERS 0xff03fful /* but segments */
#define NR_REGISTERS      18

/* True if one of the registers is the counter of a loop of two instructions, 1,000 of them later.
 */
static bool counts_down(const uint64_t *now, const uint64_t *before)
{
	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (before[i] - now[i] == 500)
			return true;
	return false;
}

/* Registers and, where records have them, branches of samples that waited are those at the sampled
 * instruction. */
static void waiting_parts(void)
{
	bool adaptive = strcmp(read_cpu("caps/pmu_name"), "skylake") != 0;
	struct perf_event_attr attr =
	    precise_attr(1000,
			 PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
			     (adaptive ? PERF_SAMPLE_BRANCH_STACK : 0),
			 2);
	unsigned samples = 0, users = 0, branches = 0, early = 0;
	uint64_t before[NR_REGISTERS] = {0};
	struct perf_record record;
	struct sampler s;

	attr.wakeup_events = 0;
	attr.sample_regs_user = attr.sample_regs_intr = GENERAL_REGISTERS;
	attr.branch_sample_type = adaptive ? PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER : 0;
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(10000);
	while (perf_next(&s.ring, &record))
		early += record.header.type == PERF_RECORD_SAMPLE;
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record)) {
		const uint64_t *at = record.words + 1; /* behind IP */

		if (record.header.type != PERF_RECORD_SAMPLE ||
		    record.words[0] - (uint64_t)perf_loop_begin >=
			(uint64_t)perf_loop_end - (uint64_t)perf_loop_begin)
			continue;
		if (adaptive) { /* the number of branches; the last one's ends */
			branches += at[0] && at[2] == (uint64_t)perf_loop_begin;
			at += 1 + 3 * at[0];
		}
		at++; /* the registers' ABI */
		users += counts_down(at, before);
		memcpy(before, at, sizeof(before));
		samples++;
	}
	sampler_close(&s);
	is(early, 0, "samples with registers and branches wait");
	within(samples, 19, 20, "samples with registers");
	within(users, samples - 1, samples, "their registers are those of the instruction");
	if (adaptive)
		is(branches, samples, "their last branch is the loop's");
}

/* The buffer interrupts before it is full, and a record that is to wake a reader does not wait. */
static void full(void)
{
	struct sampler s;
	unsigned prompt;
	uint64_t first;

	opened_waiting(&s, 1, 10000);
	prompt = new_in_loop(&s);
	sampler_close(&s);
	within(prompt, 19, 20, "a wake-up for each sample: none waits");
	opened_waiting(&s, 0, 1500000);
	first = s.ring.page->data_head;
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	sampler_drain(&s);
	within(first, 1, s.ring.tail - 1, "a buffer that is nearly full is emptied");
	within(s.in_loop, 2998, 3001, "no sample of a full buffer is missing");
	sampler_close(&s);
}

int main(void)
{
	unsigned most = processor_is_amd() ? 0 : (unsigned)atoi(read_cpu("caps/max_precise"));

	if (!have_hardware())
		return tap_skip_all("no PMU");
	refused(most);
	if (!most)
		return tap_end();
	for (unsigned precise = 1; precise <= most; precise++)
		places(precise);
	registers();
	memory();
	cycles();
	if (strcmp(read_cpu("caps/pmu_name"), "core2") != 0) /* it has one counter for them */
		collisions();
	on_and_off();
	if (has_times()) {
		waiting();
		waiting_parts();
		full();
	}
	late_in_the_kernel();
	return tap_end();
}
