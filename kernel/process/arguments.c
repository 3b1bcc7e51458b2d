/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument and environment strings on their way into a new program. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "kernel/mem/user.h"
#include "kernel/process/arguments.h"
#include "kernel/process/exec.h"
#include "kernel/task/sched.h"

#define PAGES_MAX       (ARGUMENTS_MAX / PAGE_SIZE)
#define STRINGS_AT_ONCE 1024 /* without a pause */

_Static_assert(PAGES_MAX * sizeof(char *) == PAGE_SIZE, "the pointers are a page");

void arguments_free(struct arguments *arguments)
{
	if (!arguments->pages)
		return;
	for (size_t i = 0; i < PAGES_MAX && arguments->pages[i]; i++)
		page_put(arguments->pages[i]);
	page_put(arguments->pages);
	arguments->pages = NULL;
}

const char *arguments_at(const struct arguments *arguments, size_t offset, size_t *bytes)
{
	size_t in_page = offset % PAGE_SIZE, left = arguments->used - offset;

	*bytes = left < PAGE_SIZE - in_page ? left : PAGE_SIZE - in_page;
	return arguments->pages[offset / PAGE_SIZE] + in_page;
}

size_t arguments_string(const struct arguments *arguments, size_t offset)
{
	size_t length = 0, bytes;

	for (;;) {
		const char *part = arguments_at(arguments, offset + length, &bytes);

		for (size_t i = 0; i < bytes; i++)
			if (!part[i])
				return length + i + 1;
		length += bytes;
	}
}

/* Returns in *to where the next bytes go, and in *room how many fit there. Returns 0, -E2BIG or
 * -ENOMEM. */
static int next_room(struct arguments *arguments, char **to, size_t *room)
{
	size_t in_page = arguments->used % PAGE_SIZE;
	char **page;

	if (arguments->used >= ARGUMENTS_MAX)
		return -E2BIG;
	if (!arguments->pages)
		arguments->pages = page_alloc();
	if (!arguments->pages)
		return -ENOMEM;
	page = &arguments->pages[arguments->used / PAGE_SIZE];
	if (!*page)
		*page = page_alloc_dirty();
	if (!*page)
		return -ENOMEM;
	*to = *page + in_page;
	*room = PAGE_SIZE - in_page;
	return 0;
}

static int add_bytes(struct arguments *arguments, const char *bytes, size_t size)
{
	size_t room;
	char *to;

	while (size) {
		int err = next_room(arguments, &to, &room);

		if (err)
			return err;
		if (room > size)
			room = size;
		memcpy(to, bytes, room);
		arguments->used += room;
		bytes += room;
		size -= room;
	}
	return 0;
}

int arguments_add(struct arguments *arguments, const char *string)
{
	size_t length = strlen(string);

	return length < ARGUMENT_LONGEST ? add_bytes(arguments, string, length + 1) : -E2BIG;
}

int arguments_add_rest(struct arguments *arguments, const struct arguments *from, size_t offset)
{
	size_t bytes;
	int err = 0;

	for (; offset < from->used && !err; offset += bytes) {
		const char *part = arguments_at(from, offset, &bytes);

		err = add_bytes(arguments, part, bytes);
	}
	return err;
}

/* Adds one string of the user's. */
static int add_user_string(struct arguments *arguments, uint64_t string)
{
	size_t room, total = 0;
	char *to;

	for (;;) {
		int err = next_room(arguments, &to, &room);
		long length;

		if (err)
			return err;
		length = copy_string_from_user(to, string + total, room);
		if (length >= 0) {
			arguments->used += (size_t)length + 1;
			return total + (size_t)length < ARGUMENT_LONGEST ? 0 : -E2BIG;
		}
		if (length != -ENAMETOOLONG)
			return (int)length;
		arguments->used += room;
		total += room;
		if (total >= ARGUMENT_LONGEST)
			return -E2BIG;
	}
}

int arguments_add_user(struct arguments *arguments, uint64_t array, unsigned *count)
{
	uint64_t pointer;
	int err;

	if (!array)
		return 0;
	for (;; array += sizeof(pointer), (*count)++) {
		err = copy_from_user(&pointer, array, sizeof(pointer));
		if (err || !pointer)
			return err;
		if (*count >= ARGUMENTS_MAX / sizeof(pointer))
			return -E2BIG;
		err = add_user_string(arguments, pointer);
		if (!err && *count % STRINGS_AT_ONCE == STRINGS_AT_ONCE - 1 && !sched_pause())
			err = -EINTR;
		if (err)
			return err;
	}
}
