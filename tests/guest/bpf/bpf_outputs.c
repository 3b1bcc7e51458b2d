/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of a program's outputs: each arrives whole, in its order, where pages end, too, and wakes
 * whom it should, whatever else the events' samples hold. */
#include "tests/guest/cpus.h"
#include "tests/guest/bpf/bpf_calls.h"
#include <poll.h>

#define OUTPUTS 700 /* several times the ring's bytes */
#define FIRST   1000

#define PAGES_OF(bytes) (OUTPUTS * (bytes) / 4096)

static struct perf_record record;

static const struct {
	const char *name;
	uint64_t sample_type;
	uint32_t wakeup_events; /* 0: for each page */
	uint32_t words;         /* before the raw data */
	uint32_t least, most;   /* wake-ups: also for each page, or half of one, that fills */
} streams[] = {
    {"RAW, one a page", PERF_SAMPLE_RAW, 0, 0, PAGES_OF(48), PAGES_OF(48)},
    {"RAW, one each", PERF_SAMPLE_RAW, 1, 0, OUTPUTS, OUTPUTS},
    {"RAW, one for two", PERF_SAMPLE_RAW, 2, 0, OUTPUTS / 2, OUTPUTS / 2 + 2 * PAGES_OF(48)},
    {"CPU and RAW", PERF_SAMPLE_RAW | PERF_SAMPLE_CPU, 1, 1, OUTPUTS, OUTPUTS},
    {"TIME, CPU and RAW", PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 0, 2, PAGES_OF(64),
     PAGES_OF(64)},
};

/* At close(2): eight bytes of its argument, four times. */
static int writer(int events, uint64_t flags)
{
	return PROG(BPF_PROG_TYPE_TRACEPOINT, LOAD(BPF_DW, R6, R1, 16), STORE(BPF_DW, R10, -32, R6),
		    STORE(BPF_DW, R10, -24, R6), STORE(BPF_DW, R10, -16, R6),
		    STORE(BPF_DW, R10, -8, R6), MAP(R2, events), WIDE(R3, flags), MOV(R4, R10),
		    ADDI(R4, -32), MOVI(R5, 32), CALL(BPF_FUNC_perf_event_output), MOVI(R0, 0),
		    EXIT());
}

static int open_stream(unsigned i)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);

	attr.sample_type = streams[i].sample_type;
	attr.sample_period = 1;
	attr.wakeup_events = streams[i].wakeup_events;
	attr.watermark = !attr.wakeup_events;
	if (attr.watermark)
		attr.wakeup_watermark = 4096;
	return perf_open(&attr, -1, 0, -1, 0);
}

/* The words are all of this number, after the size. */
static bool is_whole(const struct perf_record *sample, uint32_t words, uint64_t number)
{
	const char *at = (const char *)&sample->words[words];
	uint64_t word;
	uint32_t size;

	memcpy(&size, at, sizeof(size));
	for (int i = 0; i < 4; i++) {
		memcpy(&word, at + sizeof(size) + 8 * i, sizeof(word));
		if (word != number)
			return false;
	}
	return sample->header.type == PERF_RECORD_SAMPLE && size == 36 &&
	       sample->header.size == 8 + 8 * words + 40;
}

static bool is_awake(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) == 1;
}

static void run_stream(unsigned i, int fd)
{
	uint32_t whole = 0, misc = 0, wakes = 0;
	struct perf_ring ring;

	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	for (unsigned long n = FIRST; n < FIRST + OUTPUTS; n++) {
		syscall(SYS_close, n);
		wakes += is_awake(fd);
		whole += perf_next(&ring, &record) && is_whole(&record, streams[i].words, n);
		misc += record.header.misc == PERF_RECORD_MISC_USER;
	}
	is(whole, OUTPUTS, "all outputs arrive");
	is(misc, OUTPUTS, "the outputs' samples are of ring 3");
	ok(wakes >= streams[i].least && wakes <= streams[i].most, "%u wake-ups, of %u to %u", wakes,
	   streams[i].least, streams[i].most);
	perf_unmap(&ring);
}

static void test_stream(unsigned i, uint64_t flags)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_close"));
	int events = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1, 0),
	    prog = writer(events, flags), fd = open_stream(i), event;
	uint32_t key = 0;

	printf("# %s, %s\n", streams[i].name, flags ? "BPF_F_CURRENT_CPU" : "index 0");
	map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_ANY);
	event = perf_open(&attr, -1, 0, -1, 0);
	ok(!ioctl(event, PERF_EVENT_IOC_SET_BPF, prog), "a program writes");
	run_stream(i, fd);
	close(event);
	close(prog);
	close(fd);
	close(events);
}

int main(void)
{
	mount_tracefs();
	place(0, 0);
	for (unsigned i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		test_stream(i, 0);
		test_stream(i, BPF_F_CURRENT_CPU);
	}
	return tap_end();
}
