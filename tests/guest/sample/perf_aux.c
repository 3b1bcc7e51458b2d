/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AUX area, filled by Processor Trace: mappings, records, room, overwriting, parts of it in
 * samples, address filters, false heads and tails in the user page, and events that exclude each
 * other. Runs on Linux as well. Packets are decoded by e2e/pmu/trace.t.
 */
#include "tests/guest/perf.h"

#define RING_PAGES 8
#define AUX_PAGES  16
#define AUX_BYTES  (AUX_PAGES * 4096ul)
#define OFFSET     ((1 + RING_PAGES) * 4096ul)
/* An area that is soon full: FILLING indirect calls, whose packets have at least three bytes each,
 * are more than it holds. A stepped branch takes the host 14 us. */
#define SMALL_BYTES (2 * 4096ul)
#define FILLING     4000

static struct perf_event_attr pt_attr(void)
{
	struct perf_event_attr attr = perf_user_attr(pmu_type("intel_pt"), 1 << 10); /* TSC */

	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return attr;
}

struct traced {
	struct perf_ring ring;
	int fd;
	unsigned char *aux;
};

static void *map_aux(const struct traced *t, uint64_t bytes, int prot)
{
	return mmap(NULL, bytes, prot, MAP_SHARED, t->fd, OFFSET);
}

static bool traced_open(struct traced *t, uint64_t bytes, int prot)
{
	struct perf_event_attr attr = pt_attr();

	t->fd = perf_open(&attr, 0, -1, -1, 0);
	if (t->fd < 0 || !perf_map(&t->ring, t->fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return false;
	t->ring.page->aux_offset = OFFSET;
	t->ring.page->aux_size = bytes;
	t->aux = map_aux(t, bytes, prot);
	return t->aux != MAP_FAILED;
}

static void traced_close(struct traced *t)
{
	if (t->aux != MAP_FAILED)
		munmap(t->aux, t->ring.page->aux_size);
	perf_unmap(&t->ring);
	close(t->fd);
}

/* Runs a loop whose branches are packets. */
static void trace(struct traced *t, uint64_t iterations)
{
	ioctl(t->fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(iterations);
	ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0);
}

__attribute__((noinline)) static void called(void)
{
	__asm__ volatile("");
}

/* As trace(), with packets that fill a small area. */
static void trace_calls(struct traced *t)
{
	void (*volatile function)(void) = called;

	ioctl(t->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < FILLING; i++)
		function();
	ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0);
}

struct found {
	unsigned aux, started;
	uint64_t bytes, flags, end;
	bool gap; /* an AUX record does not begin where the last one ended */
};

static struct found read_records(struct traced *t)
{
	static struct perf_record record;
	struct found found = {0};

	while (perf_next(&t->ring, &record)) {
		if (record.header.type == PERF_RECORD_ITRACE_START)
			found.started += (uint32_t)record.words[0] == (uint32_t)getpid();
		if (record.header.type != PERF_RECORD_AUX)
			continue;
		found.gap |= found.aux && record.words[0] != found.end;
		found.aux++;
		found.bytes += record.words[1];
		found.flags |= record.words[2];
		found.end = record.words[0] + record.words[1];
	}
	return found;
}

static bool has_psb(const unsigned char *bytes, uint64_t nr)
{
	static const unsigned char psb[] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
					    2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};

	return nr >= sizeof(psb) && memcmp(bytes, psb, sizeof(psb)) == 0;
}

static void a_trace(void)
{
	struct traced t;
	struct found found;

	ok(traced_open(&t, AUX_BYTES, PROT_READ | PROT_WRITE), "an AUX area of 16 pages is mapped");
	trace(&t, 10000);
	found = read_records(&t);
	is(found.started, 1, "ITRACE_START names this process, once");
	ok(found.aux && found.bytes > 500 && !found.flags,
	   "AUX records report at least 500 bytes of 10,000 branches");
	ok(t.ring.page->aux_head == found.bytes, "aux_head is the sum of their sizes");
	ok(has_psb(t.aux, found.bytes), "the trace begins with a PSB packet");
	t.ring.page->aux_tail = t.ring.page->aux_head;
	trace(&t, 10000);
	found = read_records(&t);
	ok(found.aux && !found.started, "enabled again it appends, without another ITRACE_START");
	traced_close(&t);
}

static int map_error(const struct traced *t, uint64_t bytes, uint64_t offset)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, (long)offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, bytes);
	return 0;
}

static void wrong_mappings(void)
{
	struct traced t;

	traced_open(&t, AUX_BYTES, PROT_READ | PROT_WRITE);
	is(map_error(&t, AUX_BYTES, OFFSET), 0, "an AUX area may be mapped twice");
	is(map_error(&t, AUX_BYTES / 2, OFFSET), -EINVAL, "EINVAL: another size than aux_size");
	is(map_error(&t, AUX_BYTES, OFFSET + 4096), -EINVAL,
	   "EINVAL: another offset than aux_offset");
	t.ring.page->aux_size = AUX_BYTES / 2;
	is(map_error(&t, AUX_BYTES / 2, OFFSET), -EINVAL,
	   "EINVAL: another size than the first mapping's");
	t.ring.page->aux_size = AUX_BYTES;
	munmap(t.aux, AUX_BYTES);
	t.ring.page->aux_offset = 4096;
	is(map_error(&t, AUX_BYTES, 4096), -EINVAL, "EINVAL: inside the ring");
	t.ring.page->aux_offset = OFFSET;
	t.ring.page->aux_size = 3 * 4096;
	is(map_error(&t, 3 * 4096, OFFSET), -EINVAL, "EINVAL: three pages");
	t.aux = MAP_FAILED;
	traced_close(&t);
}

/* The reader never moves aux_tail. */
static void a_full_area(void)
{
	struct traced t;
	struct found found;

	traced_open(&t, SMALL_BYTES, PROT_READ | PROT_WRITE);
	trace_calls(&t);
	found = read_records(&t);
	ok(found.flags & PERF_AUX_FLAG_TRUNCATED, "a full area: a record is flagged TRUNCATED");
	ok(found.bytes <= SMALL_BYTES && found.bytes > SMALL_BYTES / 2,
	   "a full area's data does not exceed the area");
	ok(!found.gap, "each AUX record begins where the last one ended");
	traced_close(&t);
}

static void overwriting(void)
{
	struct traced t;
	struct found found;

	ok(traced_open(&t, SMALL_BYTES, PROT_READ), "an area that is mapped read-only overwrites");
	trace_calls(&t);
	found = read_records(&t);
	ok(found.aux && (found.flags & PERF_AUX_FLAG_OVERWRITE),
	   "overwriting records are flagged OVERWRITE");
	ok(!(found.flags & PERF_AUX_FLAG_TRUNCATED), "an overwriting area is never full");
	ok(t.ring.page->aux_head < SMALL_BYTES, "aux_head is an offset in the area");
	traced_close(&t);
}

#define PART 256 /* bytes of the area in a sample */

static bool has_data(const uint64_t *words, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (words[i])
			return true;
	return false;
}

/* Reads the samples of IP and AUX. Returns how many have PART bytes of a trace. */
static unsigned sampled_parts(struct traced *t, unsigned *samples)
{
	static struct perf_record record;
	unsigned nr = 0;

	while (perf_next(&t->ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		++*samples;
		nr += record.words[1] == PART &&
		      record.header.size == sizeof(record.header) + 16 + PART &&
		      has_data(record.words + 2, PART);
	}
	return nr;
}

static void in_samples(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	unsigned samples = 0, parts;
	struct traced t;
	int fd;

	traced_open(&t, AUX_BYTES, PROT_READ);
	attr.disabled = 0;
	attr.sample_period = 8000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_AUX;
	attr.aux_sample_size = PART;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "EINVAL: AUX in samples of an event alone");
	fd = perf_open(&attr, 0, -1, t.fd, 0);
	ok(fd >= 0, "AUX in samples of a group whose leader traces");
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, t.fd);
	trace(&t, 25000);
	parts = sampled_parts(&t, &samples);
	ok(samples >= 5, "at least 5 samples of 50,000 instructions");
	is(parts, samples, "each sample has 256 bytes of the trace");
	close(fd);
	traced_close(&t);
}

/* Returns the offset in the program's file of a function. */
static unsigned long offset_of(const void *function)
{
	unsigned long address = (unsigned long)function, start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static int set_filter(const struct traced *t, const char *text)
{
	return ioctl(t->fd, PERF_EVENT_IOC_SET_FILTER, text) ? -errno : 0;
}

static uint64_t filtered_bytes(struct traced *t, const void *function)
{
	char text[128];

	snprintf(text, sizeof(text), "filter %#lx/32@/proc/self/exe", offset_of(function));
	is(set_filter(t, text), 0, "a filter of 32 bytes of the program");
	trace(t, 10000);
	return read_records(t).bytes;
}

static void filters(void)
{
	static const struct {
		const char *text;
		int error;
		const char *name;
	} rows[] = {
	    {"filter 0x1000@/proc/self/exe", -EINVAL, "EINVAL: a filter without size"},
	    {"filter", -EINVAL, "EINVAL: an action alone"},
	    {"watch 0/4096@/proc/self/exe", -EINVAL, "EINVAL: an unknown action"},
	    {"filter 0/4096@/proc", -EINVAL, "EINVAL: a range of a directory"},
	    {"filter 0/4096@/proc/none", -ENOENT, "ENOENT: a range of no file"},
	    {"start 0/4096@/proc/self/exe", -EOPNOTSUPP, "EOPNOTSUPP: a start filter"},
	    {"filter 0/1@/proc/self/exe,filter 1/1@/proc/self/exe filter 2/1@/proc/self/exe",
	     -EOPNOTSUPP, "EOPNOTSUPP: three ranges"},
	};
	struct traced t;

	traced_open(&t, AUX_BYTES, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is(set_filter(&t, rows[i].text), rows[i].error, rows[i].name);
	ok(filtered_bytes(&t, (const void *)perf_loop) > 500, "code of the filter is traced");
	ok(filtered_bytes(&t, (const void *)offset_of) < 500, "other code is not");
	is(set_filter(&t, "filter 0x900000000000000/0x1000"), 0,
	   "non-canonical addresses are taken");
	trace(&t, 10);
	is(set_filter(&t, ""), 0, "no filter any more");
	trace(&t, 10000);
	ok(read_records(&t).bytes > 500, "without a filter all code is traced");
	traced_close(&t);
}

static long available_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *file = fopen("/proc/meminfo", "r");

	while (file && kib < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

/* As LTP's perf_event_open03 (CVE-2020-25704): a filter that names no file leaves no copy of the
 * name. Linux takes memory by the page, and other tasks' changes are within the bound. */
static void refused_filters_leave_nothing(void)
{
	enum { TRIES = 40000, NAME_BYTES = 48, BOUND_KIB = TRIES * NAME_BYTES / 1024 / 2 };
	struct perf_event_attr attr = pt_attr();
	int fd = perf_open(&attr, 0, -1, -1, 0), refused = 0;
	char text[16 + NAME_BYTES];
	long before;

	snprintf(text, sizeof(text), "filter,0/0@%0*d", NAME_BYTES - 1, 0);
	refused += ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) != 0;
	before = available_kib();
	for (unsigned i = 1; i < TRIES; i++)
		refused += ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) != 0;
	is(refused, TRIES, "a filter of no file is refused each time");
	before -= available_kib();
	if (!ok(before < BOUND_KIB, "refused filters leave no memory behind"))
		printf("# %ld KiB less\n", before);
	close(fd);
}

/* Whatever the application writes into the user page, the kernel stays in the area. */
static void lying_pages(void)
{
	static const uint64_t lies[] = {1,         4095,       AUX_BYTES,        AUX_BYTES + 1,
					1ul << 63, UINT64_MAX, UINT64_MAX - 4096};
	struct traced t;
	bool inside = true;

	traced_open(&t, AUX_BYTES, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		uint64_t before = read_records(&t).bytes;

		t.ring.page->aux_tail = lies[i];
		t.ring.page->aux_head = ~lies[i];
		t.ring.page->aux_offset = lies[i];
		trace(&t, 1000);
		inside &= read_records(&t).bytes <= AUX_BYTES && before <= AUX_BYTES;
	}
	ok(inside, "no false head, tail or offset makes a record exceed the area");
	t.ring.page->aux_size = AUX_BYTES;
	traced_close(&t);
}

static void exclusive(void)
{
	struct perf_event_attr attr = pt_attr();
	int first = perf_open(&attr, 0, -1, -1, 0);

	is(perf_try(&attr, 0, -1, -1, 0), -EBUSY, "EBUSY: a second event of the task");
	is(perf_try(&attr, -1, 0, -1, 0), -EBUSY, "EBUSY: a processor's event beside a task's");
	close(first);
	first = perf_try(&attr, -1, 0, -1, 0);
	ok(first >= 0, "a processor's event alone");
	is(perf_try(&attr, 0, -1, -1, 0), -EBUSY, "EBUSY: a task's event beside a processor's");
	close(first);
}

/* Before Goldmont and Ice Lake a processor cannot trace and record branches at once. */
static void beside_branches(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	FILE *file = fopen("/sys/bus/event_source/devices/cpu/caps/pmu_name", "r");
	char name[32] = "";
	bool excluded;
	int fd, trace_fd;

	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	excluded = !strcmp(name, "skylake");
	attr.sample_period = 10000;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	fd = perf_try(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return;
	attr = pt_attr();
	trace_fd = perf_try(&attr, 0, -1, -1, 0);
	ok(excluded ? trace_fd == -EBUSY : trace_fd >= 0, "a trace beside branch records: %d",
	   trace_fd);
	if (trace_fd >= 0)
		close(trace_fd);
	close(fd);
}

static void wrong_configs(void)
{
	static const struct {
		uint64_t config;
		const char *name;
	} rows[] = {
	    {1ull << 2, "EINVAL: OS is the driver's own bit"},
	    {1ull << 13, "EINVAL: branch without pt"},
	    {1ull << 4, "EINVAL: power events, which are not there"},
	    {1ull << 9 | 1ull << 14, "EINVAL: a period of MTC that is not listed"},
	    {15ull << 24, "EINVAL: a period of PSB that is not listed"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = pt_attr();

		attr.config = rows[i].config;
		is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, rows[i].name);
	}
}

int main(void)
{
	if (!pmu_type("intel_pt"))
		return tap_skip_all("no Processor Trace");
	a_trace();
	wrong_mappings();
	a_full_area();
	overwriting();
	in_samples();
	filters();
	refused_filters_leave_nothing();
	lying_pages();
	exclusive();
	beside_branches();
	wrong_configs();
	return tap_end();
}
