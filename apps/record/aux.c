/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware traces: the AUX area of an event (man 2 perf_event_open, "aux_offset"), and the
 * description of Processor Trace that decoders need. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/lib/event/pmu_files.h"
#include "apps/lib/perfdata/perfdata_aux.h"
#include "apps/record/record.h"

#define PT            "intel_pt"
#define DEVICE        "/sys/bus/event_source/devices/" PT "/"
#define DEFAULT_PAGES 1024

/* Bits of attr.config (SDM volume 3, IA32_RTIT_CTL). */
#define PT_ON               (1u << 0)
#define PT_CYC              (1u << 1)
#define PT_MTC              (1u << 9)
#define PT_TSC              (1u << 10)
#define PT_NORETCOMP        (1u << 11)
#define PT_BRANCH           (1u << 13)
#define PT_MTC_PERIOD_SHIFT 14
#define PT_MTC_PERIOD       (15u << PT_MTC_PERIOD_SHIFT)
#define PT_PSB_PERIOD_SHIFT 24
#define PT_PSB_PERIOD       (15u << PT_PSB_PERIOD_SHIFT)
#define USUAL_PERIOD        3 /* of MTC and PSB, perf's */

bool aux_is_traced(const struct perf_event_attr *attr)
{
	uint32_t type;

	return pmu_type(PT, &type) && attr->type == type;
}

/* Returns a number in a file of the PMU; 0: there is none. */
static uint64_t device_number(const char *file, const char *format)
{
	char path[128];
	unsigned long number = 0;
	FILE *stream;

	snprintf(path, sizeof(path), DEVICE "%s", file);
	stream = fopen(path, "re");
	if (stream && fscanf(stream, format, &number) != 1)
		number = 0;
	if (stream)
		fclose(stream);
	return number;
}

/* Returns the period nearest to the usual one that the file has, a bit each; 0: none. */
static uint64_t nearest_period(const char *cap, const char *file)
{
	uint64_t periods = device_number(cap, "%lx") ? device_number(file, "%lx") : 0;

	for (unsigned distance = 0; distance < 16; distance++) {
		if (periods >> (USUAL_PERIOD + distance) & 1)
			return USUAL_PERIOD + distance;
		if (distance <= USUAL_PERIOD && periods >> (USUAL_PERIOD - distance) & 1)
			return USUAL_PERIOD - distance;
	}
	return 0;
}

/* True if the event's text turns the term off, which its attributes do not show. */
static bool is_off(const char *event, const char *term)
{
	size_t length = strlen(term);

	for (const char *at = event; (at = strstr(at, term)); at += length)
		if (strchr("/,", at[-1]) && !strncmp(at + length, "=0", 2))
			return true;
	return false;
}

/* As perf, adds TSC, MTC, branches and periods where the PMU has them and none is chosen. */
static uint64_t with_defaults(uint64_t config, const char *event)
{
	uint64_t mtc = nearest_period("caps/mtc", "caps/mtc_periods");

	config |= PT_ON | (is_off(event, "tsc") ? 0 : PT_TSC);
	if (!is_off(event, "branch"))
		config |= PT_BRANCH;
	if (!(config & PT_MTC_PERIOD) && mtc && !is_off(event, "mtc"))
		config |= PT_MTC | mtc << PT_MTC_PERIOD_SHIFT;
	if (!(config & PT_PSB_PERIOD))
		config |= nearest_period("caps/psb_cyc", "caps/psb_periods") << PT_PSB_PERIOD_SHIFT;
	return config;
}

void aux_prepare(struct perf_event_attr *attr, const char *event)
{
	attr->config = with_defaults(attr->config, event);
	attr->sample_period = 1;
	attr->sample_type |= PERF_SAMPLE_CPU;
	attr->context_switch = 1;
	attr->precise_ip = 0;
}

int aux_map(struct ring *ring, int fd, unsigned pages)
{
	uint64_t offset = (uint64_t)(ring->data - (unsigned char *)ring->user_page) + ring->size;
	uint64_t size = (uint64_t)(pages ? pages : DEFAULT_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	void *area;

	ring->user_page->aux_offset = offset;
	ring->user_page->aux_size = size;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (area == MAP_FAILED) {
		fprintf(stderr, "record: cannot map %lu KiB for the trace: %s\n",
			(unsigned long)size >> 10, strerror(errno));
		return -1;
	}
	ring->aux = area;
	ring->aux_size = size;
	return 0;
}

/* As the ring itself: aux_head is loaded before the data, aux_tail stored after reading it. */
void aux_drain(struct session *session, int index)
{
	struct ring *ring = &session->rings[index];
	uint64_t head, start = ring->aux_read & (ring->aux_size - 1), first;
	struct perfdata_aux_piece piece = {.offset = ring->aux_read,
					   .index = (uint32_t)index,
					   .tid = (uint32_t)-1,
					   .cpu = (uint32_t)session->cpus[index]};

	if (!ring->aux)
		return;
	head = __atomic_load_n(&ring->user_page->aux_head, __ATOMIC_ACQUIRE);
	piece.size = head - ring->aux_read;
	if (!piece.size || piece.size > ring->aux_size)
		return;
	first = piece.size > ring->aux_size - start ? ring->aux_size - start : piece.size;
	piece.reference = head;
	perfdata_append_aux(&session->writer, &piece,
			    (const unsigned char *const[2]){ring->aux + start, ring->aux}, first);
	ring->aux_read = head;
	__atomic_store_n(&ring->user_page->aux_tail, head, __ATOMIC_RELEASE);
}

static void clock_words(const struct session *session, uint64_t *words)
{
	const struct perf_event_mmap_page *page = session->rings[0].user_page;
	unsigned denominator = 0, numerator = 0, unused;

	words[AUX_TIME_SHIFT] = page->time_shift;
	words[AUX_TIME_MULT] = page->time_mult;
	words[AUX_TIME_ZERO] = page->time_zero;
	words[AUX_HAS_TIME_ZERO] = page->cap_user_time_zero;
	__get_cpuid_count(0x15, 0, &denominator, &numerator, &unused, &unused);
	words[AUX_PT_TSC_NUMERATOR] = numerator;
	words[AUX_PT_TSC_DENOMINATOR] = denominator;
	words[AUX_PT_MAX_NONTURBO] = device_number("max_nonturbo_ratio", "%lu");
}

void aux_describe(struct session *session)
{
	struct perfdata_aux_info info = {.header = {PERFDATA_RECORD_AUXTRACE_INFO, 0, sizeof(info)},
					 .kind = PERFDATA_AUX_INTEL_PT,
					 .words = {[AUX_PMU_TYPE] = session->events[0].attr.type,
						   [AUX_PT_TSC_BIT] = PT_TSC,
						   [AUX_PT_NORETCOMP_BIT] = PT_NORETCOMP,
						   [AUX_PT_SWITCHES] = 2,
						   [AUX_PT_PER_CPU] = 1,
						   [AUX_PT_MTC_BIT] = PT_MTC,
						   [AUX_PT_MTC_PERIOD_BITS] = PT_MTC_PERIOD,
						   [AUX_PT_CYC_BIT] = PT_CYC}};

	if (!session->rings[0].aux)
		return;
	clock_words(session, info.words);
	perfdata_append(&session->writer, &info.header);
}
