/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are written to files, and words of commands. */
#include <linux/errno.h>
#include <stdbool.h>
#include "kernel/base/number.h"

#define NO_DIGIT 99u

unsigned number_digit(char character)
{
	unsigned letter = (unsigned char)character | 0x20u;

	if (character >= '0' && character <= '9')
		return (unsigned)(character - '0');
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : NO_DIGIT;
}

/* True if `text` starts with 0x and a hexadecimal digit. */
static bool is_hexadecimal(const char *text)
{
	return text[0] == '0' && (text[1] | 0x20) == 'x' && number_digit(text[2]) < 16;
}

int number_digits(const char **at, unsigned base, uint64_t *value)
{
	bool hexadecimal = is_hexadecimal(*at), fits = true;
	const char *first;

	if (!base)
		base = hexadecimal ? 16 : **at == '0' ? 8 : 10;
	if (base == 16 && hexadecimal)
		*at += 2;
	*value = 0;
	for (first = *at; number_digit(**at) < base; ++*at)
		fits = fits && !__builtin_mul_overflow(*value, (uint64_t)base, value) &&
		       !__builtin_add_overflow(*value, (uint64_t)number_digit(**at), value);
	if (*at == first)
		return -EINVAL;
	return fits ? 0 : -ERANGE;
}

int number_read(const char *text, unsigned base, uint64_t most, uint64_t *value)
{
	int err;

	text += *text == '+';
	err = number_digits(&text, base, value);
	if (err)
		return err;
	text += *text == '\n';
	if (*text)
		return -EINVAL;
	return *value > most ? -ERANGE : 0;
}

static const char *after_blanks(const char *text)
{
	while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
		text++;
	return text;
}

int number_read_stripped(const char *text, unsigned base, uint64_t most, uint64_t *value)
{
	int err;

	text = after_blanks(text);
	text += *text == '+';
	err = number_digits(&text, base, value);
	if (err)
		return err;
	if (*after_blanks(text))
		return -EINVAL;
	return *value > most ? -ERANGE : 0;
}

int number_read_sysctl(const char *text, int64_t least, int64_t most, int64_t *value)
{
	uint64_t number;
	bool negative;

	text = after_blanks(text);
	negative = *text == '-';
	text += negative;
	if (number_digits(&text, 0, &number) || number > INT64_MAX)
		return -EINVAL;
	if (*text && after_blanks(text) == text)
		return -EINVAL;
	*value = negative ? -(int64_t)number : (int64_t)number;
	return *value < least || *value > most ? -EINVAL : 0;
}
