/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO: found as C libraries find it, its answers compared with the kernel's, and the cost
 * of a reading. */
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/guest/cost.h"
#include "tests/guest/perf.h"
#include "tests/guest/files/slurp.h"

#define COST_MAX 40 /* instructions of a reading; on Linux what it takes there */

static char *image;
static uint64_t span_start, span_end;

static int (*vdso_gettime)(int, struct timespec *);
static int (*vdso_getres)(int, struct timespec *);
static int (*vdso_timeofday)(struct timeval *, struct timezone *);
static long (*vdso_time)(long *);
static long (*vdso_getcpu)(unsigned *, unsigned *, void *);

static void *dynamic_entry(const Elf64_Dyn *dynamic, long tag)
{
	for (; dynamic && dynamic->d_tag; dynamic++)
		if (dynamic->d_tag == tag)
			return image + dynamic->d_un.d_ptr;
	return NULL;
}

/* The symbol of version LINUX_2.6, by the table that DT_HASH counts. */
static void *find(const char *name)
{
	const Elf64_Ehdr *header = (void *)image;
	const Elf64_Phdr *headers = (void *)(image + header->e_phoff);
	const Elf64_Dyn *dynamic = NULL;
	const Elf64_Sym *symbols;
	const Elf64_Verdef *version;
	const uint32_t *hash;
	const uint16_t *versions;
	const char *strings;

	for (int i = 0; i < header->e_phnum; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			dynamic = (void *)(image + headers[i].p_vaddr);
	symbols = dynamic_entry(dynamic, DT_SYMTAB);
	strings = dynamic_entry(dynamic, DT_STRTAB);
	hash = dynamic_entry(dynamic, DT_HASH);
	versions = dynamic_entry(dynamic, DT_VERSYM);
	for (uint32_t i = 1; hash && i < hash[1]; i++) {
		if (strcmp(strings + symbols[i].st_name, name) || !symbols[i].st_value)
			continue;
		version = dynamic_entry(dynamic, DT_VERDEF);
		while (version->vd_ndx != (versions[i] & 0x7fff) && version->vd_next)
			version = (void *)((char *)version + version->vd_next);
		if (strcmp(strings +
			       ((Elf64_Verdaux *)((char *)version + version->vd_aux))->vda_name,
			   "LINUX_2.6"))
			return NULL;
		return image + symbols[i].st_value;
	}
	return NULL;
}

static void test_symbols(void)
{
	image = (char *)getauxval(AT_SYSINFO_EHDR);
	ok(image && !memcmp(image, ELFMAG, SELFMAG),
	   "AT_SYSINFO_EHDR is the address of an ELF header");
	vdso_gettime = (int (*)(int, struct timespec *))find("__vdso_clock_gettime");
	vdso_getres = (int (*)(int, struct timespec *))find("__vdso_clock_getres");
	vdso_timeofday = (int (*)(struct timeval *, struct timezone *))find("__vdso_gettimeofday");
	vdso_time = (long (*)(long *))find("__vdso_time");
	vdso_getcpu = (long (*)(unsigned *, unsigned *, void *))find("__vdso_getcpu");
	ok(vdso_gettime && vdso_getres && vdso_timeofday && vdso_time && vdso_getcpu,
	   "five functions have version LINUX_2.6");
	ok(find("clock_gettime") == (void *)vdso_gettime && find("getcpu") == (void *)vdso_getcpu,
	   "the vDSO has the plain names");
	ok(!find("__vdso_nothing"), "others have not");
}

/* The line of maps with this name: its borders, and whether the rest is as wanted. */
static bool area(const char *name, const char *rights)
{
	char *line, *rest = text, flags[8];
	unsigned long offset, inode;
	unsigned major, minor;
	int at;

	slurp("/proc/self/maps");
	while ((line = strsep(&rest, "\n")) && *line)
		if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &span_start, &span_end, flags,
			   &offset, &major, &minor, &inode, &at) == 7 &&
		    !strcmp(line + at, name))
			return !strcmp(flags, rights) && !offset && !major && !minor && !inode;
	return false;
}

static void test_maps(void)
{
	int status = -1;
	char bytes[8];
	struct iovec here = {bytes, sizeof(bytes)}, there = {image - 4096, sizeof(bytes)};

	ok(area("[vdso]", "r-xp"), "[vdso] in maps: r-xp, of no file");
	is(span_start, (uint64_t)image, "[vdso] begins at AT_SYSINFO_EHDR");
	ok(area("[vvar]", "r--p"), "[vvar] in maps: r--p, of no file");
	is(span_end, (uint64_t)image, "[vvar] is below [vdso]");
	ok(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == -1 && errno == EFAULT,
	   "no other process can read [vvar]");
	ok(mprotect((void *)span_start, 4096, PROT_READ | PROT_WRITE) == -1 && errno == EACCES,
	   "nobody may write to [vvar]");
	area("[vdso]", "r-xp"); /* sets the span, which is whole, as it cannot be split */
	ok(!mprotect(image, span_end - span_start, PROT_READ | PROT_WRITE | PROT_EXEC),
	   "a copy of [vdso] may be written");
	image[EI_PAD] = 1;
	if (!fork()) {
		execl("/proc/self/exe", "vdso", "look", NULL);
		_exit(2);
	}
	wait(&status);
	is((uint64_t)status, 0, "a changed copy is not seen by other programs");
	image[EI_PAD] = 0;
	mprotect(image, span_end - span_start, PROT_READ | PROT_EXEC);
}

static uint64_t ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec;
}

/* Readings of the kernel's before and after enclose the vDSO's. */
static void test_clocks(void)
{
	static const struct {
		int clock;
		const char *name;
	} clocks[] = {
	    {CLOCK_REALTIME, "CLOCK_REALTIME"},
	    {CLOCK_MONOTONIC, "CLOCK_MONOTONIC"},
	    {CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"},
	    {CLOCK_REALTIME_COARSE, "CLOCK_REALTIME_COARSE"},
	    {CLOCK_MONOTONIC_COARSE, "CLOCK_MONOTONIC_COARSE"},
	    {CLOCK_BOOTTIME, "CLOCK_BOOTTIME"},
	    {CLOCK_TAI, "CLOCK_TAI"},
	    {CLOCK_PROCESS_CPUTIME_ID, "CLOCK_PROCESS_CPUTIME_ID"},
	    {CLOCK_THREAD_CPUTIME_ID, "CLOCK_THREAD_CPUTIME_ID"},
	};
	struct timespec before, now, after, resolution, theirs;

	for (unsigned i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		int clock = clocks[i].clock, result;

		syscall(SYS_clock_gettime, clock, &before);
		result = vdso_gettime(clock, &now);
		syscall(SYS_clock_gettime, clock, &after);
		ok(!result && ns(&before) <= ns(&now) && ns(&now) <= ns(&after) &&
		       now.tv_nsec < 1000000000,
		   "%s is the kernel's", clocks[i].name);
		syscall(SYS_clock_getres, clock, &theirs);
		result = vdso_getres(clock, &resolution);
		ok(!result && ns(&resolution) == ns(&theirs),
		   "clock_getres agrees with the kernel's");
	}
	is((uint64_t)(long)vdso_gettime(99, &now), (uint64_t)-EINVAL, "no such clock: -EINVAL");
	is((uint64_t)(long)vdso_getres(99, &now), (uint64_t)-EINVAL,
	   "clock_getres of an unknown clock: EINVAL");
	is((uint64_t)(long)vdso_getres(CLOCK_MONOTONIC, NULL), 0, "a resolution for nobody");
}

static int64_t us_of(const struct timeval *time)
{
	return time->tv_sec * 1000000 + time->tv_usec;
}

static void test_time_of_day(void)
{
	struct timeval time_, before, after;
	struct timezone zone = {1, 1};
	long seconds = 0, result;

	syscall(SYS_gettimeofday, &before, NULL);
	result = vdso_timeofday(&time_, &zone);
	syscall(SYS_gettimeofday, &after, NULL);
	ok(!result && us_of(&time_) >= us_of(&before) && us_of(&time_) <= us_of(&after),
	   "gettimeofday is the kernel's");
	ok(!zone.tz_minuteswest && !zone.tz_dsttime, "the zone is none");
	is((uint64_t)vdso_timeofday(NULL, NULL), 0, "nobody need be told");
	result = vdso_time(&seconds);
	ok(result == seconds && result >= before.tv_sec && result <= syscall(SYS_time, NULL),
	   "time is the kernel's");
	ok(vdso_time(NULL) >= result, "time(NULL) returns the result alone");
}

static void test_processor(void)
{
	unsigned processor = 99, node = 99, online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		 right = 0;
	cpu_set_t set;

	for (unsigned i = 0; i < online; i++) {
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		sched_setaffinity(0, sizeof(set), &set);
		right += !vdso_getcpu(&processor, &node, NULL) && processor == i && !node;
	}
	is(right, online, "getcpu names each processor, and node 0");
	is((uint64_t)vdso_getcpu(NULL, NULL, NULL), 0, "getcpu with null pointers");
}

/* A program that starts has the vDSO in its MMAP2 records. */
static void test_records(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	static struct perf_record record;
	struct perf_ring ring;
	int go[2], fd, found = 0;
	pid_t child;

	if (pipe(go) || (child = fork()) < 0)
		exit(1);
	if (!child) {
		read(go[0], &fd, 1);
		execl("/proc/self/exe", "vdso", "leave", NULL);
		_exit(2);
	}
	attr.mmap = attr.mmap2 = attr.mmap_data = attr.exclude_kernel = 1;
	fd = perf_open(&attr, child, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	write(go[1], "", 1);
	waitpid(child, NULL, 0);
	while (perf_next(&ring, &record)) {
		const char *name = (char *)&record.words[8];
		uint32_t prot = (uint32_t)record.words[7];

		if (record.header.type != PERF_RECORD_MMAP2)
			continue;
		if (!strcmp(name, "[vdso]"))
			found |= prot == (PROT_READ | PROT_EXEC) && !record.words[3] &&
				 !record.words[4] && !record.words[5];
		if (!strcmp(name, "[vvar]"))
			found |=
			    prot == PROT_READ && record.header.misc & PERF_RECORD_MISC_MMAP_DATA
				? 2
				: 0;
	}
	is((uint64_t)found, 3, "MMAP2 records of [vdso] and [vvar] at exec");
}

static uint64_t least(void (*reading)(void))
{
	return LEAST_TICKS(20, reading());
}

static struct timespec cost_time;

static void read_clock(void)
{
	vdso_gettime(CLOCK_MONOTONIC, &cost_time);
}

static void read_real(void)
{
	vdso_gettime(CLOCK_REALTIME, &cost_time);
}

static void nothing(void)
{
	__asm__ volatile("");
}

static void loop(void)
{
	perf_loop(1000);
}

static void test_cost(void)
{
	uint64_t empty = least(nothing), unit, clock, real;
	struct utsname name;

	uname(&name);
	if (strcmp(name.nodename, "barepmu") || !counts_are_exact() || !ticks_are_instructions()) {
		skip("costs", "instructions cannot be counted here, or are another kernel's");
		return;
	}
	unit = (least(loop) - empty) / 2000;
	clock = (least(read_clock) - empty) / unit;
	real = (least(read_real) - empty) / unit;
	ok(clock <= COST_MAX && real <= COST_MAX,
	   "clock_gettime takes %llu instructions, of real time %llu; at most %d",
	   (unsigned long long)clock, (unsigned long long)real, COST_MAX);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return !strcmp(argv[1], "look") && ((char *)getauxval(AT_SYSINFO_EHDR))[EI_PAD];
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_symbols();
	test_maps();
	test_clocks();
	test_time_of_day();
	test_processor();
	test_records();
	test_cost();
	return tap_end();
}
