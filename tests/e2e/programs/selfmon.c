/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts a loop of its own by events that libpfm4 names: one line of name and count for each. */
#include <perfmon/pfmlib_perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int count(const char *name)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t encode = {.attr = &attr, .size = sizeof(encode)};
	int err = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encode), fd;
	uint64_t value = 0, rounds = 1000000;

	if (err) {
		fprintf(stderr, "%s: %s\n", name, pfm_strerror(err));
		return 1;
	}
	attr.disabled = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (fd < 0) {
		perror(name);
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	__asm__ volatile("1: decq %0\n jnz 1b" : "+r"(rounds) : : "cc");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return 1;
	printf("%s %lu\n", name, value);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = pfm_initialize() != PFM_SUCCESS;

	for (int i = 1; i < argc; i++)
		failed += count(argv[i]);
	return failed;
}
