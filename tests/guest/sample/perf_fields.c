/* SPDX-License-Identifier: BSD-2-Clause */
/* All fields of a sample, in ring 3 and in ring 0. */
#include "tests/guest/sample/sampling.h"
#include <sys/stat.h>

#define PERIOD    100000
#define REGISTERS ((1ull << 24) - 1 - (1 << 12) - (1 << 13) - (1 << 14) - (1 << 15))
#define DUMP      256

/* The record that is read, field after field, and the expected values of its fields. */
struct reader {
	const uint64_t *at;
	uint64_t id, number; /* of the event; of the sample, from 1 */
	uint64_t ip, last_time;
	const uint64_t *registers; /* of REGS_USER: their ABI and values */
};

static uint64_t take(struct reader *r)
{
	return *r->at++;
}

static bool check_id(struct reader *r)
{
	return take(r) == r->id;
}

static bool check_ip(struct reader *r)
{
	r->ip = take(r);
	return in_loop(r->ip);
}

static bool check_tid(struct reader *r)
{
	uint64_t ids = take(r);

	return (uint32_t)ids == (uint32_t)getpid() && ids >> 32 == (uint64_t)syscall(SYS_gettid);
}

static bool check_time(struct reader *r)
{
	uint64_t before = r->last_time;

	r->last_time = take(r);
	return r->last_time > before;
}

/* Value, times, id, lost. */
static bool check_read(struct reader *r)
{
	uint64_t value = take(r), enabled = take(r), running = take(r), id = take(r);

	return value / PERIOD == r->number && enabled > 0 && running == enabled && id == r->id &&
	       take(r) == 0;
}

__attribute__((noinline)) static void inner(void)
{
	perf_loop(210000); /* a late NMI of the fourth sample still comes in it */
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer(void)
{
	inner();
	__asm__ volatile("");
}

static bool check_chain(struct reader *r)
{
	uint64_t nr = take(r), found = 0;
	const uint64_t *entries = r->at;

	r->at += nr;
	if (nr < 4 || entries[0] != PERF_CONTEXT_USER || entries[1] != r->ip)
		return false;
	for (uint64_t i = 2; i < nr; i++) {
		found += entries[i] > (uintptr_t)inner && entries[i] < (uintptr_t)inner + 64;
		found += entries[i] > (uintptr_t)outer && entries[i] < (uintptr_t)outer + 64;
	}
	return found == 2;
}

static bool check_user_registers(struct reader *r)
{
	r->registers = r->at;
	return take(r) == PERF_SAMPLE_REGS_ABI_64 && r->at[8] == r->ip && (r->at[10] & 3) == 3 &&
	       (r->at += 20);
}

/* Two dumps of a sample in ring 3 are the same. */
static bool check_intr_registers(struct reader *r)
{
	const uint64_t *user = r->registers;
	bool good = !memcmp(r->at, user, 21 * sizeof(*user));

	return check_user_registers(r) && good;
}

static bool check_stack(struct reader *r)
{
	uint64_t size = take(r);
	/* The stack of the loop's caller is unchanged: its frame, whose first word is RBP. */
	bool good = size == DUMP && r->registers[1 + 6] - r->registers[1 + 7] < DUMP - 8;

	if (good)
		good =
		    r->at[(r->registers[1 + 6] - r->registers[1 + 7]) / 8 + 1] > (uintptr_t)inner &&
		    r->at[(r->registers[1 + 6] - r->registers[1 + 7]) / 8 + 1] <
			(uintptr_t)inner + 64;
	r->at += size / 8;
	return take(r) == DUMP && good;
}

/* Fields in their order; those without a function are one word with this value. */
static const struct field {
	uint64_t bit;
	const char *name;
	bool (*check)(struct reader *r);
	uint64_t value;
} all_fields[] = {
    {PERF_SAMPLE_IDENTIFIER, "IDENTIFIER", check_id, 0},
    {PERF_SAMPLE_IP, "IP", check_ip, 0},
    {PERF_SAMPLE_TID, "TID", check_tid, 0},
    {PERF_SAMPLE_TIME, "TIME", check_time, 0},
    {PERF_SAMPLE_ADDR, "ADDR", NULL, 0},
    {PERF_SAMPLE_ID, "ID", check_id, 0},
    {PERF_SAMPLE_STREAM_ID, "STREAM_ID", check_id, 0},
    {PERF_SAMPLE_CPU, "CPU", NULL, 0},
    {PERF_SAMPLE_PERIOD, "PERIOD", NULL, PERIOD},
    {PERF_SAMPLE_READ, "READ", check_read, 0},
    {PERF_SAMPLE_CALLCHAIN, "CALLCHAIN", check_chain, 0},
    {PERF_SAMPLE_RAW, "RAW", NULL, 4},
    {PERF_SAMPLE_REGS_USER, "REGS_USER", check_user_registers, 0},
    {PERF_SAMPLE_STACK_USER, "STACK_USER", check_stack, 0},
    {PERF_SAMPLE_WEIGHT, "WEIGHT", NULL, 0},
    {PERF_SAMPLE_DATA_SRC, "DATA_SRC", NULL, 0x05080021},
    {PERF_SAMPLE_TRANSACTION, "TRANSACTION", NULL, 0},
    {PERF_SAMPLE_REGS_INTR, "REGS_INTR", check_intr_registers, 0},
    {PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", NULL, 0},
    {PERF_SAMPLE_CGROUP, "CGROUP", NULL, 1},
    {PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", NULL, 0},
    {PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", NULL, 4096},
};

#define FIELDS (sizeof(all_fields) / sizeof(all_fields[0]))

static void check_sample(struct reader *r)
{
	r->at = record.words;
	r->number++;
	ok(record.header.type == PERF_RECORD_SAMPLE &&
	       (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER,
	   "sample %d is in ring 3", (int)r->number);
	for (const struct field *f = all_fields; f < all_fields + FIELDS; f++) {
		if (f->check)
			ok(f->check(r), "%s", f->name);
		else
			is(take(r), f->value, f->name);
	}
	is((uint64_t)((const char *)r->at - (const char *)&record), record.header.size,
	   "the record ends here");
}

static void fields(void)
{
	struct perf_event_attr attr = sampling_attr(PERIOD, 0);
	struct reader r = {0};
	struct sampler s;

	for (unsigned i = 0; i < FIELDS; i++)
		attr.sample_type |= all_fields[i].bit;
	attr.sample_regs_user = attr.sample_regs_intr = REGISTERS;
	attr.sample_stack_user = DUMP;
	attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	sampler_open(&s, &attr, 16, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ID, &r.id);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	outer();
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&s.ring, &record))
		check_sample(&r);
	is(r.number, 4, "four samples");
	sampler_close(&s);
}

/* The record has these fields, each a word, and no more. */
static bool has_words(struct reader *r, uint64_t type)
{
	bool good = true;

	r->at = record.words;
	for (const struct field *f = all_fields; f < all_fields + FIELDS; f++)
		if (type & f->bit)
			good &= f->check ? f->check(r) : take(r) == f->value;
	return good &&
	       (uint64_t)((const char *)r->at - (const char *)&record) == record.header.size;
}

static void words(uint64_t type, const char *name, const char *what)
{
	struct perf_event_attr attr = sampling_attr(PERIOD, type);
	unsigned samples = 0, good = 0;
	struct reader r = {0};
	struct sampler s;

	sampler_open(&s, &attr, 16, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ID, &r.id);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	outer();
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	for (; perf_next(&s.ring, &record); samples++)
		good += has_words(&r, type);
	ok(samples == 4 && good == 4, "%s %s", name, what);
	sampler_close(&s);
}

/* Samples with each of the leading one-word fields, and with all except each; with a rare one,
 * with raw data. */
static void each_word(void)
{
	uint64_t all = 0;

	for (const struct field *f = all_fields; f->bit != PERF_SAMPLE_READ; f++)
		all |= f->bit;
	for (const struct field *f = all_fields; f->bit != PERF_SAMPLE_READ; f++) {
		words(f->bit, f->name, "alone");
		words(f->bit | PERF_SAMPLE_WEIGHT, f->name, "and a weight");
		words(f->bit | PERF_SAMPLE_RAW, f->name, "and raw data");
		words(all & ~f->bit, f->name, "alone left out");
		words((all & ~f->bit) | PERF_SAMPLE_WEIGHT, f->name, "left out, and a weight");
		words((all & ~f->bit) | PERF_SAMPLE_RAW, f->name, "left out, and raw data");
	}
}

static bool in_ring(unsigned mode)
{
	return (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == mode;
}

/* IP, chain of ring 0 and of ring 3, registers of the system call. */
static bool is_kernel_sample(void)
{
	const uint64_t *words = record.words, *chain = words + 2, *registers;
	uint64_t nr = words[1], user = 0;

	while (user < nr && chain[user] != PERF_CONTEXT_USER)
		user++;
	registers = chain + nr;
	return in_ring(PERF_RECORD_MISC_KERNEL) && (int64_t)words[0] < 0 && nr >= 4 &&
	       chain[0] == PERF_CONTEXT_KERNEL && chain[1] == words[0] && user + 1 < nr &&
	       chain[user + 1] < 1ull << 47 && registers[0] == PERF_SAMPLE_REGS_ABI_64 &&
	       registers[1] == chain[user + 1];
}

static void kernel_samples(void)
{
	struct perf_event_attr attr =
	    sampling_attr(7001, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER);
	unsigned samples = 0, good = 0, late = 0;
	struct sampler s;

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	attr.sample_regs_user = 1 << 8;
	sampler_open(&s, &attr, 16, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	/* Calls that are equally long, or alternate, would be sampled at a few addresses only. */
	for (unsigned i = 0, chance = 1; i < 3500; i++) {
		chance = chance * 1103515245 + 12345;
		if (chance >> 16 & 1)
			getppid();
		else
			umask(022);
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	for (; perf_next(&s.ring, &record); samples++) {
		if (is_kernel_sample())
			good++;
		else /* the PMI of SYSRET itself finds ring 3; AMD's come even later */
			late += in_ring(PERF_RECORD_MISC_USER);
	}
	printf("# %u samples, %u of them late\n", samples, late);
	/* The way in and out is some 60 instructions: few samples are of the last ones, but where a
	 * PMI comes 32 instructions late (docs/emulated-pmu.md: amd-core). */
	ok(good > 5 && good + late == samples && late <= samples / (processor_is_amd() ? 2 : 8),
	   "samples in ring 0 have kernel chain, user chain and user registers");
	sampler_close(&s);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!have_hardware())
		return tap_skip_all("no PMU");
	fields();
	each_word();
	kernel_samples();
	return tap_end();
}
