/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that the machine and the host command share: two rings of bytes and what one asks the
 * other (docs/protocols.md, "The link"). Who writes a field stands beside it; the machine rings
 * by a byte on COM2, the host by one on COM3; a byte to a question's door does not get through
 * before the host has answered: LINK_DOOR for the even ones, the port after it for the odd ones,
 * so that the host can close one while the machine is held at the other.
 */
#ifndef ABI_HOST_LINK_H
#define ABI_HOST_LINK_H

#include <stdint.h>

#define LINK_DOOR      0xe9
#define LINK_DOORS     2
#define LINK_OUT_BYTES (1u << 17) /* powers of two */
#define LINK_IN_BYTES  (1u << 16)

/* What the machine asks; it stands still until the host has answered. */
enum link_question {
	LINK_ASK_ROOM,   /* take all that lies in the ring */
	LINK_ASK_TAKE,   /* and then data_bytes of page[], which go on from there */
	LINK_ASK_INPUT,  /* input, if it comes within ask_ns of the host's time */
	LINK_ASK_FOLDER, /* struct link_entry for each name in the host's folder `path` */
	LINK_ASK_NAME,   /* struct link_entry of `path` alone */
	LINK_ASK_FILE,   /* what is in the host's file `path`, for page[] */
};

/* Who waits for input that is no terminal's. */
enum link_want { LINK_WANT_NOTHING, LINK_WANT_INPUT };

#define LINK_PATH       4096
#define LINK_PAGES      64 /* of one question */
#define LINK_PAGE_BYTES 4096

struct link_entry {
	uint32_t bytes; /* of this entry: the next one begins there, at a multiple of 8 */
	uint32_t mode;
	uint64_t size;
	int64_t mtime_ns;
	uint16_t name_bytes, target_bytes; /* of a symbolic link: where it leads */
	char text[];                       /* name, target */
};

struct link {
	uint32_t out_head;   /* machine: bytes ever put into out[] */
	uint32_t out_tail;   /* host: bytes ever taken */
	uint32_t in_head;    /* host: bytes ever put into in[] */
	uint32_t in_tail;    /* machine */
	uint32_t ask;        /* machine: the number of the last question */
	uint32_t answer;     /* host: of the last one that it has answered */
	uint32_t question;   /* machine: enum link_question */
	uint32_t want;       /* machine: enum link_want */
	uint64_t ask_ns;     /* machine: UINT64_MAX: for ever */
	uint32_t in_ended;   /* host: 1: no input comes any more */
	uint32_t signals;    /* host sets, machine takes: bit n-1 for signal n to the program */
	uint32_t rows, cols; /* host: the terminal's size */
	uint64_t data; /* machine: where a folder's contents go, a physical address; of page[]:
			  where in the first page the bytes begin */
	uint64_t data_bytes; /* machine: how many there are, or have room */
	uint64_t offset;     /* machine: of a file, where to begin */
	int64_t
	    result; /* host: how many there are (more than that: none came), or a negative errno */
	uint64_t page[LINK_PAGES]; /* machine: the pages' physical addresses */
	char path[LINK_PATH];
	uint8_t in[LINK_IN_BYTES];
	uint8_t out[LINK_OUT_BYTES];
};

#endif
