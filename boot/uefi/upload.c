/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses an upload's address (RFC 3617 defines tftp: addresses). */
#include "abi/upload.h"

#define TFTP_PORT 69

static const char form[] =
    "an upload goes to tftp://[SERVER][:PORT][/DIRECTORY], SERVER an IPv4 address in numbers";

/* Parses the number at *at, of at most `most`; negative: there is none. */
static long number(const char **at, long most)
{
	long value = 0;

	if (**at < '0' || **at > '9')
		return -1;
	for (; **at >= '0' && **at <= '9' && value <= most; ++*at)
		value = value * 10 + (**at - '0');
	return value <= most ? value : -1;
}

static int parse_server(struct upload *upload, const char **at)
{
	for (int i = 0; i < 4; i++) {
		long value = number(at, 255);

		if (value < 0 || (i < 3 && *(*at)++ != '.'))
			return 0;
		upload->server[i] = (uint8_t)value;
	}
	return upload->server[0] > 0 && upload->server[0] < 224;
}

static const char *parse_directory(struct upload *upload, const char *at)
{
	unsigned length = 0;

	for (; *at; at++) {
		if (*at <= ' ' || *at > '~')
			return "a directory of an upload has printable ASCII characters without "
			       "blanks";
		if (length + 2 >= UPLOAD_DIRECTORY_BYTES)
			return "a directory of an upload has at most 62 characters";
		upload->directory[length++] = *at;
	}
	if (length && upload->directory[length - 1] != '/')
		upload->directory[length++] = '/';
	upload->directory[length] = 0;
	return 0;
}

const char *upload_parse(struct upload *upload, const char *text)
{
	static const char scheme[] = "tftp://";
	long port = TFTP_PORT;

	*upload = (struct upload){.wanted = 1};
	for (unsigned i = 0; scheme[i]; i++, text++)
		if (*text != scheme[i])
			return form;
	if (*text && *text != ':' && *text != '/' && !parse_server(upload, &text))
		return form;
	if (*text == ':') {
		text++;
		port = number(&text, 65535);
	}
	if (port <= 0 || (*text && *text != '/'))
		return form;
	upload->port = (uint16_t)port;
	return parse_directory(upload, *text ? text + 1 : text);
}
