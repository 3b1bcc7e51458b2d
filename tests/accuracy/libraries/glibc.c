/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of glibc that libraries built for it need beyond musl's; and a constant clock,
 * as Lua mixes its hashes with the time. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int value, size_t n, size_t room);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
void __longjmp_chk(jmp_buf env, int value);
int fcntl64(int fd, int command, ...);

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	(void)room;
	return memcpy(to, from, n);
}

void *__memset_chk(void *to, int value, size_t n, size_t room)
{
	(void)room;
	return memset(to, value, n);
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void)flag;
	va_start(args, format);
	n = vfprintf(file, format, args);
	va_end(args);
	return n;
}

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...)
{
	va_list args;
	int length;

	(void)flag;
	(void)room;
	va_start(args, format);
	length = vsnprintf(to, n, format, args);
	va_end(args);
	return length;
}

void __longjmp_chk(jmp_buf env, int value)
{
	longjmp(env, value);
}

/* Operations on files, which these programs do not have. */
int fcntl64(int fd, int command, ...)
{
	(void)fd;
	(void)command;
	return -1;
}

time_t time(time_t *place)
{
	if (place)
		*place = 0;
	return 0;
}
