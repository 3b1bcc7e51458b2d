/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/fuzz/latency.c: calls that work on memory. */
#ifndef TESTS_FUZZ_LATENCY_MEMORY_H
#define TESTS_FUZZ_LATENCY_MEMORY_H

#include <sys/shm.h>
#include <sys/uio.h>

#define MAP_BYTES   (24 * MIB)
#define LARGE_BYTES (80 * MIB)
#define AREAS       10000

static char *map;

static void must(long result)
{
	if (result < 0)
		_exit(errno);
}

static char *map_new(int prot, int flags, size_t bytes)
{
	char *new = mmap(NULL, bytes, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (new == MAP_FAILED)
		_exit(errno);
	return new;
}

static void map_full(void)
{
	map = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, MAP_BYTES);
}

static void map_small_pages(void)
{
	map = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, MAP_BYTES);
	must(madvise(map, MAP_BYTES, MADV_NOHUGEPAGE));
	must(madvise(map, MAP_BYTES, 23 /* MADV_POPULATE_WRITE */));
}

/* Each second page is an area of its own. */
static void map_number(size_t areas)
{
	map = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, areas * PAGE);
	for (size_t i = 0; i < areas; i += 2) {
		map[i * PAGE] = 1;
		must(mprotect(map + i * PAGE, PAGE, PROT_READ));
	}
}

static void map_areas(void)
{
	map_number(AREAS);
}

/* More small pages than a call without a pause could change within the bound. */
static void map_large_area(void)
{
	map = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, LARGE_BYTES);
	must(madvise(map, LARGE_BYTES, MADV_NOHUGEPAGE));
	must(madvise(map, LARGE_BYTES, 23 /* MADV_POPULATE_WRITE */));
}

static void call_populate(void)
{
	map_full();
}

static void call_munmap(void)
{
	must(munmap(map, MAP_BYTES));
}

static void call_mprotect(void)
{
	must(mprotect(map, MAP_BYTES, PROT_READ));
}

static void call_large_mprotect(void)
{
	must(mprotect(map, LARGE_BYTES, PROT_READ));
}

static void call_mremap(void)
{
	must((long)mremap(map, MAP_BYTES, MAP_BYTES + PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			  map - (1ul << 40)));
}

static void call_dontneed(void)
{
	must(madvise(map, MAP_BYTES, MADV_DONTNEED));
}

static void call_mincore(void)
{
	static unsigned char bytes[MAP_BYTES / PAGE];

	must(mincore(map, MAP_BYTES, bytes));
}

static void call_mlock(void)
{
	must(mlock(map, MAP_BYTES));
	must(munlock(map, MAP_BYTES));
}

static void call_mlockall(void)
{
	must(mlockall(MCL_CURRENT));
	must(munlockall());
}

static void call_msync(void)
{
	must(msync(map, MAP_BYTES, MS_SYNC));
}

static void call_fork(void)
{
	pid_t child = fork();

	must(child);
	if (!child)
		_exit(0);
	must(waitpid(child, NULL, 0));
}

static void call_fork_and_touch(void)
{
	pid_t child = fork();

	must(child);
	if (!child) {
		for (size_t i = 0; i < MAP_BYTES / 2; i += PAGE)
			map[i] = 2;
		_exit(0);
	}
	must(waitpid(child, NULL, 0));
}

static void call_areas_munmap(void)
{
	must(munmap(map, AREAS * PAGE));
}

static void call_areas_mprotect(void)
{
	must(mprotect(map, AREAS * PAGE, PROT_READ));
}

static void call_exec(void)
{
	execl("/proc/self/exe", "fuzz", "well", (char *)NULL);
}

/* The whole of a file of /proc by one call. */
static void read_whole(const char *path)
{
	char *buffer = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, 4 * MIB);
	int fd = open(path, O_RDONLY);

	must(fd);
	while (read(fd, buffer, 4 * MIB) > 0)
		;
	close(fd);
}

static void call_maps(void)
{
	read_whole("/proc/self/maps");
}

static void call_smaps(void)
{
	read_whole("/proc/self/smaps");
}

static void call_smaps_rollup(void)
{
	read_whole("/proc/self/smaps_rollup");
}

static void call_pagemap(void)
{
	char *buffer = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, 4 * MIB);
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd >= 0 && pread(fd, buffer, 4 * MIB, (off_t)((uint64_t)map / PAGE * 8)) < 0)
		_exit(errno);
}

static void call_process_vm(void)
{
	char *copy = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, MAP_BYTES / 2);
	struct iovec to = {copy, MAP_BYTES / 2}, from = {map, MAP_BYTES / 2};

	must(process_vm_readv(getpid(), &to, 1, &from, 1, 0));
	must(process_vm_writev(getpid(), &to, 1, &from, 1, 0));
}

static void call_proc_mem(void)
{
	char *copy = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, MAP_BYTES / 2);
	int fd = open("/proc/self/mem", O_RDONLY);

	must(fd);
	must(pread(fd, copy, MAP_BYTES / 2, (off_t)map));
}

static int segment;

static void prepare_segment(void)
{
	segment = shmget(IPC_PRIVATE, MAP_BYTES, 0600);
	must(segment);
	map = shmat(segment, NULL, 0);
	must(shmctl(segment, IPC_RMID, NULL));
	for (size_t i = 0; i < MAP_BYTES; i += PAGE)
		map[i] = 1;
}

static void call_segment_end(void)
{
	must(shmdt(map));
}

static void call_nothing(void)
{
}

static const struct latency_case memory_cases[] = {
    {"mmap() that enters 24 MiB", NULL, call_populate},
    {"munmap() of 24 MiB", map_full, call_munmap},
    {"munmap() of 24 MiB in small pages", map_small_pages, call_munmap},
    {"mprotect() of 24 MiB in small pages", map_small_pages, call_mprotect},
    {"mprotect() of 80 MiB in small pages", map_large_area, call_large_mprotect},
    {"mremap() of 24 MiB", map_full, call_mremap},
    {"mremap() of 24 MiB in small pages", map_small_pages, call_mremap},
    {"MADV_DONTNEED of 24 MiB", map_small_pages, call_dontneed},
    {"mincore() of 24 MiB", map_small_pages, call_mincore},
    {"mlock() of 24 MiB", map_small_pages, call_mlock},
    {"mlockall() with 24 MiB", map_small_pages, call_mlockall},
    {"mlockall() with 10,000 areas", map_areas, call_mlockall},
    {"msync() of 24 MiB", map_small_pages, call_msync},
    {"fork() with 24 MiB", map_full, call_fork},
    {"fork() with 24 MiB in small pages", map_small_pages, call_fork},
    {"fork() with 24 MiB, of which the child writes half", map_small_pages, call_fork_and_touch},
    {"fork() with 10,000 areas", map_areas, call_fork},
    {"fork() with 80 MiB in small pages", map_large_area, call_fork},
    {"exit with 24 MiB in small pages", map_small_pages, call_nothing},
    {"exit with 10,000 areas", map_areas, call_nothing},
    {"exec with 10,000 areas", map_areas, call_exec},
    {"munmap() of 10,000 areas", map_areas, call_areas_munmap},
    {"mprotect() of 10,000 areas", map_areas, call_areas_mprotect},
    {"/proc/self/maps with 10,000 areas", map_areas, call_maps},
    {"/proc/self/smaps with 10,000 areas", map_areas, call_smaps},
    {"/proc/self/smaps_rollup with 10,000 areas", map_areas, call_smaps_rollup},
    {"/proc/self/pagemap of 24 MiB", map_small_pages, call_pagemap},
    {"process_vm_readv() of 12 MiB", map_full, call_process_vm},
    {"/proc/self/mem of 12 MiB", map_full, call_proc_mem},
    {"shmdt() of 24 MiB", prepare_segment, call_segment_end},
};

#endif
