/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux 6.3 to 6.19, with --abi 6.19: longer attrs, values in inherited samples, deferred call
 * chains, traces that other events pause and resume, links' information. Without that option the
 * program is skipped.
 */
#include <linux/bpf.h>
#include <sys/utsname.h>

#include "tests/guest/perf.h"

#define SIZE_VER8        136
#define SIZE_VER9        144
#define DEFER_CALLCHAIN  1 /* of __reserved_1 */
#define DEFER_OUTPUT     2
#define START_PAUSED     1 /* of __reserved_3 */
#define PAUSE            2
#define RESUME           4
#define RECORD_DEFERRED  22
#define CONTEXT_DEFERRED ((uint64_t)-640)
#define RING_PAGES       16
#define AUX_BYTES        (16 * 4096ul)

static struct perf_event_attr dummy(void)
{
	return perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

static void sizes(void)
{
	struct {
		struct perf_event_attr attr;
		uint64_t more[4];
	} big = {.attr = dummy(), .more = {1, 1}};

	big.attr.size = SIZE_VER8;
	is(perf_try(&big.attr, 0, -1, -1, 0) >= 0, true, "136 bytes, with config3");
	big.attr.size = SIZE_VER9;
	is(perf_try(&big.attr, 0, -1, -1, 0) >= 0, true, "144 bytes, with config4");
	big.more[2] = 1;
	big.attr.size = SIZE_VER9 + 8;
	is(perf_try(&big.attr, 0, -1, -1, 0), -E2BIG, "E2BIG: 152 bytes, the last ones not 0");
	is(big.attr.size, SIZE_VER9, "E2BIG: the kernel's size is 144");
}

static void inherited_values(void)
{
	struct perf_event_attr attr = dummy();

	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_READ;
	is(perf_refusal(attr), -EINVAL, "EINVAL: inherit and READ without TID");
	attr.sample_type |= PERF_SAMPLE_TID;
	is(perf_refusal(attr), 0, "inherit and READ with TID");
}

static void flags(void)
{
	struct perf_event_attr attr = dummy();

	attr.__reserved_1 = 4;
	is(perf_refusal(attr), -EINVAL, "EINVAL: a flag after defer_output");
	attr.__reserved_1 = 0;
	attr.__reserved_3 = 8;
	is(perf_refusal(attr), -EINVAL, "EINVAL: an action after aux_resume");
	attr.__reserved_3 = PAUSE;
	is(perf_refusal(attr), -EINVAL, "EINVAL: aux_pause without a trace as its group's leader");
	attr.__reserved_3 = START_PAUSED;
	is(perf_refusal(attr), -EOPNOTSUPP,
	   "EOPNOTSUPP: aux_start_paused of an event without a trace");
}

static void deferred_chains(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	static struct perf_record record;
	uint64_t cookie = 0, brought = 0, samples = 0, marker = 0;
	struct perf_ring ring = {0};
	char *page;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.__reserved_1 = DEFER_CALLCHAIN | DEFER_OUTPUT;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ok(fd >= 0 && perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE),
	   "an event with deferred call chains");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	*(volatile char *)page = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE) {
			samples++;
			marker = record.words[record.words[0] - 1];
			cookie = record.words[record.words[0]];
		} else if (record.header.type == RECORD_DEFERRED) {
			brought = record.words[0];
			ok(record.words[1] >= 2 && record.words[2] == (uint64_t)PERF_CONTEXT_USER,
			   "the record has a chain of ring 3");
		}
	}
	ok(samples >= 1 && marker == CONTEXT_DEFERRED, "the sample's chain ends with the marker");
	ok(cookie && cookie == brought, "the record has the sample's cookie");
	munmap(page, 4096);
	perf_unmap(&ring);
	close(fd);
}

/* Opens a group: a trace that begins paused, and an event whose samples act on it. */
static int open_group(int *member, uint32_t action, struct perf_ring *ring, void **aux)
{
	struct perf_event_attr attr = perf_user_attr(pmu_type("intel_pt"), 1 << 10), other;
	int fd;

	attr.__reserved_3 = START_PAUSED;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd < 0 || !perf_map(ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return -1;
	ring->page->aux_offset = (1 + RING_PAGES) * 4096ul;
	ring->page->aux_size = AUX_BYTES;
	*aux =
	    mmap(NULL, AUX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (1 + RING_PAGES) * 4096l);
	if (*aux == MAP_FAILED)
		return -1;
	other = perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	other.disabled = 0;
	other.sample_period = 20000;
	other.__reserved_3 = action;
	*member = perf_open(&other, 0, -1, fd, 0);
	return fd;
}

static uint64_t traced_bytes(uint32_t action)
{
	struct perf_ring ring = {0};
	void *aux = NULL;
	int member = -1, fd = open_group(&member, action, &ring, &aux);
	uint64_t bytes;

	if (fd < 0 || member < 0)
		return UINT64_MAX;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(40000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	bytes = ring.page->aux_head;
	close(member);
	munmap(aux, AUX_BYTES);
	perf_unmap(&ring);
	close(fd);
	return bytes;
}

static void paused_traces(void)
{
	uint64_t never = traced_bytes(PAUSE), later = traced_bytes(RESUME);

	ok(never < 200, "a trace that begins paused stays empty: %u bytes", (unsigned)never);
	ok(later != UINT64_MAX && later > never + 500, "aux_resume starts it: %u bytes",
	   (unsigned)later);
}

/* ---- information about links: Linux 6.6, cookies: 6.9 ---- */

#define LINK_COOKIE 0x1122334455667788ull
#define KIND_EVENT  6
#define LINK_WORDS  8 /* 64-bit words of struct bpf_link_info */

/* Loads a program of the type for samples that returns 1. */
static int load_program(void)
{
	static const struct bpf_insn code[] = {{.code = 0xb7, .imm = 1}, {.code = 0x95}};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t) "GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int link_of(int program, int event)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.target_fd = (uint32_t)event;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = LINK_COOKIE;
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
}

static void links(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t words[LINK_WORDS] = {0};
	union bpf_attr info;
	int event, link;

	attr.sample_period = 1000;
	event = perf_open(&attr, 0, -1, -1, 0);
	link = link_of(load_program(), event);
	memset(&info, 0, sizeof(info));
	info.info.bpf_fd = (uint32_t)link;
	info.info.info_len = sizeof(words);
	info.info.info = (uintptr_t)words;
	is(syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &info, sizeof(info)), 0, "a link is described");
	is(info.info.info_len, sizeof(words), "a link's information has 64 bytes");
	is(words[2], KIND_EVENT, "the link is of an event that is sampled");
	is(words[3], PERF_COUNT_HW_INSTRUCTIONS, "the link has the event's config");
	is(words[4], PERF_TYPE_HARDWARE, "the link has the event's type");
	is(words[5], LINK_COOKIE, "the link has the program's cookie");
	close(link);
	close(event);
}

int main(void)
{
	struct utsname name;

	uname(&name);
	if (strncmp(name.release, "6.19", 4))
		return tap_skip_all("not Linux 6.19's interface");
	sizes();
	inherited_values();
	flags();
	deferred_chains();
	if (pmu_type("cpu"))
		links();
	if (pmu_type("intel_pt"))
		paused_traces();
	return tap_end();
}
