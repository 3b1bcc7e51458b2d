/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring in each of its modes: full, overwritten, backward, waking its reader. */
#include "tests/guest/sample/sampling.h"
#include <poll.h>

/* Samples that do not fit are counted, and reported as soon as there is room again. */
static void lost(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	uint64_t values[2];
	struct sampler s;

	attr.read_format = PERF_FORMAT_LOST;
	sampler_open(&s, &attr, 1, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 250000);
	/* 24 bytes each; one byte always stays free. */
	is(sampler_drain(&s), 4095 / 24, "a full ring holds what fits");
	is(s.lost, 0, "nobody could be told of the lost ones yet");
	ok(read(s.fd, values, 16) == 16 && values[1] == 500 - s.samples,
	   "read tells how many were lost");
	sampler_loop(&s, 5000);
	is(sampler_drain(&s), 10, "then there is room again");
	is(s.lost, values[1], "the LOST record has the number of lost samples");
	sampler_close(&s);
}

/* Whether record `n` of 32 bytes, counted from where reading starts, is the sample that read the
 * value of `wanted` periods. */
static bool is_sample_of(const struct perf_ring *ring, uint64_t n, uint64_t wanted)
{
	const uint64_t *at = (const uint64_t *)(ring->data + (ring->tail + n * 32) % 4096);

	if (at[3] / 1000 != wanted)
		printf("# record %llu is of value %llu\n", (unsigned long long)n,
		       (unsigned long long)at[3]);
	return at[0] == (PERF_RECORD_SAMPLE | 2ull << 32 | 32ull << 48) && at[3] / 1000 == wanted;
}

/* Mapped to read only: the newest records stay, data_tail means nothing. */
static void overwrite(bool backward)
{
	const uint64_t kept = 4096 / 32;
	struct perf_event_attr attr =
	    sampling_attr(1000, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ);
	uint64_t head, good = 0;
	struct sampler s;

	attr.write_backward = backward;
	sampler_open(&s, &attr, 1, PROT_READ);
	sampler_loop(&s, 250000);
	ioctl(s.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	head = s.ring.page->data_head;
	is(head, backward ? -(uint64_t)(500 * 32) : 500 * 32, "all records were written");
	/* Backward: from head upward the newest come first. Forward: the oldest that is whole is
	 * 4096 bytes back. */
	s.ring.tail = backward ? head : head - 4096;
	for (uint64_t n = 0; n < kept; n++)
		good += is_sample_of(&s.ring, n, backward ? 500 - n : 500 - kept + 1 + n);
	is(good, kept, backward ? "the newest first" : "the oldest first");
	sampler_close(&s);
}

static int polled(const struct sampler *s, int timeout)
{
	struct pollfd one = {.fd = s->fd, .events = POLLIN};

	return poll(&one, 1, timeout) == 1 ? one.revents : 0;
}

/* poll wakes by number of samples or bytes. */
static void wakeups(void)
{
	struct perf_event_attr attr = sampling_attr(1000, PERF_SAMPLE_IP);
	struct sampler s;

	attr.wakeup_events = 5;
	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 2000);
	is((uint64_t)polled(&s, 0), 0, "four samples of five do not wake");
	sampler_loop(&s, 1000);
	is((uint64_t)polled(&s, 1000), POLLIN, "the fifth does");
	is((uint64_t)polled(&s, 0), 0, "once");
	sampler_close(&s);
	attr.watermark = 1;
	attr.wakeup_watermark = 1600;
	sampler_open(&s, &attr, 8, PROT_READ | PROT_WRITE);
	sampler_loop(&s, 49500);
	is((uint64_t)polled(&s, 0), 0, "1600 bytes do not pass a watermark of 1600");
	sampler_loop(&s, 1500);
	is((uint64_t)polled(&s, 1000), POLLIN, "1616 do");
	sampler_close(&s);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!have_hardware())
		return tap_skip_all("no PMU");
	wakeups();
	if (!counts_are_exact()) {
		skip("full rings", "this PMU does not promise exact samples");
		return tap_end();
	}
	lost();
	overwrite(false);
	overwrite(true);
	return tap_end();
}
