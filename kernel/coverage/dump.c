/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends gcov's counters to the host command with the files of /out when the program has ended: one
 * .gcda file per kernel source file. libgcov writes them; this file provides the system interface
 * that it needs. */
#include <gcov.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/host/host.h"
#include "kernel/host/panic.h"
#include "kernel/mem/memory.h"

#define DIRECTORY "/coverage/"

extern const struct gcov_info *const __start_gcov_info[], *const __stop_gcov_info[];

/* The linker redirects the kernel's call to the wrapper (--wrap). */
void __real_host_send_files(void);
void __wrap_host_send_files(void);

static const char *name;
static size_t used;
static uint64_t outside; /* RFLAGS of our caller */

static bool starts_with(const char *text, const char *start)
{
	while (*start && *text == *start)
		text++, start++;
	return !*start;
}

/* The path after the build directory names the file on the host. */
static void file_named(const char *path, void *unused)
{
	(void)unused;
	for (name = path; *path; path++)
		if (starts_with(path, DIRECTORY))
			name = path + 1;
}

/* Sends the buffer. Sending may wait, so interrupts are enabled for it; libgcov keeps nothing below
 * the stack pointer during the call. */
static void send(uint8_t flags)
{
	irq_restore(outside);
	host_send(HOST_FILE, flags, name, host_buffer(), used);
	irq_save();
	used = 0;
}

static void file_goes_on(const void *bytes, unsigned length, void *unused)
{
	(void)unused;
	if (used + length > HOST_PAYLOAD)
		send(0);
	memcpy((char *)host_buffer() + used, bytes, length);
	used += length;
}

/* Allocates tables of values, which are not used here. */
static void *no_memory(unsigned length, void *unused)
{
	(void)length;
	(void)unused;
	return NULL;
}

/* libgcov keeps values below the stack pointer and uses vector registers; that is safe because the
 * program has ended and interrupts are masked. */
void __wrap_host_send_files(void)
{
	__real_host_send_files();
	outside = irq_save();
	/* cppcheck-suppress comparePointers */
	for (const struct gcov_info *const *info = __start_gcov_info; info < __stop_gcov_info;
	     info++) {
		__gcov_info_to_gcda(*info, file_named, file_goes_on, no_memory, NULL);
		send(FILE_LAST);
	}
	irq_restore(outside);
}

/* Named by libgcov, never called. */
void __gcov_merge_add(void *counters, unsigned nr);
void __gcov_merge_add(void *counters, unsigned nr)
{
	(void)counters;
	(void)nr;
}

_Noreturn void abort(void);
void abort(void)
{
	panic("libgcov gives up");
}

void *mmap(void);
void *mmap(void)
{
	return NULL;
}
