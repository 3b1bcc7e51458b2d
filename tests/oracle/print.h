/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints every field of every record, in its order. Values that differ between two runs of one
 * kernel (addresses, times, numbers of events and tasks) are replaced by their meaning.
 */
#ifndef TESTS_ORACLE_PRINT_H
#define TESTS_ORACLE_PRINT_H

#include "oracle.h"

#define RING_PAGES 64

static struct perf_record record;

/* The values to compare with one event's records. */
struct expected {
	uint64_t id;
	uint32_t pid, tid, child;
};

static void print_pid(const struct expected *e, uint32_t pid)
{
	if (pid == e->pid)
		printf(" self");
	else if (pid == e->child)
		printf(" child");
	else
		printf(" %s", pid ? "other" : "0");
}

static void print_pids(const struct expected *e, uint64_t word)
{
	print_pid(e, (uint32_t)word);
	print_pid(e, (uint32_t)(word >> 32));
}

static void print_id(const struct expected *e, uint64_t id)
{
	printf(" %s", id == e->id ? "id" : id ? "other-id" : "0");
}

static void print_address(uint64_t address)
{
	if (address >= (uint64_t)-4095)
		printf(" context%ld", (long)address);
	else
		printf(" %s", (int64_t)address < 0 ? "kernel" : address ? "user" : "0");
}

/* The read values of PERF_SAMPLE_READ. Returns what follows. */
static const uint64_t *print_read(const struct expected *e, const uint64_t *at, uint64_t format)
{
	uint64_t members = format & PERF_FORMAT_GROUP ? *at++ : 1;

	printf(" members %lu", members);
	if (format & PERF_FORMAT_GROUP) {
		for (unsigned i = 0; i < 2; i++)
			if (format & (PERF_FORMAT_TOTAL_TIME_ENABLED << i))
				printf(" %s", *at++ ? "time" : "0");
	}
	for (uint64_t i = 0; i < members; i++) {
		printf(" value %s", *at++ ? "some" : "0");
		if (!(format & PERF_FORMAT_GROUP))
			for (unsigned t = 0; t < 2; t++)
				if (format & (PERF_FORMAT_TOTAL_TIME_ENABLED << t))
					printf(" %s", *at++ ? "time" : "0");
		if (format & PERF_FORMAT_ID)
			print_id(e, *at++);
		if (format & PERF_FORMAT_LOST)
			printf(" lost %lu", *at++);
	}
	return at;
}

static const uint64_t *print_chain(const uint64_t *at)
{
	uint64_t nr = *at++;

	printf(" chain");
	for (uint64_t i = 0; i < nr; i++, at++)
		if (i < 3 || (*at >= (uint64_t)-4095))
			print_address(*at);
	return at;
}

static const uint64_t *print_registers(const uint64_t *at, uint64_t mask, const char *name)
{
	uint64_t abi = *at++;

	printf(" %s-abi %lu", name, abi);
	return abi ? at + __builtin_popcountl(mask) : at;
}

static const uint64_t *print_stack(const uint64_t *at)
{
	uint64_t size = *at++;

	printf(" stack %lu", size);
	if (!size)
		return at;
	at += size / 8;
	printf(" dynamic %s", *at > size ? "more" : *at ? "some" : "0");
	return at + 1;
}

/* Prints the fields that samples share with the identification of other records, independent of
 * the run. */
static const uint64_t *print_when(uint64_t type, const struct expected *e, const uint64_t *at)
{
	if (type & PERF_SAMPLE_TID)
		print_pids(e, *at++);
	if (type & PERF_SAMPLE_TIME)
		printf(" %s", *at++ ? "time" : "0");
	return at;
}

static const uint64_t *print_where(uint64_t type, const struct expected *e, const uint64_t *at)
{
	if (type & PERF_SAMPLE_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_STREAM_ID)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_CPU)
		printf(" cpu %lx", *at++);
	return at;
}

/* The fields that need no more than their own word. */
static const uint64_t *print_words(const struct perf_event_attr *attr, const struct expected *e,
				   const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		print_id(e, *at++);
	if (type & PERF_SAMPLE_IP)
		print_address(*at++);
	at = print_when(type, e, at);
	if (type & PERF_SAMPLE_ADDR)
		print_address(*at++);
	at = print_where(type, e, at);
	if (type & PERF_SAMPLE_PERIOD)
		printf(" period %lu", *at++);
	return at;
}

static const uint64_t *print_rest(const struct perf_event_attr *attr, const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN)
		at = print_chain(at);
	if (type & PERF_SAMPLE_RAW)
		printf(" raw %lx", *at++);
	if (type & PERF_SAMPLE_REGS_USER)
		at = print_registers(at, attr->sample_regs_user, "user");
	if (type & PERF_SAMPLE_STACK_USER)
		at = print_stack(at);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		printf(" weight %lx", *at++);
	if (type & PERF_SAMPLE_DATA_SRC)
		printf(" source %lx", *at++);
	if (type & PERF_SAMPLE_TRANSACTION)
		printf(" transaction %lx", *at++);
	if (type & PERF_SAMPLE_REGS_INTR)
		at = print_registers(at, attr->sample_regs_intr, "intr");
	if (type & PERF_SAMPLE_PHYS_ADDR)
		printf(" physical %s", *at++ ? "some" : "0");
	if (type & PERF_SAMPLE_CGROUP)
		printf(" cgroup %lu", *at++);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		printf(" data-page %lx", *at++);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		printf(" code-page %lx", *at++);
	return at;
}

static const uint64_t *print_sample(const struct perf_event_attr *attr, const struct expected *e)
{
	const uint64_t *at = print_words(attr, e, record.words);

	if (attr->sample_type & PERF_SAMPLE_READ)
		at = print_read(e, at, attr->read_format);
	return print_rest(attr, at);
}

/* Prints the fields that sample_id_all adds to records other than samples. */
static const uint64_t *print_sample_id(const struct perf_event_attr *attr, const struct expected *e,
				       const uint64_t *at)
{
	uint64_t type = attr->sample_type;

	if (!attr->sample_id_all)
		return at;
	printf(" |");
	at = print_when(type, e, at);
	at = print_where(type, e, at);
	if (type & PERF_SAMPLE_IDENTIFIER)
		print_id(e, *at++);
	return at;
}

static const uint64_t *print_name(const uint64_t *at)
{
	printf(" '%s'", (const char *)at);
	return at + strlen((const char *)at) / 8 + 1;
}

static const uint64_t *print_mapping(const struct expected *e, const uint64_t *at, bool second)
{
	print_pids(e, *at++);
	print_address(*at++);
	printf(" length %lx offset ", at[0]);
	if (at[1] && at[1] == at[-1])
		printf("address");
	else
		printf("%lx", at[1]);
	at += 2;
	if (second && record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		printf(" build id of %lx bytes", at[0] & 0xffffffff);
		for (unsigned i = 0; i < 20; i++)
			printf("%s%02x", i ? "" : " ", ((const uint8_t *)at)[4 + i]);
		printf(" prot %x flags %x", (unsigned)at[3], (unsigned)(at[3] >> 32));
		at += 4;
	} else if (second) {
		printf(" device %s inode %s", at[0] ? "some" : "0", at[1] ? "some" : "0");
		printf(" prot %x flags %x", (unsigned)at[3], (unsigned)(at[3] >> 32));
		at += 4;
	}
	return print_name(at);
}

/* True for a namespace that Linux starts with; two of them, net and mnt, have numbers like later
 * ones. */
static bool is_first_namespace(uint64_t place, uint64_t number)
{
	return number >> 28 == 0xe || ((place == 0 || place == 5) && number >> 28 == 0xf);
}

/* The body of a record that is no sample. */
static const uint64_t *print_other(const struct expected *e)
{
	const uint64_t *at = record.words;

	switch (record.header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return print_mapping(e, at, record.header.type == PERF_RECORD_MMAP2);
	case PERF_RECORD_COMM:
		print_pids(e, *at++);
		return print_name(at);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		print_pids(e, at[0]);
		print_pids(e, at[1]);
		printf(" %s", at[2] ? "time" : "0");
		return at + 3;
	case PERF_RECORD_NAMESPACES:
		print_pids(e, at[0]);
		printf(" %lu:", at[1]);
		for (uint64_t i = 0; i < at[1]; i++)
			printf(" %s %s", at[2 + 2 * i] ? "device" : "0",
			       is_first_namespace(i, at[3 + 2 * i]) ? "initial" : "other");
		return at + 2 + 2 * at[1];
	case PERF_RECORD_LOST:
		print_id(e, at[0]);
		printf(" %lu", at[1]);
		return at + 2;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		printf(" %s", at[0] ? "time" : "0");
		print_id(e, at[1]);
		print_id(e, at[2]);
		return at + 3;
	case PERF_RECORD_SWITCH:
		return at;
	case PERF_RECORD_READ:
		print_pids(e, *at++);
		return at;
	default:
		printf(" body of an unknown type");
		return (const uint64_t *)((char *)&record + record.header.size);
	}
}

static void print_record(const struct perf_event_attr *attr, const struct expected *e)
{
	const uint64_t *end;

	printf("  type %u misc %x size %u:", record.header.type, record.header.misc,
	       record.header.size);
	if (record.header.type == PERF_RECORD_SAMPLE)
		end = print_sample(attr, e);
	else
		end = print_sample_id(attr, e, print_other(e));
	printf("%s\n", (const char *)end - (const char *)&record == record.header.size
			   ? ""
			   : " WRONG SIZE");
}

static void drain(struct perf_ring *ring, const struct perf_event_attr *attr, struct expected *e,
		  unsigned most)
{
	for (unsigned n = 0; n < most && perf_next(ring, &record); n++)
		print_record(attr, e);
	while (perf_next(ring, &record))
		;
}

static struct expected expected_of(int fd)
{
	struct expected e = {.pid = (uint32_t)getpid(), .tid = (uint32_t)getpid()};

	ioctl(fd, PERF_EVENT_IOC_ID, &e.id);
	return e;
}

#endif
