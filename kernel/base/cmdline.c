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

void cmdline_cpus(const char *name, struct cpu_mask *mask)
{
	char list[256];
	const char *at = list;
	uint64_t from, to;

	*mask = (struct cpu_mask){0};
	if (!cmdline_value(name, list, sizeof(list)))
		return;
	while (!number_digits(&at, 10, &from)) {
		to = from;
		if (*at == '-') {
			at++;
			number_digits(&at, 10, &to);
		}
		for (uint64_t cpu = from; cpu <= to && cpu < MAX_CPUS; cpu++)
			cpu_mask_add(mask, (uint32_t)cpu);
		if (*at == ',')
			at++;
	}
}
