/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples, with each of their fields and read formats, and lost records. */
#include "print.h"

static void fill_attr(struct perf_event_attr *attr)
{
	attr->sample_regs_user = 0xff0fff;
	attr->sample_regs_intr = 0x1ff;
	attr->sample_stack_user = 512;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
}

/* Three samples of page faults, or of instructions, with these fields. */
static void sample(const char *name, uint32_t event_type, uint64_t sample_type,
		   uint64_t read_format)
{
	struct perf_event_attr attr =
	    event_type == PERF_TYPE_SOFTWARE
		? perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)
		: perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	volatile char *pages =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int fd;

	fill_attr(&attr);
	attr.sample_period = event_type == PERF_TYPE_SOFTWARE ? 1 : 5000;
	attr.sample_type = sample_type;
	attr.read_format = read_format;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("%s sample_type %lx read_format %lx: %s\n", name, (unsigned long)sample_type,
	       (unsigned long)read_format, outcome(fd));
	if (fd < 0 || !perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
		return;
	e = expected_of(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (event_type == PERF_TYPE_SOFTWARE)
		for (unsigned i = 0; i < 2; i++)
			pages[i * PAGE] = 1;
	else
		perf_loop(6000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
	munmap((void *)pages, 4 * PAGE);
}

static void samples(void)
{
	const uint64_t unsupported =
	    PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT;
	uint64_t all = (PERF_SAMPLE_MAX - 1) & ~unsupported;
	static const char *const names[] = {"faults", "instructions"};
	static const uint32_t types[] = {PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE};

	for (unsigned t = 0; t < 2; t++) {
		for (unsigned bit = 0; bit < 25; bit++)
			sample(names[t], types[t], 1ull << bit, 0);
		sample(names[t], types[t], all, PERF_FORMAT_MAX - 1);
		sample(names[t], types[t], all & ~(uint64_t)PERF_SAMPLE_STACK_USER, 0);
		for (uint64_t format = 1; format < PERF_FORMAT_MAX; format++)
			sample(names[t], types[t], PERF_SAMPLE_READ, format);
	}
}

/* Samples of a group: one member samples, the other is only read. */
static void group_samples(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
			       member;
	volatile char *pages =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int leader, sibling;

	member = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	member.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_IDENTIFIER;
	attr.read_format = PERF_FORMAT_MAX - 1;
	member.read_format = PERF_FORMAT_MAX - 1;
	leader = perf_open(&attr, 0, -1, -1, 0);
	sibling = perf_open(&member, 0, -1, leader, 0);
	perf_map(&ring, leader, 2, PROT_READ | PROT_WRITE);
	e = expected_of(leader);
	printf("samples of a group\n");
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pages[0] = 1;
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 4);
	perf_unmap(&ring);
	close(sibling);
	close(leader);
	munmap((void *)pages, 4 * PAGE);
}
/* Lost records are reported when there is room again. */
static void lost(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *pages =
	    mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_ring ring;
	struct expected e;
	int fd;

	attr.sample_period = 1;
	attr.sample_type =
	    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	e = expected_of(fd);
	printf("lost\n");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 200; i++)
		pages[i * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("  head %llu\n", (unsigned long long)ring.page->data_head);
	drain(&ring, &attr, &e, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pages[201 * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 4);
	perf_unmap(&ring);
	close(fd);
	munmap((void *)pages, 256 * PAGE);
}

/* Samples of ring 0 know the pages of its code. */
static void kernel_pages(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct perf_ring ring;
	struct expected e;
	int fd;

	attr.disabled = 1;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR |
			   PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_DATA_PAGE_SIZE;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	e = expected_of(fd);
	printf("pages of the kernel\n");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 1);
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	samples();
	group_samples();
	lost();
	kernel_pages();
	return 0;
}
