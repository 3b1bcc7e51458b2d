/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a JSON text of records, then parses it by recursive descent: a branch a character. */
#include "tests/accuracy/programs/program.h"

static const char *at;
static uint64_t sum;

static char *put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

static char *put_number(char *to, uint32_t number)
{
	char digits[10];
	unsigned n = 0;

	do
		digits[n++] = '0' + number % 10;
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

static char *put_record(char *to, uint32_t random)
{
	to = put_number(put(to, "{\"id\": "), random >> 4);
	to = put(put(to, ", \"ok\": "), random & 1 ? "true" : "null");
	to = put(to, random & 2 ? ", \"name\": \"a \\\"quoted\\\" word\"" : ", \"name\": \"x\"");
	to = put(to, ", \"values\": [");
	for (unsigned i = 0; i < random % 7; i++)
		to = put_number(put(to, i ? ", -" : ""), random >> i);
	return put(to, "]}");
}

static void value(void);

static char next(void)
{
	while (*at == ' ' || *at == '\n')
		at++;
	return *at;
}

static void string(void)
{
	for (at++; *at != '"'; at++) {
		at += *at == '\\';
		sum = sum * 31 + (unsigned char)*at;
	}
	at++;
}

/* Parses a list up to the bracket `end`. */
static void list(char end, int named)
{
	at++;
	while (next() != end) {
		if (*at == ',') {
			at++;
			next();
		}
		if (named) {
			string();
			next();
			at++;
		}
		value();
	}
	at++;
}

static void number(void)
{
	uint64_t n = 0;

	at += *at == '-';
	while (*at >= '0' && *at <= '9')
		n = n * 10 + (uint64_t)(*at++ - '0');
	sum += n;
}

static void value(void)
{
	switch (next()) {
	case '{':
		list('}', 1);
		break;
	case '[':
		list(']', 0);
		break;
	case '"':
		string();
		break;
	case 't':
	case 'n':
		at += 4;
		break;
	default:
		number();
	}
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 15000);
	char *text = program_zeros(n * 160 + 16), *to = put(text, "[");

	for (unsigned i = 0; i < n; i++)
		to = put_record(put(to, i ? ",\n" : ""), program_random());
	put(to, "]");
	at = text;
	value();
	return program_end(sum);
}
