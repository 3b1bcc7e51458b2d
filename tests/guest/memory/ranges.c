/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on ranges of memory: which advice, lock, flush and question is answered how, and in which
 * order errors are found; faults beyond a file's end; traps and their codes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define PAGE 4096ul

static char *pages; /* eight, the fifth is not mapped */

/* One call and the errno it must give (0: success). */
static void expect(int error, long result, const char *what)
{
	int got = result == -1 ? errno : 0;

	ok(got == error, "%s: %s", what, error ? strerror(error) : "fine");
	if (got != error)
		printf("# got %s\n", strerror(got));
}

static long advise(uint64_t at, size_t bytes, int advice)
{
	return syscall(SYS_madvise, at, bytes, advice);
}

static void advices(void)
{
	static const struct {
		int advice, error;
		const char *name;
	} table[] = {
	    {MADV_NORMAL, 0, "MADV_NORMAL"},
	    {MADV_RANDOM, 0, "MADV_RANDOM"},
	    {MADV_SEQUENTIAL, 0, "MADV_SEQUENTIAL"},
	    {MADV_WILLNEED, 0, "MADV_WILLNEED"},
	    {MADV_DONTNEED, 0, "MADV_DONTNEED"},
	    {MADV_FREE, 0, "MADV_FREE"},
	    {MADV_REMOVE, EINVAL, "MADV_REMOVE of private memory"},
	    {MADV_DONTFORK, 0, "MADV_DONTFORK"},
	    {MADV_DOFORK, 0, "MADV_DOFORK"},
	    {MADV_NOHUGEPAGE, 0, "MADV_NOHUGEPAGE"},
	    {MADV_DONTDUMP, 0, "MADV_DONTDUMP"},
	    {MADV_DODUMP, 0, "MADV_DODUMP"},
	    {MADV_WIPEONFORK, 0, "MADV_WIPEONFORK"},
	    {MADV_KEEPONFORK, 0, "MADV_KEEPONFORK"},
	    {20, 0, "MADV_COLD"},
	    {21, 0, "MADV_PAGEOUT"},
	    {22, 0, "MADV_POPULATE_READ"},
	    {23, 0, "MADV_POPULATE_WRITE"},
	    {24, 0, "MADV_DONTNEED_LOCKED"},
	    {5, EINVAL, "advice 5"},
	    {77, EINVAL, "advice 77"},
	};
	uint64_t at = (uint64_t)pages;

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		expect(table[i].error, advise(at, PAGE, table[i].advice), table[i].name);
		if (!table[i].error && table[i].advice != MADV_WIPEONFORK)
			expect(ENOMEM, advise(at + 2 * PAGE, 3 * PAGE, table[i].advice),
			       "over a gap");
	}
	expect(EINVAL, advise(at + 1, PAGE, MADV_NORMAL), "an odd address");
	expect(EINVAL, advise(at + 1, PAGE, 77), "an odd address and advice");
	expect(0, advise(at, 0, MADV_NORMAL), "no bytes");
	expect(EINVAL, advise(at, 0, 77), "no bytes of unknown advice");
	expect(EINVAL, advise(at, -1ul, MADV_NORMAL), "too many bytes");
	expect(0, advise(at, 1, MADV_DONTNEED), "one byte is a page");
}

static void flushes(void)
{
	uint64_t at = (uint64_t)pages;
	unsigned char there[8];

	expect(0, syscall(SYS_msync, at, PAGE, MS_SYNC), "MS_SYNC");
	expect(0, syscall(SYS_msync, at, PAGE, MS_ASYNC | MS_INVALIDATE), "MS_ASYNC");
	expect(EINVAL, syscall(SYS_msync, at, PAGE, MS_SYNC | MS_ASYNC), "both");
	expect(EINVAL, syscall(SYS_msync, at, PAGE, 8), "another flag");
	expect(EINVAL, syscall(SYS_msync, at + 1, PAGE, MS_SYNC), "msync: an odd address");
	expect(ENOMEM, syscall(SYS_msync, at, 8 * PAGE, MS_SYNC), "msync: a gap");
	expect(0, syscall(SYS_msync, at, 0, MS_SYNC), "msync: nothing");
	expect(ENOMEM, syscall(SYS_msync, at, -PAGE, MS_SYNC), "msync: too much");
	pages[0] = 1;
	expect(0, syscall(SYS_mincore, at, PAGE, there), "mincore");
	ok(there[0] & 1, "a written page is in memory");
	expect(EINVAL, syscall(SYS_mincore, at + 1, PAGE, there), "mincore: an odd address");
	expect(ENOMEM, syscall(SYS_mincore, at, 8 * PAGE, there), "mincore: a gap");
	expect(EFAULT, syscall(SYS_mincore, at, PAGE, 8ul), "mincore: EFAULT");
	expect(0, syscall(SYS_mincore, at, 0ul, 8ul), "mincore: nothing");
	expect(ENOMEM, syscall(SYS_mincore, at, -PAGE, there), "mincore: too much");
}

static void locks(void)
{
	uint64_t at = (uint64_t)pages;

	expect(0, syscall(SYS_mlock, at + 5, 10ul), "mlock: any address");
	expect(ENOMEM, syscall(SYS_mlock, at, 8 * PAGE), "mlock: a gap");
	expect(EINVAL, syscall(SYS_mlock, at, -PAGE), "mlock: too much");
	expect(0, syscall(SYS_mlock, at, 0ul), "mlock: nothing");
	expect(0, syscall(SYS_munlock, at, PAGE), "munlock");
	expect(ENOMEM, syscall(SYS_munlock, at, 8 * PAGE), "munlock: a gap");
	expect(EINVAL, syscall(SYS_mlock2, at, PAGE, 2), "mlock2: EINVAL");
	expect(0, syscall(SYS_mlock2, at, PAGE, 1), "MLOCK_ONFAULT");
	expect(EINVAL, syscall(SYS_mlockall, 0), "mlockall: EINVAL");
	expect(EINVAL, syscall(SYS_mlockall, 8), "mlockall: EINVAL");
	expect(EINVAL, syscall(SYS_mlockall, 4), "mlockall: MCL_ONFAULT alone");
	expect(0, syscall(SYS_mlockall, MCL_CURRENT), "mlockall");
	expect(0, syscall(SYS_munlockall), "munlockall");
}

static void moves(void)
{
	uint64_t at = (uint64_t)pages;
	char *area =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(EFAULT, syscall(SYS_mremap, at, 8 * PAGE, 9 * PAGE, MREMAP_MAYMOVE),
	       "mremap: a gap");
	expect(EINVAL, syscall(SYS_mremap, at + 1, PAGE, PAGE, 0), "mremap: an odd address");
	expect(EINVAL, syscall(SYS_mremap, at, PAGE, 0ul, 0), "mremap: to nothing");
	expect(EINVAL, syscall(SYS_mremap, at, PAGE, PAGE, 8), "mremap: another flag");
	expect(EINVAL, syscall(SYS_mremap, at, PAGE, PAGE, MREMAP_FIXED, at),
	       "mremap: fixed alone");
	expect(EINVAL,
	       syscall(SYS_mremap, area, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       area + PAGE),
	       "mremap: onto itself");
	expect(EINVAL, syscall(SYS_munmap, at + 1, PAGE), "munmap: an odd address");
	expect(EINVAL, syscall(SYS_munmap, at, 0ul), "munmap: nothing");
	expect(EINVAL, syscall(SYS_mprotect, at + 1, PAGE, PROT_READ), "mprotect: an odd address");
	expect(ENOMEM, syscall(SYS_mprotect, at, 8 * PAGE, PROT_READ | PROT_WRITE),
	       "mprotect: a gap");
	expect(EINVAL, syscall(SYS_mprotect, at, PAGE, 0x100), "mprotect: another bit");
	munmap(area, 4 * PAGE);
}

static siginfo_t seen;
static sigjmp_buf back;

static void caught(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	seen = *info;
	siglongjmp(back, 1);
}

static void catch (int signo)
{
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};

	sigaction(signo, &action, NULL);
	memset(&seen, 0, sizeof(seen));
}

static void faults(void)
{
	int fd = open("/tmp/short", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *map;

	ftruncate(fd, PAGE + 10);
	map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	catch (SIGBUS);
	ok(map[PAGE + 100] == 0, "past the end, but in its page: zero");
	if (!sigsetjmp(back, 1))
		*(volatile char *)(map + 2 * PAGE + 7);
	ok(seen.si_signo == SIGBUS && seen.si_code == BUS_ADRERR &&
	       seen.si_addr == map + 2 * PAGE + 7,
	   "a page past the file's end is SIGBUS, BUS_ADRERR");
	memset(&seen, 0, sizeof(seen));
	ftruncate(fd, 10);
	if (!sigsetjmp(back, 1))
		*(volatile char *)(map + PAGE + 100);
	ok(seen.si_signo == SIGBUS && seen.si_addr == map + PAGE + 100,
	   "a page that the file lost by ftruncate() is SIGBUS");
	munmap(map, 3 * PAGE);
	close(fd);
	unlink("/tmp/short");
	catch (SIGTRAP);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int3");
	ok(seen.si_signo == SIGTRAP && seen.si_code == SI_KERNEL, "INT3 is SIGTRAP");
	memset(&seen, 0, sizeof(seen));
	if (!sigsetjmp(back, 1))
		__asm__ volatile("pushf\n\torl $0x100, (%%rsp)\n\tpopf\n\tnop\n\tnop"
				 :
				 :
				 : "memory");
	ok(seen.si_signo == SIGTRAP && seen.si_code == TRAP_TRACE, "a single step is TRAP_TRACE");
	catch (SIGSEGV);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int $0x42");
	ok(seen.si_signo == SIGSEGV && seen.si_code == SI_KERNEL && !seen.si_addr,
	   "an interrupt that is the kernel's is SIGSEGV");
	memset(&seen, 0, sizeof(seen));
	if (!sigsetjmp(back, 1))
		*(volatile char *)(pages + 4 * PAGE + 3);
	ok(seen.si_code == SEGV_MAPERR && seen.si_addr == pages + 4 * PAGE + 3, "SEGV_MAPERR");
}

static void wiped(void)
{
	char *area = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;

	area[0] = 7;
	madvise(area, PAGE, MADV_WIPEONFORK);
	if (!fork())
		_exit(area[0]);
	wait(&status);
	ok(!status && area[0] == 7, "MADV_WIPEONFORK: the child sees zeros");
	munmap(area, PAGE);
}

int main(void)
{
	pages = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(pages + 4 * PAGE, PAGE);
	advices();
	wiped();
	flushes();
	locks();
	moves();
	faults();
	return tap_end();
}
