/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JSON. */
#include "apps/lib/json.h"

#include "apps/lib/xml.h"

void json_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		unsigned bytes = xml_character(text);

		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if (bytes)
			fwrite(text, 1, bytes, out);
		else
			fputc((unsigned char)*text < 0x80 ? ' ' : '?', out);
		text += bytes ? bytes : 1;
	}
	fputc('"', out);
}

void json_first(FILE *out, const char *name, const char *text)
{
	json_quoted(out, name);
	fputs(" : ", out);
	json_quoted(out, text);
}

void json_text(FILE *out, const char *name, const char *text)
{
	fputs(", ", out);
	json_first(out, name, text);
}

void json_number(FILE *out, const char *name, long long number)
{
	fprintf(out, ", \"%s\" : %lld", name, number);
}
