/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays whose values are mapped (BPF_F_MMAPABLE): the variables of clients' programs. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"
#include <sys/wait.h>

#define PAGE 4096ul

static int array(uint32_t value, uint32_t entries, uint32_t flags)
{
	return (int)map_create(BPF_MAP_TYPE_ARRAY, 4, value, entries, BPF_F_MMAPABLE | flags);
}

/* Returns the mapping's address, or the error. */
static long map_of(int fd, size_t bytes, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, bytes, prot, flags, fd, offset);

	return at == MAP_FAILED ? -errno : (long)at;
}

static long map_shared(int fd, size_t bytes, int prot)
{
	return map_of(fd, bytes, prot, MAP_SHARED, 0);
}

/* The program adds 5 to element 0, at a call of this process's. */
static void run_adder(int map)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));
	int event = perf_open(&attr, -1, 0, -1, 0);
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, STOREI(BPF_W, R10, -4, 0), MAP(R1, map),
			MOV(R2, R10), ADDI(R2, -4), CALL(BPF_FUNC_map_lookup_elem),
			JUMPI(BPF_JEQ, R0, 0, 3), LOAD(BPF_DW, R1, R0, 0), ADDI(R1, 5),
			STORE(BPF_DW, R0, 0, R1), MOVI(R0, 0), EXIT());

	ok(prog >= 0 && !ioctl(event, PERF_EVENT_IOC_SET_BPF, prog), "a program is attached");
	syscall(SYS_getppid);
	close(event);
	close(prog);
}

static void test_values(void)
{
	int fd = array(8, 3, 0);
	volatile uint64_t *values = (void *)map_shared(fd, PAGE, PROT_READ | PROT_WRITE);
	uint32_t key = 2;
	uint64_t value = 9;
	int status;

	ok(fd >= 0 && (long)values > 0, "an array's values are mapped");
	values[1] = 7;
	is((long)map_value(fd, 1), 7, "a write to the mapping is in the map");
	map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY);
	is((long)values[2], 9, "an update of the map is in the mapping");
	run_adder(fd);
	is((long)values[0], 5, "a program's write is in the mapping");
	if (!fork()) {
		values[1] = 11;
		_exit(0);
	}
	wait(&status);
	is((long)map_value(fd, 1), 11, "a child shares it");
	close(fd);
	is((long)values[1], 11, "a mapping outlives the descriptor");
	munmap((void *)values, PAGE);
}

static void test_pages(void)
{
	int fd = array(5000, 3, 0);
	char *values = (void *)map_shared(fd, 4 * PAGE, PROT_READ | PROT_WRITE);
	static char value[5000];
	uint32_t key = 2;

	ok((long)values > 0, "values in several pages");
	memset(value, 3, sizeof(value));
	map_command(BPF_MAP_UPDATE_ELEM, fd, &key, value, BPF_ANY);
	is(memcmp(values + 10000, value, sizeof(value)), 0, "lie one after the other");
	is(munmap(values, PAGE), 0, "a part of them is let go");
	is(values[10000], 3, "the rest stays");
	is(map_shared(fd, 5 * PAGE, PROT_READ), -EINVAL, "more than there are: EINVAL");
	is(map_of(fd, 4 * PAGE, PROT_READ, MAP_SHARED, PAGE), -EINVAL, "past the end: EINVAL");
	is(map_of(fd, PAGE, PROT_READ, MAP_PRIVATE, 0), -EINVAL,
	   "a private mapping of a map: EINVAL");
	munmap(values + PAGE, 3 * PAGE);
	close(fd);
}

static void test_freeze(void)
{
	int fd = array(8, 1, 0);
	union bpf_attr attr = {.map_fd = (uint32_t)fd};
	long writable = map_shared(fd, PAGE, PROT_READ | PROT_WRITE), readable;

	is(bpf(BPF_MAP_FREEZE, &attr), -EBUSY, "a writable mapping prevents freezing: EBUSY");
	munmap((void *)writable, PAGE);
	readable = map_shared(fd, PAGE, PROT_READ);
	is(bpf(BPF_MAP_FREEZE, &attr), 0, "a read-only mapping does not prevent freezing");
	is(map_shared(fd, PAGE, PROT_READ | PROT_WRITE), -EPERM, "then nobody writes: EPERM");
	ok(mprotect((void *)readable, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES,
	   "a frozen map's mapping is not made writable: EACCES");
	munmap((void *)readable, PAGE);
	close(fd);
}

static void test_refused(void)
{
	int constant = array(8, 1, BPF_F_RDONLY_PROG), plain, hash;

	is(map_shared(constant, PAGE, PROT_READ | PROT_WRITE), -EACCES,
	   "BPF_F_RDONLY_PROG's map is not mapped writable: EACCES");
	ok(map_shared(constant, PAGE, PROT_READ) > 0,
	   "BPF_F_RDONLY_PROG's map is mapped for reading");
	plain = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	is(map_shared(plain, PAGE, PROT_READ), -EINVAL, "an array that is not for it: EINVAL");
	hash = (int)map_create(BPF_MAP_TYPE_HASH, 4, 8, 1, 0);
	is(map_shared(hash, PAGE, PROT_READ), -524, "a hash: ENOTSUPP");
	is(map_create(BPF_MAP_TYPE_HASH, 4, 8, 1, BPF_F_MMAPABLE), -EINVAL,
	   "BPF_F_MMAPABLE of a hash: EINVAL");
	is(map_create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, BPF_F_MMAPABLE), -EINVAL,
	   "BPF_F_MMAPABLE of an array for each processor: EINVAL");
	close(constant);
	close(plain);
	close(hash);
}

int main(void)
{
	mount_tracefs();
	test_values();
	test_pages();
	test_freeze();
	test_refused();
	return tap_end();
}
