/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the console and of QEMU's messages: shows them as they come, and keeps the last ones. */
#include "host/machine/lines.h"

#include <stdio.h>
#include <string.h>

#include "host/machine/progress.h"
#include "host/machine/terminal.h"

/* True for "[    0.000123] text", a line of the kernel's log, or its panic. */
static bool kernel_speaks(const char *line)
{
	return !strncmp(line, "panic:", 6) ||
	       (*line == '[' && line[1 + strspn(line + 1, " 0123456789.")] == ']');
}

static void finish_line(struct lines *lines)
{
	lines->line[lines->have] = '\0';
	if (lines->from_kernel && kernel_speaks(lines->line))
		lines->from_kernel = false;
	if (lines->show && !lines->from_kernel) {
		progress_hide();
		fprintf(stderr, "%s%s", lines->line, terminal_newline());
	}
	if (lines->have)
		strcpy(lines->last, lines->line);
	if (!strncmp(lines->line, "visor: ", 7))
		strcpy(lines->visor, lines->line);
	lines->have = 0;
}

void lines_feed(struct lines *lines, const unsigned char *bytes, size_t size)
{
	for (; size; size--, bytes++) {
		if (*bytes == '\n' || lines->have == sizeof(lines->line) - 1)
			finish_line(lines);
		if (*bytes >= ' ' || *bytes == '\t')
			lines->line[lines->have++] = (char)*bytes;
	}
}
