/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a job file sends results by TFTP: tftp://[SERVER][:PORT][/FOLDER]. The loader and the host
 * command ask the same function. */
#ifndef ABI_UPLOAD_H
#define ABI_UPLOAD_H

#include <stdint.h>

#define UPLOAD_FOLDER_BYTES 64

struct upload {
	int wanted;
	uint8_t server[4]; /* zeros: the one that DHCP names */
	uint16_t port;
	char folder[UPLOAD_FOLDER_BYTES]; /* on the server, ends with a slash; "": none */
};

/* Returns NULL, or what is wrong with the text. */
const char *upload_parse(struct upload *upload, const char *text);

#endif
