/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling: every period one sample, at its place; all fields of a sample; the ring in each of its
 * modes. */
#include "perf.h"
#include <poll.h>
#include <time.h>

static struct perf_record record;

static struct perf_event_attr sampling_attr(uint64_t period, uint64_t type)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = period;
	attr.sample_type = type;
	return attr;
}

static uint64_t lost_samples; /* told by LOST records */

/* Takes all samples out; counts those whose address lies in the loop. Everything else than SAMPLE
 * and LOST is `others`. */
static unsigned drain(struct perf_ring *ring, unsigned *in_loop, unsigned *others)
{
	unsigned samples = 0;

	while (perf_next(ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE) {
			samples++;
			*in_loop += record.words[0] >= (uintptr_t)perf_loop_begin &&
				    record.words[0] <= (uintptr_t)perf_loop_end;
		} else if (record.header.type == PERF_RECORD_LOST) {
			lost_samples += record.words[1];
		} else {
			++*others;
		}
	}
	return samples;
}

/* Period P over N instructions gives floor(N / P) samples, none lost. */
static void exact(uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(period, PERF_SAMPLE_IP);
	int fd = perf_open(&attr, 0, -1, -1, 0);
	unsigned samples = 0, in_loop = 0, others = 0;
	struct perf_ring ring;
	uint64_t count;

	lost_samples = 0;
	perf_map(&ring, fd, 256, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 4; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		perf_loop(period * 1000 < 200000 ? period * 1000 : 200000);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		samples += drain(&ring, &in_loop, &others);
	}
	count = perf_value(fd);
	printf("# period %llu: %u samples of %llu, %u in the loop\n", (unsigned long long)period,
	       samples, (unsigned long long)count, in_loop);
	ok(samples == count / period && !lost_samples && !others,
	   "period %llu: a sample for each, none lost", (unsigned long long)period);
	ok(samples - in_loop <= 4 + 60 * 4 / period, "all of them in the loop");
	perf_unmap(&ring);
	close(fd);
}

/* Reads its fields one after another. */
struct cursor {
	const uint64_t *at;
};

static uint64_t take(struct cursor *c)
{
	return *c->at++;
}

__attribute__((noinline)) static void inner(void)
{
	perf_loop(200000);
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer(void)
{
	inner();
	__asm__ volatile("");
}

#define REGISTERS ((1ull << 24) - 1 - (1 << 12) - (1 << 13) - (1 << 14) - (1 << 15))
#define DUMP      256

static bool check_chain(struct cursor *c, uint64_t ip)
{
	uint64_t nr = take(c), found = 0;
	const uint64_t *entries = c->at;

	c->at += nr;
	if (nr < 4 || entries[0] != PERF_CONTEXT_USER || entries[1] != ip)
		return false;
	for (uint64_t i = 2; i < nr; i++) {
		found += entries[i] > (uintptr_t)inner && entries[i] < (uintptr_t)inner + 64;
		found += entries[i] > (uintptr_t)outer && entries[i] < (uintptr_t)outer + 64;
	}
	return found == 2;
}

/* Two register dumps of a sample in ring 3 are the same. */
static bool check_registers(struct cursor *c, uint64_t ip)
{
	return take(c) == PERF_SAMPLE_REGS_ABI_64 && c->at[8] == ip && (c->at[10] & 3) == 3 &&
	       (c->at += 20);
}

static void fields(void)
{
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			      PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
			      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			      PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			      PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	struct perf_event_attr attr = sampling_attr(100000, type);
	uint64_t id = 0, ip, period, last_time = 0, bytes, *registers;
	struct perf_ring ring;
	struct cursor c;
	int fd, n = 0;

	attr.sample_regs_user = attr.sample_regs_intr = REGISTERS;
	attr.sample_stack_user = DUMP;
	attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 16, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	outer();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		bool good;

		n++;
		c.at = record.words;
		ok(record.header.type == PERF_RECORD_SAMPLE &&
		       (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			   PERF_RECORD_MISC_USER,
		   "a sample in ring 3");
		good = take(&c) == id;
		ip = take(&c);
		ok(good && ip >= (uintptr_t)perf_loop_begin && ip <= (uintptr_t)perf_loop_end,
		   "IDENTIFIER, IP");
		bytes = take(&c);
		ok((uint32_t)bytes == (uint32_t)getpid() &&
		       bytes >> 32 == (uint64_t)syscall(SYS_gettid),
		   "TID");
		bytes = take(&c);
		ok(bytes > last_time, "TIME goes on");
		last_time = bytes;
		same(take(&c), 0, "ADDR");
		good = take(&c) == id;
		good = take(&c) == id && good;
		ok(good, "ID, STREAM_ID");
		same(take(&c), 0, "CPU");
		period = take(&c);
		same(period, 100000, "PERIOD");
		bytes = take(&c);
		ok(bytes >= (uint64_t)n * 100000 && bytes < (uint64_t)n * 100000 + 100000,
		   "READ: value");
		bytes = take(&c);
		good = take(&c) == bytes && bytes > 0;
		good = take(&c) == id && good;
		ok(take(&c) == 0 && good, "READ: times, id, lost");
		ok(check_chain(&c, ip), "CALLCHAIN");
		same(take(&c), 4, "RAW");
		registers = (uint64_t *)c.at;
		ok(check_registers(&c, ip), "REGS_USER");
		bytes = take(&c);
		good = bytes == DUMP && !memcmp(c.at, (void *)registers[8], 0);
		c.at += DUMP / 8;
		ok(good && take(&c) == DUMP, "STACK_USER");
		same(take(&c), 0, "WEIGHT");
		same(take(&c), 0x05080021, "DATA_SRC");
		same(take(&c), 0, "TRANSACTION");
		good = !memcmp(c.at, registers, 21 * 8);
		ok(check_registers(&c, ip) && good, "REGS_INTR");
		same(take(&c), 0, "PHYS_ADDR");
		same(take(&c), 1, "CGROUP");
		same(take(&c), 0, "DATA_PAGE_SIZE");
		same(take(&c), 4096, "CODE_PAGE_SIZE");
		same((uint64_t)((char *)c.at - (char *)&record), record.header.size,
		     "the record ends here");
	}
	same((uint64_t)n, 4, "four samples");
	perf_unmap(&ring);
	close(fd);
}

/* A sample in ring 0: kernel and user chain, user registers of the system call. */
static void kernel_samples(void)
{
	struct perf_event_attr attr =
	    sampling_attr(20011, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER);
	unsigned samples = 0, chains = 0;
	struct perf_ring ring;
	char buffer[4096];
	int fd;

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	attr.sample_regs_user = 1 << 8;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 16, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 2000; i++)
		getppid();
	if (read(0, buffer, 0) < 0)
		buffer[0] = 0;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		uint64_t *words = record.words, nr = words[1], i;

		samples++;
		for (i = 0; i < nr && words[2 + i] != PERF_CONTEXT_USER; i++)
			;
		chains += (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			      PERF_RECORD_MISC_KERNEL &&
			  (int64_t)words[0] < 0 && nr >= 4 && words[2] == PERF_CONTEXT_KERNEL &&
			  words[3] == words[0] && i + 1 < nr && words[3 + i] < 1ull << 47 &&
			  words[2 + nr] == PERF_SAMPLE_REGS_ABI_64 && words[3 + nr] == words[3 + i];
	}
	printf("# %u samples in ring 0\n", samples);
	ok(samples > 5 && chains == samples,
	   "samples in ring 0 have kernel chain, user chain and user registers");
	perf_unmap(&ring);
	close(fd);
}

/* Samples that do not fit are counted, and told as soon as there is room again. */
static void lost(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	unsigned in_loop = 0, others = 0, samples;
	uint64_t values[2];
	struct perf_ring ring;
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1, 0);
	lost_samples = 0;
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(250000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	samples = drain(&ring, &in_loop, &others);
	/* 24 bytes each; one byte always stays free. */
	same(samples, 4095 / 24, "a full ring holds what fits");
	same(lost_samples, 0, "nobody could be told of the lost ones yet");
	ok(read(fd, values, 16) == 16 && values[1] == 500 - samples,
	   "read tells how many were lost");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(5000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	same(drain(&ring, &in_loop, &others), 10, "then there is room again");
	same(lost_samples, values[1], "and the LOST record tells the number");
	perf_unmap(&ring);
	close(fd);
}

/* Mapped to read only: the newest records stay, data_tail means nothing. */
static void overwrite(bool backward)
{
	struct perf_event_attr attr =
	    sampling_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ);
	struct perf_ring ring;
	uint64_t head, value = 0, n = 0;
	bool good = true;
	int fd;

	attr.write_backward = backward;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 1, PROT_READ);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(250000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	head = ring.page->data_head;
	same(head, backward ? -(uint64_t)(500 * 32) : 500 * 32, "all were written");
	/* Backward: from head upward the newest come first. Forward: the oldest that is whole is
	 * 4096 bytes back. */
	ring.tail = backward ? head : head - 4096;
	for (; n < 4096 / 32; n++) {
		const uint64_t *at = (const uint64_t *)(ring.data + (ring.tail + n * 32) % 4096);
		uint64_t wanted = backward ? 500 - n : 500 - 4096 / 32 + 1 + n;

		value = at[3] / 1000;
		good = good && at[0] == (PERF_RECORD_SAMPLE | 2ull << 32 | 32ull << 48) &&
		       value == wanted;
	}
	if (!good)
		printf("# record of value %llu\n", (unsigned long long)value);
	ok(good, "the newest are there, %s", backward ? "newest first" : "oldest first");
	perf_unmap(&ring);
	close(fd);
}

/* poll wakes by number of samples or bytes. */
static void wakeups(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP);
	struct pollfd poll_fd = {.events = POLLIN};
	struct perf_ring ring;

	attr.wakeup_events = 5;
	poll_fd.fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, poll_fd.fd, 8, PROT_READ | PROT_WRITE);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(2000);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(poll(&poll_fd, 1, 0) == 0, "four samples of five do not wake");
	ioctl(poll_fd.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(1000);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(poll(&poll_fd, 1, 1000) == 1 && poll_fd.revents == POLLIN, "the fifth does");
	ok(poll(&poll_fd, 1, 0) == 0, "once");
	perf_unmap(&ring);
	close(poll_fd.fd);
	attr.watermark = 1;
	attr.wakeup_watermark = 1600;
	poll_fd.fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, poll_fd.fd, 8, PROT_READ | PROT_WRITE);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(49500);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(poll(&poll_fd, 1, 0) == 0, "1600 bytes do not pass a watermark of 1600");
	ioctl(poll_fd.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(1500);
	ioctl(poll_fd.fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(poll(&poll_fd, 1, 1000) == 1 && poll_fd.revents == POLLIN, "1616 do");
	perf_unmap(&ring);
	close(poll_fd.fd);
}

/* REFRESH lets so many samples through, then the event is off. */
static void refresh(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP);
	unsigned in_loop = 0, others = 0;
	struct perf_ring ring;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	perf_loop(20000);
	same(drain(&ring, &in_loop, &others), 3, "REFRESH 3 gives three samples");
	ok(perf_value(fd) < 10000, "and stops the count");
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	perf_loop(20000);
	same(drain(&ring, &in_loop, &others), 2, "REFRESH 2 two more");
	perf_unmap(&ring);
	close(fd);
}

/* PERIOD changes it at once. */
static void period(void)
{
	struct perf_event_attr attr = sampling_attr(100000000, PERF_SAMPLE_IP);
	unsigned in_loop = 0, others = 0;
	uint64_t value = 1000;
	struct perf_ring ring;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(5000);
	same(drain(&ring, &in_loop, &others), 0, "a long period gives no sample");
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);
	perf_loop(5000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	same(drain(&ring, &in_loop, &others), 10, "PERIOD makes it short while it runs");
	perf_unmap(&ring);
	close(fd);
}

/* Two events, one ring; and a storm of short periods in both rings. */
static void shared(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IDENTIFIER);
	unsigned first = 0, second = 0;
	struct perf_ring ring;
	uint64_t id = 0;
	int a = perf_open(&attr, 0, -1, -1, 0), b;

	attr.sample_period = 500;
	b = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, a, 8, PROT_READ | PROT_WRITE);
	ioctl(b, PERF_EVENT_IOC_SET_OUTPUT, a);
	ioctl(a, PERF_EVENT_IOC_ID, &id);
	ioctl(a, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(b, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(50000);
	ioctl(a, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(b, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record))
		record.words[0] == id ? first++ : second++;
	ok(first == 100 && second == 200, "two events share a ring: %u and %u samples", first,
	   second);
	perf_unmap(&ring);
	close(a);
	close(b);
}

static void storm(void)
{
	struct perf_event_attr attr = sampling_attr(20, PERF_SAMPLE_IP);
	unsigned samples = 0, throttles = 0;
	struct perf_ring ring;
	int fd;

	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 1000; i++)
		getppid();
	perf_loop(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		samples += record.header.type == PERF_RECORD_SAMPLE;
		throttles += record.header.type == PERF_RECORD_THROTTLE;
	}
	printf("# %u samples, %u times throttled\n", samples, throttles);
	ok(samples > 0, "the machine survives a storm of samples in both rings");
	perf_unmap(&ring);
	close(fd);
}

/* A frequency: after a while about so many samples a second. */
static void frequency(void)
{
	struct perf_event_attr attr =
	    sampling_attr(0, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_TIME);
	unsigned samples = 0;
	uint64_t first = 0, last = 0;
	struct perf_ring ring;
	double rate;
	int fd;

	attr.freq = 1;
	attr.sample_freq = 10000;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(5000000);
	while (perf_next(&ring, &record))
		;
	perf_loop(10000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		first = first ? first : record.words[1];
		last = record.words[1];
		samples++;
	}
	rate = samples > 1 ? 1e9 * (samples - 1) / (double)(last - first) : 0;
	printf("# %u samples, %.0f a second\n", samples, rate);
	ok(rate > 8000 && rate < 12500, "10,000 samples a second");
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	static const uint64_t periods[] = {100, 999, 1000, 10007, 65536};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!have_hardware()) {
		skip("sampling", "no PMU");
		return tap_end();
	}
	fields();
	kernel_samples();
	refresh();
	period();
	shared();
	storm();
	frequency();
	wakeups();
	if (!counts_are_exact()) {
		skip("exact samples", "this PMU does not promise them");
		return tap_end();
	}
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		exact(periods[i]);
	lost();
	overwrite(false);
	overwrite(true);
	return tap_end();
}
