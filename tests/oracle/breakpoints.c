/* SPDX-License-Identifier: BSD-2-Clause */
/* Which breakpoints there can be: uses, lengths, addresses, how many; what their records say. */
#include "print.h"
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/wait.h>

static volatile uint64_t words[16] __attribute__((aligned(64)));

static struct perf_event_attr watch(uint32_t type, uint64_t address, uint64_t bytes)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = type;
	attr.bp_addr = address;
	attr.bp_len = bytes;
	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static void uses(void)
{
	static const uint64_t lengths[] = {0, 1, 2, 3, 4, 5, 8, 16, 24, 64, 4096, 1ul << 62, ~0ul};
	const uint64_t addresses[] = {(uint64_t)words,
				      (uint64_t)words + 1,
				      (uint64_t)words + 4,
				      (uint64_t)words + 6,
				      0,
				      0x7fffffffeff8,
				      0xffff800000000000,
				      ~7ul,
				      ~0ul};

	for (uint32_t type = 0; type < 10; type++)
		for (unsigned a = 0; a < COUNT(addresses); a++)
			for (unsigned kernel = 0; kernel < 2; kernel++) {
				row("use %u address %u%s, lengths", type, a,
				    kernel ? " with kernel" : "");
				for (unsigned i = 0; i < COUNT(lengths); i++) {
					struct perf_event_attr attr =
					    watch(type, addresses[a], lengths[i]);

					attr.exclude_kernel = !kernel;
					cell(try_attr(&attr));
				}
				row_end();
			}
}

/* Every flag and field of samples with it. */
static void flags(void)
{
	row("flags");
	for (unsigned bit = 0; bit < 38; bit++) {
		struct perf_event_attr attr = watch(HW_BREAKPOINT_W, (uint64_t)words, 8);

		*attr_flags(&attr) |= 1ul << bit;
		cell(try_attr(&attr));
	}
	row_end();
	row("fields");
	for (unsigned bit = 0; bit < 26; bit++) {
		struct perf_event_attr attr = watch(HW_BREAKPOINT_W, (uint64_t)words, 8);

		attr.sample_period = 1;
		attr.sample_type = 1ul << bit;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		cell(try_attr(&attr));
	}
	row_end();
	row("precise, clocks");
	for (unsigned i = 0; i < 16; i++) {
		struct perf_event_attr attr = watch(HW_BREAKPOINT_W, (uint64_t)words, 8);

		attr.precise_ip = i & 3;
		attr.use_clockid = i > 3;
		attr.clockid = (int)i - 4;
		cell(try_attr(&attr));
	}
	row_end();
}

/* How many of these places are free, and for whom. */
static void places(const char *name, int pid, int cpu, int other_pid, int other_cpu)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_RW, (uint64_t)words, 8);
	int fds[12];

	row("%s", name);
	for (unsigned i = 0; i < COUNT(fds); i++) {
		fds[i] = perf_try(&attr, i % 2 ? other_pid : pid, i % 2 ? other_cpu : cpu, -1, 0);
		cell(fds[i]);
	}
	row_end();
	for (unsigned i = 0; i < COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void wrong_after_full(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_RW, (uint64_t)words, 8);
	int fds[4];

	for (unsigned i = 0; i < 4; i++)
		fds[i] = perf_try(&attr, 0, -1, -1, 0);
	row("all taken: use 0, 1, 7, length 3, address, branches");
	for (unsigned i = 0; i < 6; i++) {
		attr = watch(HW_BREAKPOINT_RW, (uint64_t)words, 8);
		if (i < 3)
			attr.bp_type = (uint32_t[]){0, 1, 7}[i];
		attr.bp_len = i == 3 ? 3 : 8;
		attr.bp_addr += i == 4;
		if (i == 5)
			attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		cell(try_attr(&attr));
	}
	row_end();
	for (unsigned i = 0; i < 4; i++)
		close(fds[i]);
}

static void modify(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, (uint64_t)words, 8), other;
	int fd = perf_try(&attr, 0, -1, -1, 0);

	row("modify: the same, address, length, use, use 1, length 3, misaligned, kernel, period, "
	    "excludes, type, size");
	for (unsigned i = 0; i < 12; i++) {
		other = attr;
		other.bp_addr += i == 1 ? 8 : i == 6 ? 1 : 0;
		other.bp_len = i == 2 ? 4 : i == 5 ? 3 : 8;
		other.bp_type = i == 3 ? HW_BREAKPOINT_RW : i == 4 ? 1 : HW_BREAKPOINT_W;
		if (i == 7)
			other.bp_addr = 0xffffffff81000000;
		other.sample_period = i == 8;
		other.exclude_user = i == 9;
		other.type = i == 10 ? PERF_TYPE_SOFTWARE : PERF_TYPE_BREAKPOINT;
		other.size = i == 11 ? PERF_ATTR_SIZE_VER6 : sizeof(other);
		cell(failed(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other)));
	}
	row_end();
	close(fd);
	attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	fd = perf_open(&attr, 0, -1, -1, 0);
	report(failed(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr)),
	       "modify of another type");
	close(fd);
}

/* Records of a write, by all fields; a period of 1, and of 3; with and without PERIOD. */
static void records(void)
{
	const uint64_t unsupported =
	    PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT;
	const uint64_t all = (PERF_SAMPLE_MAX - 1) & ~unsupported;

	for (unsigned i = 0; i < 8; i++) {
		struct perf_event_attr attr =
		    watch(i & 4 ? HW_BREAKPOINT_X : HW_BREAKPOINT_W,
			  i & 4 ? (uint64_t)perf_loop : (uint64_t)words, 8);
		struct perf_ring ring;
		struct expected e;
		int fd;

		attr.disabled = 1;
		attr.sample_period = i & 1 ? 3 : 1;
		attr.sample_type = i & 2 ? all : all & ~(uint64_t)PERF_SAMPLE_PERIOD;
		attr.sample_regs_user = 0xff0fff;
		attr.sample_regs_intr = 0x1ff;
		attr.sample_stack_user = 512;
		attr.read_format = PERF_FORMAT_MAX - 1;
		fd = perf_open(&attr, 0, -1, -1, 0);
		printf("records %u: %s\n", i, outcome(fd));
		if (fd < 0 || !perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE))
			continue;
		e = expected_of(fd);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (unsigned n = 0; n < 7; n++) {
			words[0] = n;
			perf_loop(3);
		}
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		drain(&ring, &attr, &e, 10);
		perf_unmap(&ring);
		close(fd);
	}
}

/* Without rights only ring 3 can be watched. */
static void as_user(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, 0xffffffff81000000, 8);

	FILE *paranoid = fopen("/proc/sys/kernel/perf_event_paranoid", "w");

	if (!paranoid || fputs("2", paranoid) < 0 || fclose(paranoid))
		printf("cannot set the level\n");
	fflush(stdout);
	if (fork() == 0) {
		if (setuid(1000))
			_exit(1);
		report(try_attr(&attr), "a user: kernel address");
		attr.exclude_kernel = 0;
		report(try_attr(&attr), "a user: kernel address with the kernel");
		attr.bp_addr = (uint64_t)words;
		report(try_attr(&attr), "a user: own address with the kernel");
		attr.exclude_kernel = 1;
		report(try_attr(&attr), "a user: own address");
		report(try_open(&attr, -1, 0, -1, 0), "a user: a processor");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

static void directory(void)
{
	char text[64] = "";
	FILE *file = fopen("/sys/bus/event_source/devices/breakpoint/type", "r");

	if (file && fgets(text, sizeof(text), file))
		printf("breakpoint type %s", text);
	if (file)
		fclose(file);
}

int main(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	uses();
	flags();
	places("own", 0, -1, 0, -1);
	places("own here", 0, 0, 0, 0);
	places("own and here", 0, -1, 0, 0);
	places("own and another's", 0, -1, child, -1);
	places("processor", -1, 0, -1, 0);
	places("own and processor", 0, -1, -1, 0);
	places("own here and processor", 0, 0, -1, 0);
	places("another's and processor", child, -1, -1, 0);
	wrong_after_full();
	modify();
	records();
	as_user();
	directory();
	kill(child, 9);
	wait(NULL);
	return 0;
}
