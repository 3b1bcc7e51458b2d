/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling: the events that its PMUs take, and the fields of their
 * samples. */
#include "oracle.h"
#include <fcntl.h>
#include <sys/mman.h>

#define RING_PAGES 8

/* ---- what /sys says ---- */

static const char *const names[] = {"ibs_fetch", "ibs_op"};

static bool read_file(const char *pmu, const char *file, char *text, size_t bytes)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, bytes - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* 0: there is none. */
static uint32_t type_of(const char *pmu)
{
	char text[32];

	return read_file(pmu, "type", text, sizeof(text)) ? (uint32_t)atoi(text) : 0;
}

static void print_files(const char *pmu)
{
	static const char *const files[] = {
	    "type",          "format/rand_en", "format/cnt_ctl",           "format/l3missonly",
	    "format/swfilt", "format/maxcnt",  "caps/zen4_ibs_extensions", "cpumask",
	    "rdpmc"};
	char text[64];

	for (unsigned i = 0; i < COUNT(files); i++)
		if (read_file(pmu, files[i], text, sizeof(text)))
			printf("%s/%s: %s", pmu, files[i], text);
		else
			printf("%s/%s: none\n", pmu, files[i]);
}

/* ---- which attrs are taken ---- */

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = perf_attr(type, config);

	attr.disabled = 1;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

static int on_processor(struct perf_event_attr *attr)
{
	return try_open(attr, -1, 0, -1, 0);
}

static void configs(const char *pmu, uint32_t type)
{
	static const uint64_t periods[] = {0,        1,         8,         15,         16,
					   0x90,     0x91,      10000,     10001,      0xffff0,
					   0x100000, 0x7fffff0, 0x8000000, 1ull << 40, 1ull << 63};
	struct perf_event_attr attr;

	for (unsigned p = 0; p < COUNT(periods); p++) {
		row("%s period %lx, bits of config", pmu, (unsigned long)periods[p]);
		for (unsigned bit = 0; bit < 64; bit++) {
			attr = attr_of(type, 1ull << bit, periods[p]);
			cell(on_processor(&attr));
		}
		attr = attr_of(type, 0, periods[p]);
		cell(on_processor(&attr));
		row_end();
	}
}

static void flags(const char *pmu, uint32_t type)
{
	struct perf_event_attr attr;

	row("%s flags", pmu);
	for (unsigned bit = 0; bit < 38; bit++) {
		attr = attr_of(type, 0, 10000);
		*attr_flags(&attr) |= 1ull << bit;
		cell(on_processor(&attr));
	}
	row_end();
	row("%s precise_ip and frequencies", pmu);
	for (unsigned precise = 0; precise < 4; precise++)
		for (unsigned frequency = 0; frequency < 3; frequency++) {
			attr = attr_of(type, 0, 10000);
			attr.precise_ip = precise;
			attr.freq = frequency > 0;
			attr.sample_freq = frequency == 2 ? 0 : 10000;
			cell(on_processor(&attr));
		}
	row_end();
	row("%s sample_type", pmu);
	for (unsigned bit = 0; bit < 26; bit++) {
		attr = attr_of(type, 0, 10000);
		attr.sample_type = 1ull << bit;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		attr.sample_regs_user = attr.sample_regs_intr = 1;
		attr.sample_stack_user = 64;
		cell(on_processor(&attr));
	}
	row_end();
	attr = attr_of(type, 0, 10000);
	report(try_attr(&attr), "%s of this task", pmu);
	report(try_open(&attr, 0, 0, -1, 0), "%s of this task on a processor", pmu);
	report(try_open(&attr, -1, 1000, -1, 0), "%s of no processor", pmu);
	attr.config1 = attr.config2 = 1;
	report(on_processor(&attr), "%s with further configs", pmu);
}

/* ---- groups ---- */

static void groups(const uint32_t types[])
{
	const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} kinds[] = {{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
		     {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		     {names[0], types[0], 0},
		     {names[1], types[1], 0}};

	for (unsigned l = 0; l < COUNT(kinds); l++) {
		struct perf_event_attr leader = attr_of(kinds[l].type, kinds[l].config, 10000);
		int fd = perf_open(&leader, -1, 0, -1, 0);

		row("%s leads dummy, cycles, fetch, op", kinds[l].name);
		for (unsigned m = 0; m < COUNT(kinds); m++) {
			struct perf_event_attr attr =
			    attr_of(kinds[m].type, kinds[m].config, 10000);

			cell(try_open(&attr, -1, 0, fd, 0));
		}
		row_end();
		close(fd);
	}
}

/* ---- precise events of the processor's PMU ---- */

static void precise(void)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} events[] = {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES | 4ull << 32},
		      {PERF_TYPE_HW_CACHE, 0},
		      {PERF_TYPE_RAW, 0x76},
		      {PERF_TYPE_RAW, 0xc1},
		      {PERF_TYPE_RAW, 0xc0},
		      {PERF_TYPE_RAW, 0x1000076}};

	for (unsigned e = 0; e < COUNT(events); e++) {
		row("type %u config %lx: precise_ip 0 to 3 of a processor, of a task, counted",
		    events[e].type, (unsigned long)events[e].config);
		for (unsigned how = 0; how < 3; how++)
			for (unsigned precise = 0; precise < 4; precise++) {
				struct perf_event_attr attr =
				    attr_of(events[e].type, events[e].config, how == 2 ? 0 : 10000);

				attr.precise_ip = precise;
				cell(how == 1 ? try_attr(&attr) : on_processor(&attr));
			}
		row_end();
	}
}

/* ---- samples ---- */

struct seen {
	unsigned samples, user, exact, raw_bytes, of_raw_size, with_caps, with_address;
};

#define SAMPLED                                                                     \
	(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

/* In the order of the record. The raw data's words begin after their size. */
struct sample {
	struct perf_event_header header;
	uint64_t ip, address, period;
	uint32_t raw_bytes, raw[];
};

static void look_at(const struct sample *s, struct seen *seen)
{
	uint64_t raw_ip;

	if (s->header.type != PERF_RECORD_SAMPLE)
		return;
	memcpy(&raw_ip, &s->raw[3], sizeof(raw_ip)); /* after caps and control */
	seen->samples++;
	seen->user += (s->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	seen->exact += !!(s->header.misc & PERF_RECORD_MISC_EXACT_IP);
	if (!seen->raw_bytes)
		seen->raw_bytes = s->raw_bytes;
	seen->of_raw_size += s->raw_bytes == seen->raw_bytes;
	seen->with_caps += s->raw[0] & 1;
	seen->with_address += raw_ip == s->ip;
}

static void collect(const char *ring, struct seen *seen)
{
	const struct perf_event_mmap_page *page = (const void *)ring;
	const char *data = ring + PAGE;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	for (uint64_t at = 0; at < head && head <= RING_PAGES * PAGE;) {
		const struct sample *s = (const void *)(data + at);

		look_at(s, seen);
		at += s->header.size;
	}
}

static uint64_t work(uint64_t n)
{
	uint64_t x = n;

	for (; n; n--)
		__asm__ volatile("" : "+r"(x));
	return x;
}

static void samples(const char *what, uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = attr_of(type, config, period);
	struct seen seen = {0};
	void *ring;
	int fd;

	attr.sample_type = SAMPLED;
	fd = perf_open(&attr, -1, 0, -1, 0);
	ring = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || ring == MAP_FAILED) {
		printf("%s: %s\n", what, outcome(-errno));
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	collect(ring, &seen);
	printf("%s: %s, %s in ring 3; exact: %d, raw of %u bytes: %d, with caps: %d, with the "
	       "address: %d\n",
	       what, seen.samples >= 10 ? "samples" : "few samples",
	       2 * seen.user > seen.samples ? "most" : "few", seen.exact == seen.samples,
	       seen.raw_bytes, seen.of_raw_size == seen.samples, seen.with_caps == seen.samples,
	       seen.with_address == seen.samples);
	munmap(ring, (1 + RING_PAGES) * PAGE);
	close(fd);
}

int main(void)
{
	uint32_t types[COUNT(names)];

	for (unsigned i = 0; i < COUNT(names); i++) {
		types[i] = type_of(names[i]);
		print_files(names[i]);
	}
	print_files("msr");
	precise();
	if (!types[0] || !types[1])
		return 0;
	for (unsigned i = 0; i < COUNT(names); i++) {
		configs(names[i], types[i]);
		flags(names[i], types[i]);
	}
	groups(types);
	samples("op by cycles", types[1], 0, 32000);
	samples("op by ops", types[1], 1 << 19, 32000);
	samples("op by config", types[1], 2000, 0);
	samples("op in long periods", types[1], 0, 0x101000);
	samples("op of rare misses", types[1], 1 << 16, 32000);
	samples("fetch", types[0], 0, 16000);
	samples("random fetch", types[0], 1ull << 57, 16000);
	return 0;
}
