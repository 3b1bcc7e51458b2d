/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds words of the kernel's command line: name=value, separated by spaces. */
#include "abi/boot_info.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"

bool cmdline_value(const char *name, char *value, size_t size)
{
	size_t length = strlen(name);
	const char *word = boot_info.cmdline;
	bool found = false;

	while (*word) {
		size_t bytes = 0;

		while (word[bytes] && word[bytes] != ' ')
			bytes++;
		if (bytes > length && word[length] == '=' && !memcmp(word, name, length)) {
			size_t copied = bytes - length; /* with its NUL */

			strlcpy(value, word + length + 1, copied < size ? copied : size);
			found = true;
		}
		word += bytes;
		while (*word == ' ')
			word++;
	}
	return found;
}

bool cmdline_is(const char *name, const char *value)
{
	char buffer[32];

	return cmdline_value(name, buffer, sizeof(buffer)) && !strcmp(buffer, value);
}

uint64_t cmdline_cpus(const char *name)
{
	char list[256];
	const char *at = list;
	uint64_t mask = 0, from, to;

	if (!cmdline_value(name, list, sizeof(list)))
		return 0;
	while (!number_digits(&at, 10, &from)) {
		to = from;
		if (*at == '-') {
			at++;
			number_digits(&at, 10, &to);
		}
		for (uint64_t cpu = from; cpu <= to && cpu < 64; cpu++)
			mask |= 1ul << cpu;
		if (*at == ',')
			at++;
	}
	return mask;
}
