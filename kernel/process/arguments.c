/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument and environment strings on their way into a new program. */
#include <linux/errno.h>
#include "kernel/process/exec.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"

void arguments_free(struct arguments *arguments)
{
	kfree(arguments->bytes);
	arguments->bytes = NULL;
}

/* Makes room for `more` bytes. Returns 0, -E2BIG or -ENOMEM. */
static int reserve(struct arguments *arguments, size_t more)
{
	size_t size = arguments->size ? arguments->size : PAGE_SIZE;
	char *bytes;

	if (arguments->used + more > ARGUMENTS_MOST)
		return -E2BIG;
	while (size < arguments->used + more)
		size *= 2;
	if (size == arguments->size)
		return 0;
	bytes = kalloc(size);
	if (!bytes)
		return -ENOMEM;
	if (arguments->used)
		memcpy(bytes, arguments->bytes, arguments->used);
	kfree(arguments->bytes);
	arguments->bytes = bytes;
	arguments->size = size;
	return 0;
}

int arguments_add_all(struct arguments *arguments, const char *strings, size_t bytes)
{
	int err = reserve(arguments, bytes);

	if (err)
		return err;
	memcpy(arguments->bytes + arguments->used, strings, bytes);
	arguments->used += bytes;
	return 0;
}

int arguments_add(struct arguments *arguments, const char *string)
{
	size_t length = strlen(string);

	return length < ARGUMENT_LONGEST ? arguments_add_all(arguments, string, length + 1)
					 : -E2BIG;
}

/* Adds one string of the user's. */
static int add_user_string(struct arguments *arguments, uint64_t string)
{
	size_t room = 256;
	long length;
	int err;

	for (;;) {
		err = reserve(arguments, room);
		if (err)
			return err;
		room = arguments->size - arguments->used;
		length = copy_string_from_user(arguments->bytes + arguments->used, string, room);
		if (length >= 0) {
			arguments->used += (size_t)length + 1;
			return 0;
		}
		if (length != -ENAMETOOLONG)
			return (int)length;
		if (room >= ARGUMENT_LONGEST)
			return -E2BIG;
		room *= 2;
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
		if (*count >= ARGUMENTS_MOST / sizeof(pointer))
			return -E2BIG;
		err = add_user_string(arguments, pointer);
		if (err)
			return err;
	}
}
