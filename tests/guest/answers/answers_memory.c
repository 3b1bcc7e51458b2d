/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about locked and resident memory. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>
#include "tests/guest/answers/answers.h"

#define PAGE 4096ul

#define MLOCK_ON_FAULT 1

static char *pages(unsigned count)
{
	return mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A number of /proc/self/status, in KiB. */
static long status_of(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtol(line + strlen(name), NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static long locked(void)
{
	return status_of("VmLck:");
}

static long resident(const char *at, unsigned count)
{
	unsigned char bytes[16];
	long number = 0;

	if (mincore((void *)at, count * PAGE, bytes))
		return -errno;
	for (unsigned i = 0; i < count; i++)
		number += bytes[i] & 1;
	return number;
}

static long lock_counts(void)
{
	char *at = pages(4);

	return raw(mlock(at, 2 * PAGE)) ?: locked();
}

static long lock_rounds(void)
{
	char *at = pages(4);

	return raw(mlock(at + 10, 1)) ?: raw(mlock(at + 10, PAGE)) ?: locked();
}

static long unlock_counts(void)
{
	char *at = pages(4);

	return raw(mlock(at, 4 * PAGE)) ?: raw(munlock(at + PAGE, PAGE)) ?: locked();
}

static long unmap_counts(void)
{
	char *at = pages(4);

	return raw(mlock(at, 4 * PAGE)) ?: raw(munmap(at, 3 * PAGE)) ?: locked();
}

static long lock_hole(void)
{
	char *at = pages(3);

	munmap(at + PAGE, PAGE);
	return raw(mlock(at, 3 * PAGE));
}

static long lock_reads_in(void)
{
	char *at = pages(4);

	return raw(mlock(at, 4 * PAGE)) ?: resident(at, 4);
}

static long lock_on_fault(void)
{
	char *at = pages(4);

	return RAW(SYS_mlock2, at, 4 * PAGE, MLOCK_ON_FAULT) ?: resident(at, 4) * 100 + locked();
}

static long lock_flags(void)
{
	return RAW(SYS_mlock2, pages(1), PAGE, 2);
}

static long lock_map(void)
{
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);

	return resident(at, 2) * 100 + locked();
}

static long lock_future(void)
{
	long before, err = raw(mlockall(MCL_FUTURE));
	char *at;

	before = locked();
	at = pages(3);
	return err ?: resident(at, 3) * 10 + (locked() - before >= 12);
}

static long lock_all(void)
{
	long size, err = raw(mlockall(MCL_CURRENT));

	size = status_of("VmSize:");
	return err ?: locked() > size / 2 && locked() <= size;
}

static long unlock_all(void)
{
	return raw(mlockall(MCL_CURRENT | MCL_FUTURE)) ?: raw(munlockall()) ?: locked();
}

static long lock_all_flags(void)
{
	return raw(mlockall(0x100));
}

static long lock_fork(void)
{
	return raw(mlock(pages(2), 2 * PAGE)) ?: in_child(locked);
}

static void limit_lock(rlim_t bytes)
{
	struct rlimit limit = {bytes, bytes};

	setrlimit(RLIMIT_MEMLOCK, &limit);
	become_user();
}

static long limit_beyond(void)
{
	limit_lock(2 * PAGE);
	return raw(mlock(pages(4), 3 * PAGE));
}

static long limit_within(void)
{
	char *at = pages(4);

	limit_lock(2 * PAGE);
	return raw(mlock(at, 2 * PAGE)) ?: raw(mlock(at, 2 * PAGE)) ?: locked();
}

static long limit_none(void)
{
	limit_lock(0);
	return raw(mlock(pages(1), PAGE));
}

static long limit_none_all(void)
{
	limit_lock(0);
	return raw(mlockall(MCL_CURRENT));
}

static long limit_all(void)
{
	limit_lock(PAGE);
	return raw(mlockall(MCL_CURRENT));
}

static long limit_map(void)
{
	limit_lock(PAGE);
	return raw(
	    (long)mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
}

static long limit_remap(void)
{
	char *at = pages(1);

	limit_lock(PAGE);
	return raw(mlock(at, PAGE)) ?: raw((long)mremap(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
}

static long limit_root(void)
{
	struct rlimit limit = {0, 0};

	setrlimit(RLIMIT_MEMLOCK, &limit);
	return raw(mlock(pages(2), PAGE));
}

static long remap_keeps(void)
{
	char *at = pages(1);

	return raw(mlock(at, PAGE)) ?: (mremap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE), locked());
}

static long dontneed_locked(void)
{
	char *at = pages(2);

	mlock(at, PAGE);
	return raw(madvise(at, 2 * PAGE, MADV_DONTNEED));
}

static long free_locked(void)
{
	char *at = pages(2);

	mlock(at, PAGE);
	return raw(madvise(at, 2 * PAGE, MADV_FREE));
}

static long invalidate_locked(void)
{
	char *at = pages(2);

	mlock(at, PAGE);
	return raw(msync(at, PAGE, MS_INVALIDATE));
}

static long invalidate_unlocked(void)
{
	return raw(msync(pages(1), PAGE, MS_INVALIDATE | MS_ASYNC));
}

static long resident_untouched(void)
{
	return resident(pages(4), 4);
}

static long resident_touched(void)
{
	char *at = pages(4);

	at[PAGE] = at[3 * PAGE] = 1;
	return resident(at, 4);
}

static long resident_odd(void)
{
	unsigned char byte;

	return raw(mincore(pages(1) + 1, PAGE, &byte));
}

static long resident_hole(void)
{
	unsigned char bytes[3];
	char *at = pages(3);

	munmap(at + PAGE, PAGE);
	return raw(mincore(at, 3 * PAGE, bytes));
}

static long resident_fault(void)
{
	return raw(mincore(pages(1), PAGE, (unsigned char *)1));
}

static const struct answer cases[] = {
    CASE("mlock: VmLck counts its pages", lock_counts, 8),
    CASE("mlock rounds to pages, and counts a page once", lock_rounds, 8),
    CASE("munlock of one page of four", unlock_counts, 12),
    CASE("munmap of three locked pages of four", unmap_counts, 4),
    CASE("mlock over a hole", lock_hole, -ENOMEM),
    CASE("mlock makes its pages resident", lock_reads_in, 4),
    CASE("mlock2, on fault: counted, not resident", lock_on_fault, 16),
    CASE("mlock2: unknown flag", lock_flags, -EINVAL),
    CASE("MAP_LOCKED: resident and counted", lock_map, 208),
    CASE("mlockall(MCL_FUTURE): a new mapping is locked", lock_future, 31),
    CASE("mlockall(MCL_CURRENT) locks the address space", lock_all, 1),
    CASE("munlockall", unlock_all, 0),
    CASE("mlockall: unknown flag", lock_all_flags, -EINVAL),
    CASE("a child of fork has no locked pages", lock_fork, 0),
    CASE("RLIMIT_MEMLOCK: a user locks more", limit_beyond, -ENOMEM),
    CASE("RLIMIT_MEMLOCK: a user locks as much, twice", limit_within, 8),
    CASE("RLIMIT_MEMLOCK 0: a user locks a page", limit_none, -EPERM),
    CASE("RLIMIT_MEMLOCK 0: mlockall by a user", limit_none_all, -EPERM),
    CASE("RLIMIT_MEMLOCK: mlockall by a user", limit_all, -ENOMEM),
    CASE("RLIMIT_MEMLOCK: MAP_LOCKED by a user", limit_map, -EAGAIN),
    CASE("RLIMIT_MEMLOCK: mremap of locked pages", limit_remap, -EAGAIN),
    CASE("RLIMIT_MEMLOCK does not bind root", limit_root, 0),
    CASE("mremap keeps the lock", remap_keeps, 12),
    CASE("MADV_DONTNEED of locked pages", dontneed_locked, -EINVAL),
    CASE("MADV_FREE of locked pages", free_locked, -EINVAL),
    CASE("MS_INVALIDATE of locked pages", invalidate_locked, -EBUSY),
    CASE("MS_INVALIDATE of others", invalidate_unlocked, 0),
    CASE("mincore: pages never touched", resident_untouched, 0),
    CASE("mincore: two of four were touched", resident_touched, 2),
    CASE("mincore: odd address", resident_odd, -EINVAL),
    CASE("mincore: hole", resident_hole, -ENOMEM),
    CASE("mincore: bad buffer", resident_fault, -EFAULT),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}
