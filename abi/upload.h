/* SPDX-License-Identifier: BSD-2-Clause */
/* The destination of results over TFTP in a job file: tftp://[SERVER][:PORT][/DIRECTORY]. The
 * loader and the host command use the same parser. */
#ifndef ABI_UPLOAD_H
#define ABI_UPLOAD_H

#include <stdint.h>

#define UPLOAD_DIRECTORY_BYTES 64

struct upload {
	int wanted;
	uint8_t server[4]; /* zeros: the one that DHCP names */
	uint16_t port;
	char directory[UPLOAD_DIRECTORY_BYTES]; /* on the server, ends with a slash; "": none */
};

/* Returns NULL, or an error message. */
const char *upload_parse(struct upload *upload, const char *text);

#endif
