/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: brk, mmap, mprotect, mremap, munmap in the middle, madvise, copy-on-write, the stack's
 * growth. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define PAGE 4096ul

static sigjmp_buf escape;
static siginfo_t fault;

static void on_fault(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	fault = *info;
	siglongjmp(escape, 1);
}

/* Touches an address: 0, or the signal that came. */
static int touch(volatile char *address, bool write)
{
	fault.si_signo = 0;
	if (sigsetjmp(escape, 1))
		return fault.si_signo;
	if (write)
		*address = 1;
	else
		(void)*address;
	return 0;
}

static char *map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool all_zero(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static void test_brk(void)
{
	char *start = sbrk(0);

	/* musl moves its own break only; the raw call is the same for both libraries. */
	if (sbrk(64 * PAGE) == (void *)-1) {
		ok(true, "sbrk # SKIP this C library has none");
		return;
	}
	memset(start, 7, 64 * PAGE);
	is(start[64 * PAGE - 1], 7, "brk grows the heap");
	is(sbrk(-(long)(64 * PAGE)) != (void *)-1, 1, "brk shrinks the heap");
	sbrk(64 * PAGE);
	ok(all_zero(start, 64 * PAGE), "a heap that grows again is zero");
}

static void test_map(void)
{
	char *area = map(16 * PAGE), *again;

	ok(area != MAP_FAILED && (uintptr_t)area % PAGE == 0, "mmap");
	ok(all_zero(area, 16 * PAGE), "fresh memory is zeros");
	memset(area, 1, 16 * PAGE);
	is(munmap(area + 4 * PAGE, 4 * PAGE), 0, "munmap in the middle");
	is(touch(area + 4 * PAGE, false), SIGSEGV, "the hole faults");
	is(fault.si_code, SEGV_MAPERR, "a fault in a hole has SEGV_MAPERR");
	is(fault.si_addr == area + 4 * PAGE, 1, "a fault in a hole has its address");
	is(touch(area + 8 * PAGE, false), 0, "memory above the hole stays");
	again = mmap(area + 4 * PAGE, 4 * PAGE, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	is(again == area + 4 * PAGE, 1, "MAP_FIXED_NOREPLACE fits into the hole");
	again =
	    mmap(area, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	is(again == MAP_FAILED && errno == EEXIST, 1,
	   "MAP_FIXED_NOREPLACE does not replace (EEXIST)");
	again = mmap(area, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	is(again == area && area[0] == 0, 1, "MAP_FIXED replaces");
	is(munmap(area, 16 * PAGE), 0, "munmap of several areas");
	is(munmap(area, 16 * PAGE), 0, "munmap of nothing");
	is(munmap(area + 1, PAGE) == -1 && errno == EINVAL, 1,
	   "munmap of an odd address is EINVAL");
	is(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
	       errno == EINVAL,
	   1, "length 0 is EINVAL");
	is(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL, 1,
	   "neither shared nor private is EINVAL");
	is(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF, 1,
	   "no file is EBADF");
	is(mmap(NULL, 1ul << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
	       errno == ENOMEM,
	   1, "more than there are addresses is ENOMEM");
}

static void test_protect(void)
{
	char *area = map(4 * PAGE);

	memset(area, 5, 4 * PAGE);
	is(mprotect(area + PAGE, PAGE, PROT_READ), 0, "mprotect to read-only");
	is(touch(area + PAGE, false), 0, "reading is allowed");
	is(touch(area + PAGE, true), SIGSEGV, "writing is not");
	is(fault.si_code, SEGV_ACCERR, "a write to read-only memory has SEGV_ACCERR");
	is(fault.si_addr == area + PAGE, 1, "a write to read-only memory has its address");
	is(mprotect(area + 2 * PAGE, PAGE, PROT_NONE), 0, "mprotect to nothing");
	is(touch(area + 2 * PAGE, false), SIGSEGV, "nothing is allowed then");
	is(mprotect(area, 4 * PAGE, PROT_READ | PROT_WRITE), 0, "mprotect back");
	is(touch(area + PAGE, true) | touch(area + 2 * PAGE, true), 0,
	   "mprotect allows reading and writing again");
	is(area[2 * PAGE + 1], 5, "mprotect keeps the contents");
	is(mprotect(area, 8 * PAGE, PROT_READ) == -1 || errno == ENOMEM, 1,
	   "mprotect over a gap is ENOMEM");
	munmap(area, 4 * PAGE);
}

static int seven(void)
{
	return 7;
}

static void test_execute(void)
{
	static const unsigned char code[] = {0xb8, 0x2a, 0, 0, 0, 0xc3}; /* mov eax, 42; ret */
	char *area = map(PAGE);
	int (*function)(void) = seven;

	memcpy(area, code, sizeof(code));
	memcpy(&function, &area, sizeof(function));
	fault.si_signo = 0;
	if (!sigsetjmp(escape, 1))
		function();
	is(fault.si_signo, SIGSEGV, "data is not executable");
	mprotect(area, PAGE, PROT_READ | PROT_EXEC);
	is(function(), 42, "mprotect makes memory executable");
	munmap(area, PAGE);
}

static void test_remap(void)
{
	char *area = map(8 * PAGE), *moved;

	memset(area, 3, 8 * PAGE);
	munmap(area + 4 * PAGE, 4 * PAGE);
	mmap(area + 4 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	is(mremap(area, 4 * PAGE, 64 * PAGE, 0) == MAP_FAILED && errno == ENOMEM, 1,
	   "no room to grow in place is ENOMEM");
	moved = mremap(area, 4 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	ok(moved != MAP_FAILED && moved != area, "mremap moves");
	is(moved[0] == 3 && moved[4 * PAGE - 1] == 3, 1, "the contents move along");
	ok(all_zero(moved + 4 * PAGE, 60 * PAGE), "the rest is zeros");
	is(touch(area, false), SIGSEGV, "the old place is empty");
	is(mremap(moved, 64 * PAGE, 2 * PAGE, 0) == moved, 1, "mremap shrinks in place");
	is(touch(moved + 2 * PAGE, false), SIGSEGV, "mremap unmaps the part cut off");
	munmap(moved, 2 * PAGE);
}

static void test_discard(void)
{
	char *area = map(4 * PAGE);

	memset(area, 9, 4 * PAGE);
	is(madvise(area + PAGE, 2 * PAGE, MADV_DONTNEED), 0, "madvise(MADV_DONTNEED)");
	ok(all_zero(area + PAGE, 2 * PAGE), "throws the contents away");
	is(area[0] == 9 && area[3 * PAGE] == 9, 1, "only of the range");
	is(madvise(area, PAGE, 12345) == -1 && errno == EINVAL, 1, "unknown advice is EINVAL");
	munmap(area, 4 * PAGE);
}

static void test_copy_on_write(void)
{
	char *private = map(64 * PAGE), *shared;
	int status;

	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(private, 1, 64 * PAGE);
	if (fork() == 0) {
		bool same = private[0] == 1 && private[63 * PAGE] == 1;

		memset(private, 2, 64 * PAGE);
		shared[0] = 'c';
		_exit(same ? 0 : 1);
	}
	wait(&status);
	is(status, 0, "a child sees its parent's memory");
	is(private[0] == 1 && private[63 * PAGE] == 1, 1, "a child's writes are its own");
	is(shared[0], 'c', "except to shared memory");
	munmap(private, 64 * PAGE);
	munmap(shared, PAGE);
}

static __attribute__((noinline)) unsigned deep(unsigned depth)
{
	volatile char room[4000];

	room[0] = (char)depth;
	return depth ? deep(depth - 1) + (unsigned char)room[0] * 0 + 1 : 0;
}

static volatile bool bottomless = true;

static __attribute__((noinline)) unsigned endless(unsigned depth)
{
	volatile char room[4000];

	room[0] = (char)depth;
	return bottomless ? endless(depth + 1) + (unsigned char)room[0] : 0;
}

static void test_stack(void)
{
	static char alternate[65536];
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

	is(deep(1000), 1000, "the stack grows by 4 MiB");
	sigaltstack(&stack, NULL);
	fault.si_signo = 0;
	if (!sigsetjmp(escape, 1))
		endless(0);
	is(fault.si_signo, SIGSEGV, "beyond its limit it faults");
}

static void test_faults_counted(void)
{
	struct rusage before, after;
	char *area = map(100 * PAGE);

	getrusage(RUSAGE_SELF, &before);
	for (unsigned i = 0; i < 100; i++)
		area[i * PAGE] = 1;
	getrusage(RUSAGE_SELF, &after);
	ok(after.ru_minflt - before.ru_minflt >= 100 && after.ru_minflt - before.ru_minflt < 110,
	   "100 pages touched are 100 faults");
	munmap(area, 100 * PAGE);
}

/* Addresses that fit 31 bits, as long as there are any. */
static void test_low(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *first = mmap(NULL, PAGE, PROT_READ, flags | MAP_32BIT, -1, 0), *second;

	ok(first != MAP_FAILED && (uint64_t)first >> 31 == 0, "MAP_32BIT gives 31 bits");
	second = mmap(NULL, 512ul << 20, PROT_READ, flags | MAP_32BIT, -1, 0);
	ok(second != MAP_FAILED && ((uint64_t)second + (512ul << 20)) >> 31 == 0,
	   "MAP_32BIT gives all of a large area 31 bits");
	ok(mmap(NULL, 3ul << 29, PROT_READ, flags | MAP_32BIT, -1, 0) == MAP_FAILED &&
	       errno == ENOMEM,
	   "three times that are not there");
	munmap(first, PAGE);
	munmap(second, 512ul << 20);
}

/* glibc's call when a library wants to execute its stack. */
static void test_grows_down(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, all = PROT_READ | PROT_WRITE | PROT_EXEC;
	char code[16] = {(char)0xb8, 7, 0, 0, 0, (char)0xc3}; /* mov eax, 7; ret */
	char *page = (char *)((uint64_t)code & -PAGE);
	char *other = mmap(NULL, PAGE, PROT_READ, flags, -1, 0);

	is(mprotect(page, PAGE, all | PROT_GROWSDOWN), 0,
	   "the stack may be executed from here down");
	is(touch(page - PAGE, true), 0, "the stack below is written");
	if (((uint64_t)code & (PAGE - 1)) < PAGE - sizeof(code))
		is(((int (*)(void))(uint64_t)code)(), 7, "the stack below is executed");
	mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_GROWSDOWN);
	is(mprotect(other, PAGE, PROT_READ | PROT_GROWSDOWN) ? errno : 0, EINVAL,
	   "other memory does not grow");
	is(mprotect(page, PAGE, all | PROT_GROWSUP) ? errno : 0, EINVAL, "the stack not upwards");
	is(mprotect(page, PAGE, all | PROT_GROWSUP | PROT_GROWSDOWN) ? errno : 0, EINVAL,
	   "PROT_GROWSUP with PROT_GROWSDOWN: EINVAL");
	munmap(other, PAGE);
	is(mprotect(other, PAGE, all | PROT_GROWSDOWN) ? errno : 0, ENOMEM,
	   "PROT_GROWSDOWN of unmapped memory: ENOMEM");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	test_brk();
	test_map();
	test_low();
	test_protect();
	test_execute();
	test_remap();
	test_discard();
	test_copy_on_write();
	test_faults_counted();
	test_stack();
	test_grows_down();
	return tap_end();
}
