/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's log: lines on the console. */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include "kernel/base/console.h"

/* Reads log= of the command line. Context: start. */
void log_init(void);

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* printf-like (%s %c %d %i %u %x %p %l.. %ll.. %z.., width, 0, -); one line, without its newline.
 * Context: task or interrupt, not NMI. */
__attribute__((format(printf, 2, 3))) void log_at(enum log_level level, const char *format, ...);

#define log_error(...) log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)

/* Also sends the log to `writer` from now on. Context: start. */
void log_keep_in(console_writer *writer);

/* Writes text to the log's devices unchanged. Context: any but NMI; in a panic any. */
void log_text(const char *text, size_t bytes);

/* kernel/host/panic.c: prints the message, the registers and a symbolised backtrace, notifies the
 * host, and stops the machine. Context: any. */
__attribute__((noreturn, format(printf, 1, 2))) void panic(const char *format, ...);

#endif
