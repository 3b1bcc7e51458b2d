/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints count and sample who reads, writes or executes an address, in ring 3 and ring 0. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define ROUNDS 100

static volatile uint64_t watched[4] __attribute__((aligned(64)));

static struct perf_event_attr watch(uint32_t type, const volatile void *address, uint64_t bytes)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = sizeof(attr),
				       .bp_type = type,
				       .bp_addr = (uint64_t)address,
				       .bp_len = bytes,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	return attr;
}

static int open_watch(uint32_t type, const volatile void *address, uint64_t bytes)
{
	struct perf_event_attr attr = watch(type, address, bytes);

	return perf_try(&attr, 0, -1, -1, 0);
}

__attribute__((noinline)) static void called(void)
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void write_words(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		watched[1] = i;
}

static void read_words(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		(void)watched[1];
}

/* One at a time: the emulated processor also reports the one that was hit before. */
static void counts_of(uint32_t type, uint64_t bytes, const volatile void *address, uint64_t wanted,
		      const char *what)
{
	int fd = open_watch(type, address, bytes);

	write_words(ROUNDS);
	read_words(ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++)
		called();
	is(perf_value(fd), wanted, what);
	close(fd);
}

static void counts(void)
{
	int fd;

	counts_of(HW_BREAKPOINT_W, 8, &watched[1], ROUNDS, "writes");
	counts_of(HW_BREAKPOINT_RW, 8, &watched[1], 2 * ROUNDS, "reads and writes");
	counts_of(HW_BREAKPOINT_RW, 8, &watched[2], 0, "not those of the word before it");
	counts_of(HW_BREAKPOINT_X, sizeof(long), (void *)called, ROUNDS,
		  "executions of a function's first instruction");
	fd = open_watch(HW_BREAKPOINT_W, &watched[1], 8);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	write_words(ROUNDS);
	is(perf_value(fd), 0, "a disabled breakpoint counts nothing");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	write_words(3);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	write_words(1);
	is(perf_value(fd), 1, "a breakpoint counts since its reset");
	close(fd);
}

/* Every byte of the piece counts, and none beside it. */
static void lengths(void)
{
	volatile uint8_t *bytes = (volatile uint8_t *)watched;

	for (unsigned length = 1; length <= 8; length *= 2) {
		int fd = open_watch(HW_BREAKPOINT_W, bytes + 8, length);

		for (unsigned i = 0; i < 24; i++)
			bytes[i] = 1;
		is(perf_value(fd), length, "writes of single bytes");
		*(volatile uint64_t *)(bytes + 4) = 0;
		is(perf_value(fd), length + 1, "a write that touches the first byte counts");
		close(fd);
	}
}

/* The kernel writes for the program. */
static void copies(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	int zero = open("/dev/zero", O_RDONLY), user, all;

	user = perf_try(&attr, 0, -1, -1, 0);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	attr.bp_addr += 8;
	all = perf_try(&attr, 0, -1, -1, 0);
	/* Two calls: QEMU 10 reports only the first breakpoint that one REP hits. */
	for (unsigned i = 0; i < ROUNDS; i++)
		if (read(zero, (void *)&watched[1], 8) != 8 ||
		    read(zero, (void *)&watched[2], 8) != 8)
			break;
	write_words(7);
	is(perf_value(user), 7, "a breakpoint counts the program's writes");
	watched[2] = 1; /* the emulated processor may report the other as well */
	is(perf_value(all), ROUNDS, "a breakpoint counts the kernel's writes for the program");
	close(user);
	close(all);
	close(zero);
}

/* The address of a function of the kernel whose name ends so, or 0. */
static uint64_t kernel_function(const char *suffix)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long address = 0, found = 0;
	char line[512], name[256];

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, name) == 2 &&
		    (!strcmp(name, suffix) ||
		     (!strncmp(name, "__x64_", 6) && !strcmp(name + 6, suffix))))
			found = address;
	}
	if (file)
		fclose(file);
	return found;
}

static void kernel_calls(void)
{
	uint64_t address = kernel_function("sys_getppid");
	struct perf_event_attr attr = watch(HW_BREAKPOINT_X, (void *)address, sizeof(long));
	int fd;

	is((uint64_t)perf_try(&attr, 0, -1, -1, 0), (uint64_t)-EINVAL,
	   "a kernel address of an event that excludes the kernel");
	attr.exclude_kernel = 0;
	fd = perf_try(&attr, 0, -1, -1, 0);
	ok(address && fd >= 0, "a function of the kernel: %d", fd);
	for (unsigned i = 0; i < ROUNDS; i++)
		syscall(SYS_getppid);
	is(perf_value(fd), ROUNDS, "a breakpoint in the kernel counts calls");
	close(fd);
}

static void five(void)
{
	int fds[5], i;

	for (i = 0; i < 5; i++)
		fds[i] = open_watch(HW_BREAKPOINT_W, &watched[i % 4], 8);
	ok(fds[3] >= 0, "four");
	is((uint64_t)fds[4], (uint64_t)-ENOSPC, "a fifth breakpoint: ENOSPC");
	close(fds[0]);
	fds[0] = open_watch(HW_BREAKPOINT_X, (void *)called, sizeof(long));
	ok(fds[0] >= 0, "another one in a closed one's place: %d", fds[0]);
	called();
	is(perf_value(fds[0]), 1, "a breakpoint in a freed place counts");
	for (i = 0; i < 4; i++)
		close(fds[i]);
}

/* Samples have the program's instruction and the accessed address. */
static void samples(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	struct perf_record record;
	struct perf_ring ring = {0};
	unsigned number = 0, right = 0;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	fd = perf_try(&attr, 0, -1, -1, 0);
	if (!ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE), "a sampling one"))
		return;
	write_words(ROUNDS);
	while (perf_next(&ring, &record)) {
		number++;
		right += record.words[0] > (uint64_t)write_words &&
			 record.words[0] < (uint64_t)write_words + 256 &&
			 record.words[1] == attr.bp_addr && record.words[2] == 1;
	}
	is(number, ROUNDS, "a sample for each write");
	is(right, ROUNDS, "each sample has the writer and the address");
	perf_unmap(&ring);
	close(fd);
	attr = watch(HW_BREAKPOINT_X, (void *)called, sizeof(long));
	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	fd = perf_try(&attr, 0, -1, -1, 0);
	if (!ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE),
		"a breakpoint of executions samples"))
		return;
	for (unsigned i = 0; i < ROUNDS; i++)
		called();
	for (number = right = 0; perf_next(&ring, &record); number++)
		right += record.words[0] == (uint64_t)called && record.words[1] == (uint64_t)called;
	is(number, ROUNDS / 10, "a sample for each tenth call");
	is(right, number, "each sample has the probed instruction");
	perf_unmap(&ring);
	close(fd);
}

static volatile unsigned traps;
static siginfo_t last_trap;

static void trapped(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	traps++;
	last_trap = *info;
}

/* The fields of a TRAP_PERF siginfo after the address. */
struct trap_info {
	uint64_t data;
	uint32_t type;
};

static void signals(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_X, (void *)called, sizeof(long));
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO}, old;
	struct trap_info info;
	int fd;

	sigaction(SIGTRAP, &action, &old);
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sample_period = 1;
	attr.sig_data = 0x1234567890;
	fd = perf_try(&attr, 0, -1, -1, 0);
	ok(fd >= 0, "a breakpoint with SIGTRAP: %d", fd);
	traps = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		called();
		if (traps != i + 1)
			break;
	}
	is(traps, ROUNDS, "SIGTRAP comes before the next instruction, each time");
	memcpy(&info, (const char *)&last_trap.si_addr + 8, sizeof(info));
	ok(last_trap.si_addr == (void *)called && info.data == attr.sig_data &&
	       info.type == PERF_TYPE_BREAKPOINT,
	   "SIGTRAP has the address and sig_data");
	close(fd);
	sigaction(SIGTRAP, &old, NULL);
	action.sa_sigaction = trapped;
	sigaction(SIGIO, &action, &old);
	attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	attr.sample_period = 1;
	attr.wakeup_events = 1;
	fd = perf_try(&attr, 0, -1, -1, 0);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_ASYNC);
	traps = 0;
	write_words(5);
	is(traps, 5, "SIGIO for each write");
	close(fd);
	sigaction(SIGIO, &old, NULL);
}

static void modified(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8), other;
	int fd = perf_try(&attr, 0, -1, -1, 0);

	write_words(3);
	attr.bp_addr = (uint64_t)&watched[2];
	attr.bp_type = HW_BREAKPOINT_RW;
	attr.bp_len = 4;
	is((uint64_t)ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), 0, "moved");
	watched[1] = 1;
	watched[2] = 1;
	(void)watched[2];
	is(perf_value(fd), 5, "counts there from now on");
	other = attr;
	other.sample_period = 1;
	is((uint64_t)ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other), (uint64_t)-1,
	   "another period is refused");
	is((uint64_t)errno, EINVAL, "another period is refused by EINVAL");
	attr.disabled = 1;
	is((uint64_t)ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), 0, "off");
	watched[2] = 1;
	is(perf_value(fd), 5, "a modified breakpoint that is off does not count");
	close(fd);
}

static void *write_in_thread(void *rounds)
{
	write_words((unsigned)(uintptr_t)rounds);
	return NULL;
}

/* A task that inherits it counts, others do not. */
static void tasks(bool inherit, uint64_t wanted)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	pthread_t thread;
	int fd;
	pid_t child;

	attr.inherit = inherit;
	fd = perf_try(&attr, 0, -1, -1, 0);
	child = fork();
	if (child == 0) {
		write_words(20);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_create(&thread, NULL, write_in_thread, (void *)30);
	pthread_join(thread, NULL);
	write_words(5);
	is(perf_value(fd), wanted, inherit ? "with those of a child and a thread" : "a task's own");
	close(fd);
}

static void processors(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	int fd = perf_try(&attr, -1, 0, -1, 0), fds[4];
	pid_t child;

	if (!ok(fd >= 0, "a breakpoint of a processor: %d", fd))
		return;
	child = fork();
	if (child == 0) {
		write_words(40);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	write_words(2);
	if (sysconf(_SC_NPROCESSORS_ONLN) == 1)
		is(perf_value(fd), 42, "a processor's breakpoint counts all tasks there");
	for (unsigned i = 0; i < 4; i++)
		fds[i] = open_watch(HW_BREAKPOINT_W, &watched[1], 8);
	ok(fds[2] >= 0 && fds[3] == -ENOSPC, "takes one of each task's four places: %d", fds[3]);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
	close(fd);
}

static void group(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t values[4] = {0};
	int leader, member;

	if (!have_hardware()) {
		skip("a group with instructions", "no PMU");
		return;
	}
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&attr, 0, -1, -1, 0);
	attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	attr.read_format = PERF_FORMAT_GROUP;
	member = perf_open(&attr, 0, -1, leader, 0);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	write_words(ROUNDS);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read(leader, values, sizeof(values)) < 0)
		values[0] = 0;
	ok(values[0] == 2 && values[1] > 2 * ROUNDS && values[2] == ROUNDS,
	   "a breakpoint with instructions in a group: %lu members, %lu, %lu", values[0], values[1],
	   values[2]);
	close(member);
	close(leader);
}

/* Single steps go past a breakpoint, and both are reported. */
static void steps(void)
{
	int fd = open_watch(HW_BREAKPOINT_X, (void *)called, sizeof(long));
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO}, old;

	sigaction(SIGTRAP, &action, &old);
	traps = 0;
	__asm__ volatile("subq $128, %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "call *%0\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "addq $128, %%rsp"
			 :
			 : "r"(called)
			 : "memory", "cc");
	ok(traps > 4, "%u steps", traps);
	is(perf_value(fd), 1, "past one breakpoint");
	sigaction(SIGTRAP, &old, NULL);
	close(fd);
}

/* Writes `value`, with two registers that only it determines. */
__attribute__((noinline)) static void write_with(uint64_t value)
{
	register uint64_t last __asm__("r15") = ~value;

	__asm__ volatile("mov %0, %1" : : "a"(value), "m"(watched[1]), "r"(last) : "memory");
}

/* IP, TID, ADDR, ID, CPU; ABI, 20 registers from RAX to R15. */
static bool is_write_of(const struct perf_record *record, uint64_t value, uint64_t id, uint64_t ip)
{
	const uint64_t *at = record->words, *registers = at + 6;

	return record->header.size == 8 * 27 && at[0] == ip &&
	       at[1] == ((uint64_t)getpid() << 32 | (uint32_t)getpid()) &&
	       at[2] == (uint64_t)&watched[1] && at[3] == id && (uint32_t)at[4] == 0 &&
	       at[5] == PERF_SAMPLE_REGS_ABI_64 && registers[0] == value && registers[8] == ip &&
	       (registers[10] & 3) == 3 && registers[19] == ~value;
}

/* Records of an odd number of words, in a ring of one page: its end comes after each word once. */
static void across(void)
{
	struct perf_event_attr attr = watch(HW_BREAKPOINT_W, &watched[1], 8);
	uint64_t good = 0, ip = 0, id = 0;
	struct perf_record record;
	struct perf_ring ring;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			   PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER;
	attr.sample_regs_user = 0xff0fff;
	fd = perf_open(&attr, 0, 0, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	for (uint64_t i = 0; i < 512; i++) {
		write_with(i);
		if (!perf_next(&ring, &record))
			break;
		ip = i ? ip : record.words[0];
		good += is_write_of(&record, i, id, ip);
	}
	is(good, 512, "fields across a page's end are right");
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	counts();
	lengths();
	copies();
	kernel_calls();
	five();
	samples();
	across();
	signals();
	modified();
	tasks(false, 5);
	tasks(true, 55);
	processors();
	group();
	steps();
	return tap_end();
}
