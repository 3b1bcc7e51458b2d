/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of a kernel's symbols. */
#include "host/profile/names/kernel_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/image/linux.h"
#include "host/lib/array.h"
#include "host/lib/text.h"
#include "host/profile/names/kallsyms.h"

#define BZIMAGE_MAGIC  "HdrS"
#define BZIMAGE_AT     0x202
#define BZIMAGE_HEADER 0x268 /* bytes (Linux: Documentation/arch/x86/boot.rst) */
#define SETUP_SECTORS  0x1f1
#define SECTOR         512
#define PAYLOAD_AT     0x248
#define LINE_MAX       256

static void list_add(void *context, uint64_t address, char type, const char *name)
{
	struct kernel_list *list = context;

	list->symbols = array_grow(list->symbols, list->nr, sizeof(*list->symbols));
	list->symbols[list->nr++] = (struct kernel_symbol){address, type, format_text("%s", name)};
}

/* Reads a line of nm's; false if it is none. */
static bool take_line(struct kernel_list *list, const char *line, size_t length)
{
	char text[LINE_MAX], name[LINE_MAX], type;
	unsigned long long address;

	snprintf(text, sizeof(text), "%.*s", (int)(length < LINE_MAX ? length : LINE_MAX - 1),
		 line);
	if (sscanf(text, "%llx %c %255s", &address, &type, name) != 3)
		return false;
	list_add(list, address, type, name);
	return true;
}

/* The first line decides whether it is such a list. */
static bool read_lines(struct kernel_list *list, const struct buffer *file)
{
	const char *at = (const char *)file->bytes, *end = at + strlen(at);

	if (!*at || (size_t)(end - at) < file->size)
		return false;
	while (at < end) {
		const char *newline = strchr(at, '\n');
		size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);

		if (!take_line(list, at, length) && !list->nr)
			return false;
		at += length + !!newline;
	}
	return true;
}

static bool is_bzimage(const struct buffer *file)
{
	return file->size > BZIMAGE_HEADER && !memcmp(file->bytes + BZIMAGE_AT, BZIMAGE_MAGIC, 4);
}

/* iPXE has the header of a bzImage, but no kernel in it. */
static bool has_payload(const struct buffer *file)
{
	size_t start = (file->bytes[SETUP_SECTORS] + 1u) * SECTOR;
	uint32_t offset, length;

	memcpy(&offset, file->bytes + PAYLOAD_AT, sizeof(offset));
	memcpy(&length, file->bytes + PAYLOAD_AT + 4, sizeof(length));
	return length && start + offset <= file->size && length <= file->size - start - offset;
}

bool kernel_list_read(struct kernel_list *list, const struct buffer *file, const char *path)
{
	struct buffer unpacked = {NULL, 0, 0};
	bool good;

	*list = (struct kernel_list){0};
	if (is_bzimage(file)) {
		good = has_payload(file) && linux_unpack(path, &unpacked) &&
		       kallsyms_read(unpacked.bytes, unpacked.size, list_add, list);
		free(unpacked.bytes);
		return good;
	}
	if (read_lines(list, file))
		return true;
	return kallsyms_read(file->bytes, file->size, list_add, list);
}

uint64_t kernel_list_find(const struct kernel_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->symbols[i].name, name))
			return list->symbols[i].address;
	return 0;
}

void kernel_list_free(struct kernel_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->symbols[i].name);
	free(list->symbols);
	*list = (struct kernel_list){0};
}
