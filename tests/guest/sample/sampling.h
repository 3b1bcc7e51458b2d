/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the programs that sample: an event of ring 3 with its ring, run over loops of known
 * length. */
#ifndef TESTS_GUEST_SAMPLING_H
#define TESTS_GUEST_SAMPLING_H

#include "tests/guest/perf.h"

static struct perf_record record;

static inline struct perf_event_attr sampling_attr(uint64_t period, uint64_t type)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = period;
	attr.sample_type = type;
	return attr;
}

/* An event, its ring, and the number of samples taken out so far. */
struct sampler {
	int fd;
	struct perf_ring ring;
	unsigned samples, in_loop; /* all; those whose first field is an address in the loop */
	unsigned others;           /* neither samples nor LOST */
	uint64_t lost;             /* counted by LOST records */
};

/* In the group of `leader`, -1: on its own. */
static inline void sampler_join(struct sampler *s, struct perf_event_attr *attr, int leader,
				unsigned pages, int prot)
{
	*s = (struct sampler){.fd = perf_open(attr, 0, -1, leader, 0)};
	if (s->fd < 0 || !perf_map(&s->ring, s->fd, pages, prot)) {
		printf("Bail out! cannot sample: %s\n", strerror(errno));
		exit(1);
	}
}

static inline void sampler_open(struct sampler *s, struct perf_event_attr *attr, unsigned pages,
				int prot)
{
	sampler_join(s, attr, -1, pages, prot);
}

static inline void sampler_close(struct sampler *s)
{
	perf_unmap(&s->ring);
	close(s->fd);
}

/* Samples a loop of 2 * iterations instructions. */
static inline void sampler_loop(struct sampler *s, uint64_t iterations)
{
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(iterations);
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static inline bool in_loop(uint64_t ip)
{
	return ip >= (uintptr_t)perf_loop_begin && ip <= (uintptr_t)perf_loop_end;
}

/* Takes all records out. Returns how many samples there were. */
static inline unsigned sampler_drain(struct sampler *s)
{
	unsigned before = s->samples;

	while (perf_next(&s->ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE) {
			s->samples++;
			s->in_loop += in_loop(record.words[0]);
		} else if (record.header.type == PERF_RECORD_LOST) {
			s->lost += record.words[1];
		} else {
			s->others++;
		}
	}
	return s->samples - before;
}

#endif
