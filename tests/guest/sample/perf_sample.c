/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling: every period one sample, at its place; periods that end, change or follow a frequency;
 * events that share a ring. */
#include "tests/guest/sample/sampling.h"

/* Period P over N instructions gives floor(N / P) samples, none lost. */
static void exact(uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(period, PERF_SAMPLE_IP);
	struct sampler s;
	uint64_t count;

	sampler_open(&s, &attr, 256, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 4; i++) {
		sampler_loop(&s, period * 60 < 100000 ? period * 60 : 100000);
		sampler_drain(&s);
	}
	count = perf_value(s.fd);
	printf("# period %llu: %u samples of %llu, %u in the loop\n", (unsigned long long)period,
	       s.samples, (unsigned long long)count, s.in_loop);
	ok(s.samples == count / period && !s.lost && !s.others,
	   "period %llu: a sample for each, none lost", (unsigned long long)period);
	ok(s.samples - s.in_loop <= 4 + 60 * 4 / period, "all samples are in the loop");
	sampler_close(&s);
}

/* REFRESH lets so many samples through, then the event is off. */
static void refresh(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP);
	struct sampler s;

	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_REFRESH, 3);
	perf_loop(20000);
	is(sampler_drain(&s), 3, "REFRESH 3 gives three samples");
	ok(perf_value(s.fd) < 10000, "REFRESH's last sample stops the count");
	ioctl(s.fd, PERF_EVENT_IOC_REFRESH, 2);
	perf_loop(20000);
	is(sampler_drain(&s), 2, "REFRESH 2 two more");
	sampler_close(&s);
}

/* PERIOD changes it at once. */
static void period(void)
{
	struct perf_event_attr attr = sampling_attr(100000000, PERF_SAMPLE_IP);
	uint64_t value = 1000;
	struct sampler s;

	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(5000);
	is(sampler_drain(&s), 0, "a long period gives no sample");
	ioctl(s.fd, PERF_EVENT_IOC_PERIOD, &value);
	perf_loop(5000);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	is(sampler_drain(&s), 10, "PERIOD makes it short while it runs");
	sampler_close(&s);
}

/* Two events, one ring. */
static void shared(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IDENTIFIER);
	unsigned first = 0, second = 0;
	struct sampler s;
	uint64_t id = 0;
	int other;

	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ID, &id);
	attr.sample_period = 500;
	other = perf_open(&attr, 0, -1, -1, 0);
	ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, s.fd);
	ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
	sampler_loop(&s, 50000);
	ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record))
		record.words[0] == id ? first++ : second++;
	ok(first == 100 && second == 200, "two events share a ring: %u and %u samples", first,
	   second);
	sampler_close(&s);
	close(other);
}

/* Short periods in both rings: of one, a PMI comes after each instruction of the kernel that
 * switches events and writes their user pages, until the limits stop the event. */
static void storm(uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(period, PERF_SAMPLE_IP);
	struct sampler s;

	attr.exclude_kernel = 0;
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 1000; i++)
		getppid();
	for (int i = 0; i < 100; i++) {
		ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	perf_loop(period * 5000);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	sampler_drain(&s);
	printf("# %u samples, %u times throttled and let go\n", s.samples, s.others);
	ok(s.samples > 0, "the machine survives samples of %lu in both rings", period);
	sampler_close(&s);
}

/* An event of ring 3 whose PMI comes late shows where a system call enters the kernel: in few
 * samples, as on Linux, and in no other field. */
static void late_ones(void)
{
	struct perf_event_attr attr = sampling_attr(997, PERF_SAMPLE_IP);
	unsigned kernels = 0, told = 0, samples = 0;
	struct sampler s;

	sampler_open(&s, &attr, 256, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	/* Long ways between calls: amd-core's PMIs come 32 instructions late. */
	for (unsigned i = 0; i < 600; i++) {
		perf_loop(600);
		syscall(SYS_getppid);
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		kernels += record.words[0] >> 63;
		told +=
		    (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	}
	printf("# %u of %u\n", kernels, samples);
	ok(samples > 300 && kernels * 20 <= samples, "few samples of ring 3 lie in the kernel");
	is(told, kernels, "late samples say that they are the kernel's");
	sampler_close(&s);
}

/* An event of ring 3 beside one that takes all that samples of ring 0 may: where its PMIs come late
 * they find ring 0, but it is not limited. */
static void beside_storm(void)
{
	struct perf_event_attr attr = sampling_attr(20, PERF_SAMPLE_IP);
	struct sampler storm, s;

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	sampler_open(&storm, &attr, 64, PROT_READ | PROT_WRITE);
	attr = sampling_attr(101, PERF_SAMPLE_IP);
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(storm.fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	ioctl(storm.fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	sampler_drain(&storm);
	sampler_drain(&s);
	printf("# %u and %u samples, %u and %u times throttled and let go\n", storm.samples,
	       s.samples, storm.others, s.others);
	ok(storm.others > 0, "samples of ring 0 are throttled");
	ok(s.samples > 100 && s.others == 0, "beside a storm ring 3's samples are not limited");
	sampler_close(&s);
	sampler_close(&storm);
}

/* A frequency: after a while about so many samples a second. */
static void frequency(void)
{
	struct perf_event_attr attr = sampling_attr(10000, PERF_SAMPLE_TIME);
	uint64_t first = 0, last = 0;
	unsigned samples = 0;
	struct sampler s;
	double rate;

	attr.freq = 1;
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(2000000);
	sampler_drain(&s);
	perf_loop(3000000);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		first = first ? first : record.words[0];
		last = record.words[0];
		samples++;
	}
	rate = samples > 1 ? 1e9 * (samples - 1) / (double)(last - first) : 0;
	printf("# %u samples, %.0f a second\n", samples, rate);
	ok(rate > 8000 && rate < 12500, "10,000 samples a second");
	sampler_close(&s);
}

/* A frequency of 0 asks for no samples: the event counts. */
static void no_frequency(void)
{
	struct perf_event_attr attr = sampling_attr(0, PERF_SAMPLE_TIME);
	uint64_t count = 0;
	int fd;

	attr.freq = 1;
	attr.read_format = 0;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(read(fd, &count, sizeof(count)) == sizeof(count) && count > 0,
	   "a frequency of 0 counts without samples");
	close(fd);
}

int main(void)
{
	static const uint64_t periods[] = {100, 999, 1000, 10007, 65536};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!have_hardware())
		return tap_skip_all("no PMU");
	refresh();
	period();
	shared();
	storm(20);
	storm(1);
	late_ones();
	beside_storm();
	frequency();
	no_frequency();
	if (!counts_are_exact()) {
		skip("exact samples", "this PMU does not promise them");
		return tap_end();
	}
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		exact(periods[i]);
	return tap_end();
}
