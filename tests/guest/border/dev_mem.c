/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/mem: who may open it, what of physical memory it shows, and what it refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define BIOS       0xf0000
#define BIOS_BYTES 0x10000
#define MIB        0x100000

static const char *path = "/dev/mem";
static int mem;
static unsigned char bios[BIOS_BYTES], again[BIOS_BYTES];

/* What a read gives: how many bytes, or a negative errno. */
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

/* The errno with which somebody else fails to open it. */
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
	is(st.st_mode & 07777 & ~040, 0600, "its mode lets no user in");
	is(open_as(become_user), EACCES, "a user may not open it");
	is(open_as(drop_rawio), EPERM, "nor root without CAP_SYS_RAWIO");
}

static void low(void)
{
	unsigned long sum = 0;

	is(pread(mem, bios, sizeof(bios), BIOS), sizeof(bios), "the BIOS's area");
	is(at(BIOS, sizeof(again)), sizeof(again), "and again");
	is(memcmp(bios, again, sizeof(bios)), 0, "it is the same");
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

/* The errno of a read to an address where nobody may write. */
static int read_to(volatile uint64_t address)
{
	return syscall(SYS_pread64, mem, address, 16ul, (long)BIOS) < 0 ? errno : 0;
}

static void refused(void)
{
	is(at(MIB, 1), -EPERM, "RAM above it");
	is(at(MIB - 1, 2), -EPERM, "from below it into it");
	is(at(32 * MIB, 4096), -EPERM, "the kernel's RAM");
	is(at(1ul << 46, 1), -EFAULT, "where there is no RAM any more");
	is(at(INT64_MAX - 5, 4), -EFAULT, "the last address");
	is(at(INT64_MAX - 5, 4096), -EFAULT, "and beyond it");
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
	is(memcmp(bios, again, 16), 0, "of the same bytes");
	is(lseek(mem, 4, SEEK_CUR), BIOS + 20, "SEEK_CUR");
	is(lseek(mem, 0, SEEK_END) < 0 ? errno : 0, EINVAL, "it has no end");
	is(lseek(mem, MIB, SEEK_SET), MIB, "anywhere");
	is(read(mem, again, 16) < 0 ? errno : 0, EPERM, "a read that is refused");
	is(lseek(mem, 0, SEEK_CUR), MIB, "leaves the offset");
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
	return tap_end();
}
