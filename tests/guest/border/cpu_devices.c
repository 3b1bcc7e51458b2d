/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/cpu/N/msr and /dev/cpu/N/cpuid: their contents, the right to open them, and refusals. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"
#include "tests/guest/visor.h"

#define MSR_EFER  0xc0000080
#define MSR_LSTAR 0xc0000082
#define MSR_CSTAR 0xc0000083
#define EFER_LONG 0x500 /* LME and LMA */

static void *volatile nowhere = (void *)8; /* the compiler would complain of a constant */

static void test_msr(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	uint64_t value[2] = {0, 0}, old;

	ok(fd >= 0, "root opens it");
	is(pread(fd, &value, 8, MSR_EFER), 8, "EFER is read");
	is((long)(value[0] & EFER_LONG), EFER_LONG, "EFER has long mode");
	is(pread(fd, value, 16, MSR_EFER), 16, "16 bytes");
	is((long)(value[0] - value[1]), 0, "are the same register twice");
	pread(fd, &old, 8, MSR_CSTAR);
	value[0] = old ^ 0x1230;
	is(pwrite(fd, value, 8, MSR_CSTAR), 8, "CSTAR is written");
	is(pread(fd, value, 8, MSR_CSTAR) == 8 ? (long)(value[0] ^ old) : -1, 0x1230,
	   "a written MSR is read back");
	pwrite(fd, &old, 8, MSR_CSTAR);
	is(lseek(fd, MSR_LSTAR, SEEK_SET), MSR_LSTAR, "lseek");
	is(read(fd, value, 8) == 8 && value[0] >> 63, 1, "read at the offset");
	is(lseek(fd, 0, SEEK_CUR), MSR_LSTAR, "reading does not move the offset");
	is(pread(fd, value, 7, MSR_EFER) < 0 ? errno : 0, EINVAL, "7 bytes");
	value[0] = 1ul << 63 | 1;
	if (under_visor()) /* QEMU alone takes any value */
		is(pwrite(fd, value, 8, 0x1b) < 0 ? errno : 0, EIO, "a value that raises #GP");
	is(pread(fd, nowhere, 8, MSR_EFER) < 0 ? errno : 0, EFAULT, "a bad address");
	close(fd);
}

static void test_cpuid(void)
{
	int fd = open("/dev/cpu/0/cpuid", O_RDONLY);
	uint32_t told[8], a, b, c, d;

	ok(fd >= 0, "cpuid opens");
	__cpuid(0, a, b, c, d);
	is(pread(fd, told, 16, 0), 16, "a leaf is 16 bytes");
	ok(told[0] == a && told[1] == b && told[2] == c && told[3] == d,
	   "/dev/cpu/N/cpuid agrees with CPUID");
	__cpuid_count(4, 1, a, b, c, d);
	is(pread(fd, told, 16, 4 | 1l << 32), 16, "a subleaf");
	ok(told[0] == a && told[1] == b && told[2] == c,
	   "/dev/cpu/N/cpuid of a subleaf agrees with CPUID");
	is(lseek(fd, 0, SEEK_SET) == 0 ? read(fd, told, 32) : -1, 32, "two leaves");
	is(lseek(fd, 0, SEEK_CUR), 2, "the offset goes on by leaves");
	is(pread(fd, told, 8, 0) < 0 ? errno : 0, EINVAL, "8 bytes");
	close(fd);
}

static void test_user(void)
{
	int status = -1;

	if (!fork()) {
		if (setuid(1000))
			_exit(1);
		if (open("/dev/cpu/0/msr", O_RDONLY) >= 0 || errno != EACCES)
			_exit(2);
		_exit(open("/dev/cpu/0/cpuid", O_RDONLY) < 0 ? 3 : 0);
	}
	wait(&status);
	is(status, 0, "an ordinary user reads cpuid, and not MSRs");
}

int main(void)
{
	struct stat info;

	if (stat("/dev/cpu/0/msr", &info))
		return tap_skip_all(
		    "there is no /dev/cpu: on Linux the modules msr and cpuid make it");
	is(info.st_rdev >> 8, 202, "the device's number");
	test_msr();
	test_cpuid();
	test_user();
	return tap_end();
}
