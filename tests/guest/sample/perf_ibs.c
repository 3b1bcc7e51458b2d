/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling: samples of a loop by each of its PMUs, their contents, two
 * events that want one PMU, and precise events of the processor's PMU. */
#include "tests/guest/sample/sampling.h"
#include <fcntl.h>
#include <sched.h>

#define ITERATIONS 200000 /* of two instructions */
#define PERIOD     3200
#define COUNTS_OPS (1ull << 19)
#define RANDOM     (1ull << 57)
#define FIELDS     (PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

static int processor; /* the last one, where this program stays */

static void go_there(void)
{
	cpu_set_t one;

	processor = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static uint32_t type_of(const char *pmu)
{
	char path[64], text[16] = {0};
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return (uint32_t)atoi(text);
}

/* CPUID leaf 8000001BH. */
static uint32_t capabilities(void)
{
	uint32_t eax = 0x8000001b, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return eax;
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = perf_attr(type, config);

	attr.disabled = 1;
	attr.sample_period = period;
	attr.sample_type = FIELDS;
	return attr;
}

/* An event of the processor, as these PMUs count no task. */
static void open_there(struct sampler *s, struct perf_event_attr *attr)
{
	*s = (struct sampler){.fd = perf_open(attr, -1, processor, -1, 0)};
	if (s->fd >= 0 && perf_map(&s->ring, s->fd, 64, PROT_READ | PROT_WRITE))
		return;
	printf("Bail out! cannot sample: %s\n", strerror(errno));
	exit(1);
}

/* inside: the loop; elsewhere: in the rest of the program, not in the kernel, whose timer ticks. */
struct found {
	unsigned samples, inside, elsewhere, exact, of_period, right_raw;
};

/* Raw data: a word of capabilities, the control register, the address. */
static struct found look(struct sampler *s, uint64_t period)
{
	struct found found = {0};

	while (perf_next(&s->ring, &record)) {
		const char *raw = (const char *)&record.words[2];
		uint32_t caps;
		uint64_t address;

		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&caps, raw + 4, sizeof(caps));
		memcpy(&address, raw + 16, sizeof(address));
		found.samples++;
		found.inside += in_loop(record.words[0]);
		found.elsewhere += !in_loop(record.words[0]) && !(record.words[0] >> 63);
		found.exact += !!(record.header.misc & PERF_RECORD_MISC_EXACT_IP);
		found.of_period += record.words[1] == period;
		found.right_raw += caps == capabilities() && address == record.words[0];
	}
	return found;
}

static void samples(const char *what, struct perf_event_attr attr, uint64_t period)
{
	struct sampler s;
	struct found found;
	uint64_t count;

	open_there(&s, &attr);
	sampler_loop(&s, ITERATIONS);
	found = look(&s, period);
	count = perf_value(s.fd);
	ok(found.samples >= 20, "%s: %u samples", what, found.samples);
	ok(found.elsewhere <= 4 && found.inside >= 20, "%s: %u of them in the loop", what,
	   found.inside);
	ok(found.exact == found.samples, "%s: all know the instruction's address", what);
	ok(found.of_period == found.samples, "%s: and tell the period", what);
	ok(found.right_raw == found.samples, "%s: and what the registers hold", what);
	ok(count / period == found.samples, "%s: which fits the count, %lu", what,
	   (unsigned long)count);
	sampler_close(&s);
}

/* Two want the one counter of a PMU: they take turns. */
static void turns(uint32_t type)
{
	struct perf_event_attr attr = attr_of(type, 0, 10 * PERIOD);
	struct sampler s[2];
	struct found found[2];

	for (unsigned i = 0; i < 2; i++) {
		open_there(&s[i], &attr);
		ioctl(s[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	perf_loop(50 * ITERATIONS);
	for (unsigned i = 0; i < 2; i++) {
		ioctl(s[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		found[i] = look(&s[i], 10 * PERIOD);
		sampler_close(&s[i]);
	}
	ok(found[0].samples && found[1].samples, "two events take turns: %u and %u samples",
	   found[0].samples, found[1].samples);
}

static void frequency(uint32_t type)
{
	struct perf_event_attr attr = attr_of(type, 0, 20000);
	struct sampler s;
	struct found found;

	attr.freq = 1;
	open_there(&s, &attr);
	sampler_loop(&s, 50 * ITERATIONS);
	found = look(&s, 0);
	ok(found.samples >= 20, "a frequency gives %u samples", found.samples);
	is(found.exact, found.samples, "exact ones");
	sampler_close(&s);
}

/* The event stops after a number of samples, and can be enabled again. */
static void limited(uint32_t type)
{
	struct perf_event_attr attr = attr_of(type, 0, PERIOD);
	struct sampler s;

	open_there(&s, &attr);
	ioctl(s.fd, PERF_EVENT_IOC_REFRESH, 3);
	perf_loop(ITERATIONS);
	is(look(&s, PERIOD).samples, 3, "REFRESH: three samples");
	ioctl(s.fd, PERF_EVENT_IOC_REFRESH, 2);
	perf_loop(ITERATIONS);
	is(look(&s, PERIOD).samples, 2, "REFRESH again: two more samples");
	sampler_close(&s);
}

static void precise(void)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD);

	for (attr.precise_ip = 1; attr.precise_ip <= 2; attr.precise_ip++)
		samples(attr.precise_ip == 1 ? "cycles:p" : "cycles:pp", attr, PERIOD);
	attr = attr_of(PERF_TYPE_RAW, 0xc1, PERIOD);
	attr.precise_ip = 1;
	samples("r0c1:p", attr, PERIOD);
}

/* With an argument samples alone, which take the least time. */
int main(int argc, char **argv)
{
	uint32_t op = type_of("ibs_op"), fetch = type_of("ibs_fetch");

	(void)argv;
	if (!op || !fetch)
		return tap_skip_all("no instruction-based sampling");
	go_there();
	samples("cycles", attr_of(op, 0, PERIOD), PERIOD);
	samples("micro-operations", attr_of(op, COUNTS_OPS, PERIOD), PERIOD);
	samples("cycles by config", attr_of(op, PERIOD / 16, 0), PERIOD);
	samples("fetches", attr_of(fetch, 0, PERIOD / 4), PERIOD / 4);
	samples("random fetches", attr_of(fetch, RANDOM, PERIOD / 4), PERIOD / 4);
	if (argc > 1)
		return tap_end();
	turns(op);
	turns(fetch);
	frequency(op);
	limited(op);
	limited(fetch);
	precise();
	return tap_end();
}
