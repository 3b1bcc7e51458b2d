/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the oracle's programs: they print results under names, and both kernels must print
 * equal ones. */
#ifndef TESTS_ORACLE_ORACLE_H
#define TESTS_ORACLE_ORACLE_H

#include "../guest/perf.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PAGE         4096ul

/* Errors: their names, and their letters in rows. */
static const struct oracle_errno {
	int number;
	char letter;
	const char *name;
} oracle_errnos[] = {
    {EPERM, 'P', "EPERM"},         {ENOENT, 'N', "ENOENT"},         {ESRCH, 'S', "ESRCH"},
    {ENXIO, 'X', "ENXIO"},         {E2BIG, '2', "E2BIG"},           {EBADF, 'B', "EBADF"},
    {EAGAIN, 'G', "EAGAIN"},       {ENOMEM, 'M', "ENOMEM"},         {EACCES, 'A', "EACCES"},
    {EFAULT, 'F', "EFAULT"},       {EBUSY, 'b', "EBUSY"},           {EEXIST, 'e', "EEXIST"},
    {ENODEV, 'D', "ENODEV"},       {EINVAL, 'I', "EINVAL"},         {ENOTTY, 'T', "ENOTTY"},
    {ENOSPC, 'C', "ENOSPC"},       {ESPIPE, 'p', "ESPIPE"},         {ENOSYS, 'Y', "ENOSYS"},
    {EOVERFLOW, 'V', "EOVERFLOW"}, {EOPNOTSUPP, 'O', "EOPNOTSUPP"}, {EMFILE, 'm', "EMFILE"},
    {ETXTBSY, 't', "ETXTBSY"},
};

/* The row of a negative errno, or NULL. */
static inline const struct oracle_errno *find_errno(long result)
{
	for (unsigned i = 0; i < COUNT(oracle_errnos); i++)
		if (oracle_errnos[i].number == -result)
			return &oracle_errnos[i];
	return NULL;
}

/* Returns "OK" for a result that is not negative, else the errno's name. */
static inline const char *outcome(long result)
{
	const struct oracle_errno *found = find_errno(result);

	return result >= 0 ? "OK" : found ? found->name : "an errno without name";
}

/* The result of a call that sets errno. */
static inline long failed(long result)
{
	return result < 0 ? -errno : result;
}

/* One result under a name. */
__attribute__((format(printf, 2, 3), unused)) static void report(long result, const char *format,
								 ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", outcome(result));
}

/*
 * Many results under one name: a line of one letter each, a dot for success.
 * row("name"); cell(result); cell(result); ... row_end();
 */
__attribute__((format(printf, 1, 2), unused)) static void row(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": ");
}

__attribute__((unused)) static void cell(long result)
{
	const struct oracle_errno *found = find_errno(result);

	putchar(result >= 0 ? '.' : found ? found->letter : '?');
}

__attribute__((unused)) static void row_end(void)
{
	putchar('\n');
}

/* A child that waits until its parent closes *gate, in which it returns 0; or -1. */
static inline pid_t gated_child(int *gate)
{
	int ends[2];
	pid_t child;
	char byte;

	if (pipe(ends))
		return -1;
	child = fork();
	if (child) {
		close(ends[0]);
		*gate = ends[1];
		return child;
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1))
		_exit(1);
	close(ends[0]);
	return 0;
}

/* Opens an event and closes it again. */
static inline int try_open(struct perf_event_attr *attr, int pid, int cpu, int group,
			   unsigned long flags)
{
	int fd = perf_try(attr, pid, cpu, group, flags);

	if (fd >= 0)
		close(fd);
	return fd;
}

/* As try_open(), for this task. */
static inline int try_attr(struct perf_event_attr *attr)
{
	return try_open(attr, 0, -1, -1, 0);
}

/* The word of the one-bit flags. */
static inline uint64_t *attr_flags(struct perf_event_attr *attr)
{
	return (uint64_t *)attr + 5;
}

#endif
