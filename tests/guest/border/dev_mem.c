/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/mem: who may open it, which physical memory it reads and maps, and refusals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"
#include "tests/guest/tap.h"

#define BIOS       0xf0000
#define BIOS_BYTES 0x10000
#define MIB        0x100000

static const char *path = "/dev/mem";
static int mem;
static unsigned char bios[BIOS_BYTES], again[BIOS_BYTES];

/* Returns the result of a read: a number of bytes or a negative errno. */
static long at(uint64_t offset, size_t bytes)
{
	long n = pread(mem, again, bytes, (off_t)offset);

	return n < 0 ? -errno : n;
}

static int drop_rawio(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -1;
	data[0].effective &= ~(1u << CAP_SYS_RAWIO);
	return (int)syscall(SYS_capset, &header, data);
}

static int become_user(void)
{
	return setuid(1000);
}

/* Returns the errno of an open by another user. */
static int open_as(int (*other)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(other() ? 255 : open(path, O_RDONLY) >= 0 ? 0 : errno);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void who(void)
{
	struct stat st;

	is(stat(path, &st) ? -1 : (long)st.st_rdev, (long)makedev(1, 1), "device 1:1");
	is(st.st_mode & 07777 & ~040, 0600, "/dev/mem's mode lets no user in");
	is(open_as(become_user), EACCES, "a user may not open it");
	is(open_as(drop_rawio), EPERM, "root without CAP_SYS_RAWIO may not open it");
}

static void low(void)
{
	unsigned long sum = 0;

	is(pread(mem, bios, sizeof(bios), BIOS), sizeof(bios), "the BIOS's area");
	is(at(BIOS, sizeof(again)), sizeof(again), "the BIOS's area is read again");
	is(memcmp(bios, again, sizeof(bios)), 0, "two reads of the BIOS's area are equal");
	is(at(MIB - 11, 7), 7, "seven bytes of it");
	is(memcmp(bios + BIOS_BYTES - 11, again, 7), 0, "are the right ones");
	is(at(BIOS + 4090, 12), 12, "across pages");
	is(memcmp(bios + 4090, again, 12), 0, "are the right ones, too");
	memset(again, 1, 0x4000);
	is(at(0x10000, 0x4000), 0x4000, "RAM of the first MiB");
	for (int i = 0; i < 0x4000; i++)
		sum += again[i];
	is((long)sum, 0, "is shown as zeros");
}

/* Returns the errno of a read to an unwritable address. */
static int read_to(volatile uint64_t address)
{
	return syscall(SYS_pread64, mem, address, 16ul, (long)BIOS) < 0 ? errno : 0;
}

static void refused(void)
{
	is(at(MIB, 1), -EPERM, "RAM above it");
	is(at(MIB - 1, 2), -EPERM, "a read from below RAM into it: EPERM");
	is(at(32 * MIB, 4096), -EPERM, "the kernel's RAM");
	is(at(1ul << 46, 1), -EFAULT, "where there is no RAM any more");
	is(at(INT64_MAX - 5, 4), -EFAULT, "the last address");
	is(at(INT64_MAX - 5, 4096), -EFAULT, "a read beyond the last address: EFAULT");
	is(read_to(8), EFAULT, "a bad buffer");
	is(read_to(-4096ul), EFAULT, "the kernel's buffer");
	is(pread(mem, again, 1, -1) < 0 ? errno : 0, EINVAL, "a negative offset");
	is(pwrite(mem, again, 1, BIOS) < 0 ? errno : 0, EBADF, "a write by who reads");
	is(at(BIOS, 0), 0, "nothing at all");
}

static void seek(void)
{
	is(lseek(mem, BIOS, SEEK_SET), BIOS, "SEEK_SET");
	is(read(mem, again, 16), 16, "a read from there");
	is(memcmp(bios, again, 16), 0, "lseek and read return the same bytes");
	is(lseek(mem, 4, SEEK_CUR), BIOS + 20, "SEEK_CUR");
	is(lseek(mem, 0, SEEK_END) < 0 ? errno : 0, EINVAL, "SEEK_END: EINVAL");
	is(lseek(mem, MIB, SEEK_SET), MIB, "anywhere");
	is(read(mem, again, 16) < 0 ? errno : 0, EPERM, "a read that is refused");
	is(lseek(mem, 0, SEEK_CUR), MIB, "leaves the offset");
}

/* ---- mapping ---- */

#define PAGE 4096ul
#define APIC 0xfee00000ul

static int mem_rw;

/* mmap of physical memory: 0 (and it is gone again), or an errno. */
static int map_error(int fd, uint64_t phys, size_t bytes, int prot, int flags)
{
	void *p = mmap(NULL, bytes, prot, flags, fd, (off_t)phys);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, bytes);
	return 0;
}

/* The physical address of a page of ours. */
static uint64_t own_page(const void *p)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (pread(fd, &entry, sizeof(entry), (off_t)((uint64_t)p / PAGE * sizeof(entry))) < 0)
		entry = 0;
	close(fd);
	return (entry & ((1ul << 55) - 1)) * PAGE;
}

static void maps_refused(void)
{
	static char mine[2 * PAGE];
	uint64_t own;
	int rw = PROT_READ | PROT_WRITE;

	mine[PAGE] = 1;
	own = own_page(mine + PAGE);
	ok(own > MIB, "a page of ours lies in RAM");
	is(map_error(mem_rw, own, PAGE, PROT_READ, MAP_SHARED), EPERM,
	   "a page of RAM is not mapped: EPERM");
	is(map_error(mem_rw, own, PAGE, rw, MAP_SHARED), EPERM,
	   "a page of RAM is not written: EPERM");
	is(map_error(mem_rw, MIB, PAGE, rw, MAP_SHARED), EPERM,
	   "the first page above 1 MiB is not mapped");
	is(map_error(mem_rw, MIB - PAGE, 2 * PAGE, rw, MAP_SHARED), EPERM,
	   "a mapping from below RAM into it: EPERM");
	is(map_error(mem_rw, 0, 1ul << 32, PROT_READ, MAP_SHARED), EPERM, "4 GiB with RAM in them");
	is(map_error(mem_rw, APIC, PAGE, rw, MAP_SHARED), EPERM, "the local APIC");
	is(map_error(mem_rw, APIC - 4 * PAGE, 8 * PAGE, rw, MAP_SHARED), EPERM,
	   "a mapping with the local APIC in the middle: EPERM");
	is(map_error(mem, BIOS, PAGE, rw, MAP_SHARED), EACCES, "writable, by who only reads");
	is(map_error(mem_rw, 1ul << 60, PAGE, PROT_READ, MAP_SHARED), EINVAL, "no such address");
	is(map_error(mem_rw, INT64_MAX & -PAGE, PAGE, PROT_READ, MAP_SHARED), EINVAL,
	   "the last one");
}

/* A child that touches the byte: the signal that ends it, or 0. */
static int touch(volatile unsigned char *p, int write)
{
	int status;
	pid_t child = fork();

	if (!child) {
		unsigned char byte = *p;

		if (write)
			*p = byte;
		_exit(*p & 0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void maps(unsigned char *p)
{
	is(memcmp(p, bios, BIOS_BYTES), 0, "the BIOS, mapped, is what was read");
	is(touch(p, 0), 0, "a child sees it, too");
	is(touch(p, 1), SIGSEGV, "a child may not write to a read-only mapping");
	is(mprotect(p, PAGE, PROT_READ | PROT_WRITE) ? errno : 0, EACCES,
	   "mprotect does not make it writable");
	is(mprotect(p + PAGE, PAGE, PROT_NONE), 0, "a page of it that allows nothing");
	is(touch(p + PAGE, 0), SIGSEGV, "is not read");
	is(p[2 * PAGE], bios[2 * PAGE], "the mapping goes on after an unreadable page");
	mprotect(p + PAGE, PAGE, PROT_READ);
	is(memcmp(p, bios, BIOS_BYTES), 0, "the whole mapping is readable again");
	is(munmap(p + 3 * PAGE, PAGE), 0, "a page of it is unmapped");
	is(touch(p + 3 * PAGE, 0), SIGSEGV, "an unmapped page of it is gone");
	is(memcmp(p + 4 * PAGE, bios + 4 * PAGE, BIOS_BYTES - 4 * PAGE), 0,
	   "those after it are the same ones");
	is(mremap(p + 4 * PAGE, PAGE, 64 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0, EFAULT,
	   "mremap does not let a mapping grow");
	is(madvise(p, PAGE, MADV_DONTNEED) ? errno : 0, EINVAL,
	   "MADV_DONTNEED does not discard it");
}

/* ---- what else takes addresses of ring 3 ---- */

static long peek(const void *p)
{
	long word = -1;
	int status;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, child, p, 0);
	ptrace(PTRACE_KILL, child, 0, 0);
	waitpid(child, &status, 0);
	return errno ? -errno : word;
}

/* Takes a sample of a page fault with frame pointer and stack pointer in the mapping. */
static void sampled(unsigned char *p)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_PAGE_FAULTS,
	    .sample_period = 1,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR,
	    .sample_stack_user = 1024,
	    .sample_regs_user = 1ul << 7};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct perf_event_mmap_page *page =
	    mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!ok(page != MAP_FAILED, "a ring"))
		return;
	__asm__ volatile(
	    "mov %%rbp, %%r14\n\tmov %%rsp, %%r15\n\tmov %0, %%rbp\n\tmov %0, %%rsp\n\t"
	    "movb $1, (%1)\n\tmov %%r14, %%rbp\n\tmov %%r15, %%rsp"
	    :
	    : "r"(p), "r"(fresh)
	    : "r14", "r15", "memory");
	ok(page->data_head > 0, "a sample whose stack lies in the mapping");
	munmap(fresh, PAGE);
	munmap(page, 9 * PAGE);
	close(fd);
}

static void by_others(unsigned char *p)
{
	char bytes[16] = {0};
	struct iovec here = {bytes, sizeof(bytes)}, there = {p, sizeof(bytes)};
	int pipes[2];

	is(process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0 ? errno : 0, EFAULT,
	   "process_vm_readv has no page there");
	is(process_vm_writev(getpid(), &here, 1, &there, 1, 0) < 0 ? errno : 0, EFAULT,
	   "process_vm_writev has no page there");
	is(syscall(SYS_futex, p, FUTEX_WAKE, 1, 0, 0, 0) < 0 ? errno : 0, EFAULT,
	   "a shared futex has no page there");
	is(syscall(SYS_futex, p, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, ~*(uint32_t *)p, 0, 0, 0) < 0
	       ? errno
	       : 0,
	   EAGAIN, "a private one is compared");
	is(peek(p), -EIO, "a tracer has none");
	is(pipe(pipes), 0, "a pipe");
	is(write(pipes[1], p, 16), 16, "takes what is mapped");
	is(read(pipes[0], bytes, 16), 16, "a pipe gives the mapping's bytes back");
	is(memcmp(bytes, bios, 16), 0, "unchanged");
	sampled(p);
}

/* Physical pages have no references that could be lost. */
static void nothing_lost(void)
{
	struct sysinfo before, after;
	long less;

	for (int round = 0; round < 2; round++) {
		sysinfo(round ? &after : &before);
		for (int i = 0; i < 200 && !round; i++) {
			unsigned char *p = mmap(NULL, BIOS_BYTES, PROT_READ, MAP_SHARED, mem, BIOS);

			for (size_t at = 0; at < BIOS_BYTES; at += PAGE)
				*(volatile unsigned char *)(p + at);
			munmap(p, BIOS_BYTES);
		}
	}
	less = ((long)before.freeram - (long)after.freeram) * (long)before.mem_unit;
	ok(labs(less) < 400 * (long)PAGE, "3,200 pages come and go, and RAM is as free as before");
}

static void low_ram(void)
{
	volatile unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mem_rw,
					 0x8000),
			       *q;
	unsigned char was;

	if (!ok(p != MAP_FAILED, "RAM of the first MiB may be written"))
		return;
	q = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, mem, 0x8000);
	was = p[77];
	p[77] = (unsigned char)~was;
	is(q[77], (unsigned char)~was, "a write to low RAM is seen by another mapping");
	p[77] = was;
	munmap((void *)p, PAGE);
	munmap((void *)q, PAGE);
	is(map_error(mem_rw, 0x8000, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE), EINVAL,
	   "a private copy of it is refused");
	is(pwrite(mem_rw, "x", 1, 0x8000), 1, "write(2) to it");
	is(at(0x8000, 1) == 1 ? again[0] : -1, 0, "changes nothing that can be read");
	is(pwrite(mem_rw, "x", 1, 32 * MIB) < 0 ? errno : 0, EPERM, "a write above 1 MiB: EPERM");
}

/* Addresses where nothing is answer with ones. */
static void hole(void)
{
	volatile unsigned char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, mem, 0xfed10000);

	if (ok(p != MAP_FAILED, "a device's place (MCHBAR) that nobody claims"))
		is(touch((unsigned char *)p, 0), 0, "answers");
	munmap((void *)p, PAGE);
}

static void mapping(void)
{
	unsigned char *p = mmap(NULL, BIOS_BYTES, PROT_READ, MAP_SHARED, mem, BIOS);

	mem_rw = open(path, O_RDWR | O_SYNC);
	if (!ok(mem_rw >= 0 && p != MAP_FAILED, "the BIOS is mapped"))
		return;
	by_others(p);
	maps(p);
	maps_refused();
	low_ram();
	hole();
	nothing_lost();
}

int main(void)
{
	if (access(path, F_OK) && !mknod("/mem", S_IFCHR | 0600, makedev(1, 1)))
		path = "/mem";
	mem = open(path, O_RDONLY);
	if (!ok(mem >= 0, "root opens it"))
		return tap_end();
	who();
	low();
	refused();
	seek();
	mapping();
	return tap_end();
}
