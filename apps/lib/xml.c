/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes text for XML: W3C, "Extensible Markup Language 1.0", 2.2 and 2.4. */
#include "apps/lib/xml.h"

#include <stdint.h>

static bool follows(const char *text, unsigned nr)
{
	for (unsigned i = 1; i <= nr; i++)
		if (((uint8_t)text[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Without the surrogates, FFFEH and FFFFH, C1 controls, and forms that are too long. */
unsigned xml_character(const char *text)
{
	uint8_t first = (uint8_t)text[0], second = first ? (uint8_t)text[1] : 0;

	if (first < 0x80)
		return first >= ' ' && first != 0x7f;
	if (first >= 0xc2 && first < 0xe0)
		return follows(text, 1) && (first > 0xc2 || second >= 0xa0) ? 2 : 0;
	if ((first & 0xf0) == 0xe0)
		return follows(text, 2) && !(first == 0xe0 && second < 0xa0) &&
			       !(first == 0xed && second >= 0xa0) &&
			       !(first == 0xef && second == 0xbf && (uint8_t)text[2] >= 0xbe)
			   ? 3
			   : 0;
	if (first >= 0xf0 && first <= 0xf4)
		return follows(text, 3) && !(first == 0xf0 && second < 0x90) &&
			       !(first == 0xf4 && second >= 0x90)
			   ? 4
			   : 0;
	return 0;
}

static const char *escape_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void xml_text(FILE *out, const char *text)
{
	while (*text) {
		const char *escape = escape_of(*text);
		unsigned bytes = xml_character(text);

		if (escape)
			fputs(escape, out);
		else if (bytes)
			fwrite(text, 1, bytes, out);
		else
			fputc((uint8_t)*text < 0x80 ? ' ' : '?', out);
		text += bytes ? bytes : 1;
	}
}
