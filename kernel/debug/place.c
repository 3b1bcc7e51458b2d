/* SPDX-License-Identifier: BSD-2-Clause */
/* Names code addresses. */
#include <stdint.h>
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/debug/place.h"

const char *place(const void *code)
{
	static char buffer[96];
	struct text text;
	uint64_t offset;
	const char *name = symbols_find((uint64_t)(uintptr_t)code, &offset);

	text_init(&text, buffer, sizeof(buffer));
	text_print(&text, "%s+0x%lx", name ? name : "?", name ? offset : (uint64_t)code);
	return buffer;
}
