/* SPDX-License-Identifier: BSD-2-Clause */
/* The answers of ioctl, read and poll in every state of an event. */
#include "kinds.h"
#include <fcntl.h>
#include <sys/wait.h>

/* Every command with every kind of argument. */
static void commands(const struct kind *kind)
{
	static const struct {
		const char *name;
		unsigned long command;
	} commands[] = {{"ENABLE", PERF_EVENT_IOC_ENABLE},
			{"DISABLE", PERF_EVENT_IOC_DISABLE},
			{"REFRESH", PERF_EVENT_IOC_REFRESH},
			{"RESET", PERF_EVENT_IOC_RESET},
			{"PERIOD", PERF_EVENT_IOC_PERIOD},
			{"SET_OUTPUT", PERF_EVENT_IOC_SET_OUTPUT},
			{"SET_FILTER", PERF_EVENT_IOC_SET_FILTER},
			{"ID", PERF_EVENT_IOC_ID},
			{"SET_BPF", PERF_EVENT_IOC_SET_BPF},
			{"PAUSE_OUTPUT", PERF_EVENT_IOC_PAUSE_OUTPUT},
			{"QUERY_BPF", PERF_EVENT_IOC_QUERY_BPF},
			{"MODIFY_ATTRIBUTES", PERF_EVENT_IOC_MODIFY_ATTRIBUTES},
			{"12", _IO('$', 12)},
			{"ENABLE of another size", _IOW('$', 0, int)},
			{"TCGETS", 0x5401},
			{"FIONREAD", 0x541b},
			{"0", 0}};
	static const unsigned long arguments[] = {0,           1,           2,    3,   0xffffffff,
						  0x100000000, 0x100000001, -1ul, 900, 1ul << 63};

	for (unsigned c = 0; c < COUNT(commands); c++) {
		row("%s: %s with every argument", kind->name, commands[c].name);
		for (unsigned a = 0; a < COUNT(arguments); a++) {
			int fd = open_kind(kind);

			cell(fd < 0 ? fd : control(fd, commands[c].command, arguments[a]));
			close(fd);
		}
		row_end();
	}
}

/* FIONBIO and its kin are answered before the event is asked. */
static void generic_commands(void)
{
	int fd = open_kind(&kinds[0]), one = 1;

	report(control(fd, 0x5421, (unsigned long)&one), "FIONBIO");
	printf("F_GETFL after FIONBIO: %x\n", (unsigned)fcntl(fd, F_GETFL) & 04000u);
	report(control(fd, 0x5451, 0), "FIOCLEX");
	printf("F_GETFD after FIOCLEX: %d\n", fcntl(fd, F_GETFD));
	report(control(fd, 0x5450, 0), "FIONCLEX");
	printf("F_GETFD after FIONCLEX: %d\n", fcntl(fd, F_GETFD));
	close(fd);
}

static void periods(const struct kind *kind)
{
	static const uint64_t values[] = {
	    0, 1, 2, 1000, 1ull << 31, 1ull << 40, (1ull << 63) - 1, 1ull << 63, -1ull};
	int fd = open_kind(kind);

	for (unsigned i = 0; fd >= 0 && i < COUNT(values); i++)
		report(control(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&values[i]),
		       "%s: PERIOD %lx", kind->name, (unsigned long)values[i]);
	close(fd);
}

static void modify(const struct kind *kind)
{
	int fd = open_kind(kind);
	struct perf_event_attr attr = attr_of(kind);

	if (fd < 0)
		return;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES same", kind->name);
	attr.type ^= 4;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES type", kind->name);
	attr.size = 7;
	report(control(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
	       "%s: MODIFY_ATTRIBUTES size", kind->name);
	close(fd);
}

/* read(2) of every format with every size of buffer. */
static void reads(const struct kind *kind)
{
	static const size_t sizes[] = {0,  1,  7,  8,  15, 16, 24, 31, 32,
				       40, 48, 56, 63, 64, 72, 88, 200};
	char buffer[256];

	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++)
		for (unsigned members = 1; members <= 3; members += 2) {
			struct perf_event_attr attr = attr_of(kind);
			int fds[3], n = 0;

			attr.read_format = format;
			for (unsigned i = 0; i < members; i++) {
				int fd = perf_try(&attr, 0, -1, n ? fds[0] : -1, 0);

				if (fd >= 0)
					fds[n++] = fd;
			}
			printf("read %s format %lx of %d:", kind->name, format, n);
			for (unsigned i = 0; n && i < COUNT(sizes); i++)
				printf(" %ld", failed(read(fds[0], buffer, sizes[i])));
			if (n > 1)
				printf(" sibling %ld", failed(read(fds[n - 1], buffer, 200)));
			if (n)
				printf(" nowhere %s",
				       outcome(failed(syscall(SYS_read, fds[0], 8, 200))));
			printf("\n");
			while (n)
				close(fds[--n]);
		}
}

/* An event's poll before and after mapping, records, reading, closing the ring. */
static void polls(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *pages =
	    mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *ring;
	int fd;

	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.sample_period = 1;
	attr.wakeup_events = 2;
	attr.disabled = 1;
	fd = perf_try(&attr, 0, -1, -1, 0);
	printf("poll without ring: %x\n", polled(fd));
	ring = map(fd, 9);
	printf("poll with an empty ring: %x\n", polled(fd));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pages[0] = 1;
	printf("poll after one of two: %x\n", polled(fd));
	pages[PAGE] = 1;
	printf("poll after two: %x\n", polled(fd));
	printf("poll again: %x\n", polled(fd));
	pages[2 * PAGE] = 1;
	pages[3 * PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("poll when disabled: %x\n", polled(fd));
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	pages[4 * PAGE] = 1;
	pages[5 * PAGE] = 1;
	printf("poll after REFRESH 1: %x\n", polled(fd));
	printf("poll again: %x\n", polled(fd));
	munmap(ring, 9 * PAGE);
	printf("poll without ring again: %x\n", polled(fd));
	close(fd);
	munmap((void *)pages, 16 * PAGE);
}

/* An event whose task ends reports HUP, mapped or not. */
static void polls_of_tasks(void)
{
	for (unsigned inherit = 0; inherit < 2; inherit++) {
		struct perf_event_attr attr =
		    perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
		int gate[2], fd;
		char byte;
		void *ring;
		pid_t child;

		if (pipe(gate) || (child = fork()) < 0)
			return;
		if (child == 0) {
			close(gate[1]);
			_exit(read(gate[0], &byte, 1) != 0);
		}
		attr.disabled = 0;
		fd = perf_try(&attr, child, inherit ? 0 : -1, -1, 0);
		ring = map(fd, 2);
		printf("poll of a child's event, %u: %x\n", inherit, polled(fd));
		close(gate[0]);
		close(gate[1]);
		waitpid(child, NULL, 0);
		printf("poll after its end, %u: %x\n", inherit, polled(fd));
		report(control(fd, PERF_EVENT_IOC_ENABLE, 0), "ENABLE after its end");
		report(control(fd, PERF_EVENT_IOC_RESET, 0), "RESET after its end");
		if (ring)
			munmap(ring, 2 * PAGE);
		close(fd);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		commands(&kinds[i]);
		periods(&kinds[i]);
		modify(&kinds[i]);
	}
	generic_commands();
	reads(&kinds[0]);
	reads(&kinds[5]);
	polls();
	polls_of_tasks();
	return 0;
}
