/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/self/pagemap: its entry for each kind of page, the right to see it, and refusals;
 * /proc/kcore, which has the pages that it names. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define PAGE       4096ul
#define FRAME      ((1ul << 55) - 1)
#define SOFT_DIRTY (1ul << 55) /* of each area, until it is cleared */
#define EXCLUSIVE  (1ul << 56)
#define FILE_PAGE  (1ul << 61)
#define PRESENT    (1ul << 63)
#define KINDS      (EXCLUSIVE | FILE_PAGE | PRESENT)
#define TASK_END   0x7ffffffff000ul

static int map;
static void *volatile nowhere = (void *)8; /* the compiler would complain of a constant */

static uint64_t entry(const volatile void *address)
{
	uint64_t value = 0;

	return pread(map, &value, 8, (off_t)((uintptr_t)address / PAGE * 8)) == 8 ? value : 1;
}

static volatile char *pages(int flags, int fd)
{
	return mmap(NULL, 4 * PAGE, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);
}

static void test_kinds(void)
{
	volatile char *own = pages(MAP_PRIVATE | MAP_ANONYMOUS, -1),
		      *shared = pages(MAP_SHARED | MAP_ANONYMOUS, -1),
		      *file = pages(MAP_PRIVATE, open("/proc/self/exe", O_RDONLY));

	own[0] = shared[0] = 1;
	(void)own[PAGE], (void)file[0];
	is((long)((entry(own) & KINDS) == (PRESENT | EXCLUSIVE)), 1, "a written page");
	is((long)(entry(own + PAGE) & KINDS), (long)PRESENT,
	   "a page that was only read is present");
	is((long)entry(own + 2 * PAGE), (long)SOFT_DIRTY, "an untouched page is soft-dirty only");
	is((long)(entry(shared) & (FILE_PAGE | PRESENT)), (long)(FILE_PAGE | PRESENT),
	   "shared memory");
	is((long)(entry(file) & (FILE_PAGE | PRESENT)), (long)(FILE_PAGE | PRESENT),
	   "a file's page");
	is((long)entry((void *)PAGE), 0, "where nothing is mapped");
}

/* The child's map: that of the parent is another file. */
static void test_fork(void)
{
	volatile char *own = pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	uint64_t before;
	int status = 0;

	own[0] = 1;
	before = entry(own);
	ok(before & FRAME, "root sees the frame");
	if (!fork()) {
		uint64_t shares, copied;

		map = open("/proc/self/pagemap", O_RDONLY);
		shares = entry(own);
		own[0] = 2;
		copied = entry(own);
		_exit(((shares ^ before) & FRAME ? 1 : 0) | (shares & EXCLUSIVE ? 2 : 0) |
		      ((copied ^ before) & FRAME ? 0 : 4));
	}
	wait(&status);
	is(status, 0, "a child has the same frame, shared, until it writes");
}

static void test_rights(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	volatile char *own = pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int opened = map;

	own[0] = 1;
	syscall(SYS_capget, &header, data);
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	syscall(SYS_capset, &header, data);
	ok(entry(own) & FRAME, "whoever opened it counts");
	map = open("/proc/self/pagemap", O_RDONLY);
	is((long)(entry(own) & FRAME), 0, "without CAP_SYS_ADMIN no frame is told");
	ok(entry(own) & PRESENT, "the rest is");
	close(map);
	map = opened;
	data[0].effective |= 1u << CAP_SYS_ADMIN;
	syscall(SYS_capset, &header, data);
}

static void test_errors(void)
{
	uint64_t values[3];

	is(pread(map, values, 7, 0) < 0 ? errno : 0, EINVAL, "7 bytes");
	is(pread(map, values, 8, 4) < 0 ? errno : 0, EINVAL, "a read within an entry: EINVAL");
	is(pread(map, nowhere, 8, 0) < 0 ? errno : 0, EFAULT,
	   "a read to an unmapped address: EFAULT");
	is(pread(map, values, 0, 0), 0, "nothing");
	is(pread(map, values, 16, (off_t)(TASK_END / PAGE * 8 - 8)), 8, "over the end");
	is(pread(map, values, 8, (off_t)(TASK_END / PAGE * 8)), 0, "a read at the end returns 0");
	is(pread(map, values, 8, 1l << 60), 0, "far past it");
	is(write(map, values, 8) < 0 ? errno : 0, EBADF, "pagemap is not written: EBADF");
}

static Elf64_Phdr segments[64];
static int nr_segments;

/* Returns 8 bytes of the kernel's memory at a physical address; 0 if no segment has it. */
static uint64_t kernel_word(int core, uint64_t phys)
{
	uint64_t word = 0;

	for (int i = 0; i < nr_segments; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type == PT_LOAD && segment->p_paddr != UINT64_MAX &&
		    phys >= segment->p_paddr && phys - segment->p_paddr < segment->p_filesz)
			pread(core, &word, 8, (off_t)(segment->p_offset + phys - segment->p_paddr));
	}
	return word;
}

/* No other user may open it, whatever the file's mode says. */
static int open_without_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	int status = 0;

	if (!fork()) {
		syscall(SYS_capget, &header, data);
		data[0].effective &= ~(1u << CAP_SYS_RAWIO);
		syscall(SYS_capset, &header, data);
		_exit(open("/proc/kcore", O_RDONLY) < 0 ? errno : 0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

static void test_core(void)
{
	volatile uint64_t *own = (volatile uint64_t *)pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int core = open("/proc/kcore", O_RDONLY);
	Elf64_Ehdr header;
	uint64_t phys;

	ok(core >= 0, "/proc/kcore opens");
	ok(read(core, &header, sizeof(header)) == sizeof(header) &&
	       header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       header.e_type == ET_CORE && header.e_machine == EM_X86_64,
	   "a core file");
	nr_segments = header.e_phnum < 64 ? header.e_phnum : 64;
	is(pread(core, segments, (size_t)nr_segments * sizeof(*segments), (off_t)header.e_phoff),
	   nr_segments * (long)sizeof(*segments), "/proc/kcore has several segments");
	is(segments[0].p_type, PT_NOTE, "notes before them");
	own[3] = 0x0123456789abcdef;
	phys = (entry(own) & FRAME) * PAGE + 3 * 8;
	is((long)kernel_word(core, phys), 0x0123456789abcdef, "/proc/kcore has a program's page");
	own[3] = 77;
	is((long)kernel_word(core, phys), 77, "/proc/kcore has the page's present value");
	is(open_without_rights(), EPERM, "/proc/kcore takes CAP_SYS_RAWIO");
	is(lseek(core, 100, SEEK_SET), 100, "/proc/kcore can be sought in");
	ok(write(core, segments, 8) == -1 && errno == EBADF, "/proc/kcore is not written: EBADF");
	close(core);
}

int main(void)
{
	map = open("/proc/self/pagemap", O_RDONLY);
	ok(map >= 0, "/proc/self/pagemap opens");
	test_kinds();
	test_fork();
	test_rights();
	test_errors();
	test_core();
	return tap_end();
}
