/* SPDX-License-Identifier: BSD-2-Clause */
/* The most recent errors, as many as Linux keeps. */
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "trace/buffer/error_log.h"

#define ERRORS_MAX 8
#define NS_PER_US  1000
#define US_PER_SEC 1000000
#define PREFIX     "  Command: "

static struct error {
	uint64_t time; /* ns */
	const char *where, *what;
	char *text; /* NULL: the entry is empty */
	uint32_t at;
} errors[ERRORS_MAX];

static uint32_t next; /* place of the oldest */

void error_log_add(const char *where, const char *what, const char *text, uint32_t at)
{
	struct error *error = &errors[next];
	size_t bytes = strlen(text) + 1;
	char *copy = kalloc(bytes);

	if (!copy)
		return;
	memcpy(copy, text, bytes);
	kfree(error->text);
	*error = (struct error){clock_ns(), where, what, copy, at};
	next = (next + 1) % ERRORS_MAX;
}

static void show(struct text *out, const struct error *error)
{
	uint64_t us = error->time / NS_PER_US;

	text_print(out, "[%5lu.%06lu] %s: error: %s\n" PREFIX "%s\n", us / US_PER_SEC,
		   us % US_PER_SEC, error->where, error->what, error->text);
	for (size_t i = 0; i < strlen(PREFIX) + error->at; i++)
		text_char(out, ' ');
	text_print(out, "^\n");
}

void error_log_show(struct text *out, uint64_t id)
{
	(void)id;
	for (uint32_t i = 0; i < ERRORS_MAX; i++) {
		const struct error *error = &errors[(next + i) % ERRORS_MAX];

		if (error->text)
			show(out, error);
	}
}

int error_log_store(const char *text, uint64_t id)
{
	(void)text;
	(void)id;
	return 0;
}

int error_log_clear(uint64_t id)
{
	(void)id;
	for (uint32_t i = 0; i < ERRORS_MAX; i++) {
		kfree(errors[i].text);
		errors[i].text = NULL;
	}
	return 0;
}
