/* SPDX-License-Identifier: BSD-2-Clause */
/* The log: one line a message, with the time since start. */
#include <stdarg.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/base/log.h"
#include "kernel/base/text.h"

#define LINE_SIZE 512

static enum log_level shown = LOG_INFO;
static struct spinlock lock;
static console_writer *keeper; /* NULL: there is none */

void log_init(void)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};

	for (unsigned level = LOG_ERROR; level <= LOG_DEBUG; level++)
		if (cmdline_is("log", names[level]))
			shown = level;
}

void log_keep_in(console_writer *writer)
{
	keeper = writer;
}

void log_text(const char *text, size_t bytes)
{
	console_write(text, bytes);
	if (keeper)
		keeper(text, bytes);
}

void log_at(enum log_level level, const char *format, ...)
{
	static const char *const marks[] = {"error: ", "warning: ", "", ""};
	char buffer[LINE_SIZE];
	struct text line;
	va_list arguments;
	uint64_t flags, us;

	if (level > shown)
		return;
	us = clock_ns() / 1000;
	text_init(&line, buffer, sizeof(buffer) - 1);
	text_print(&line, "[%5lu.%06lu] %s", us / 1000000, us % 1000000, marks[level]);
	va_start(arguments, format);
	text_vprint(&line, format, arguments);
	va_end(arguments);
	if (line.length > sizeof(buffer) - 2)
		line.length = sizeof(buffer) - 2;
	buffer[line.length++] = '\n';
	flags = spin_lock_irqsave(&lock);
	log_text(buffer, line.length);
	spin_unlock_irqrestore(&lock, flags);
}
