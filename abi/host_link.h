/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory shared by the machine and the host command: two rings of bytes, and requests in both
 * directions (docs/protocols.md, "The link"). Each field's comment starts with its writer. The
 * machine signals by a byte on COM2, the host by one on COM3. A byte to a request port does not
 * complete before the host has replied: LINK_DOOR for even requests, the next port for odd ones, so
 * that the host can close one while the machine is held at the other.
 */
#ifndef ABI_HOST_LINK_H
#define ABI_HOST_LINK_H

#include <stdint.h>

#define LINK_BELL      0xe8 /* announces a request of Linux's first process, in place of COM2 */
#define LINK_DOOR      0xe9
#define LINK_DOORS     2
#define LINK_OUT_BYTES (1u << 17) /* powers of two */
#define LINK_IN_BYTES  (1u << 16)

/* Requests of the machine, which is stopped until the host replies. */
enum link_question {
	LINK_ASK_ROOM,      /* take all output in the ring */
	LINK_ASK_TAKE,      /* then also take data_bytes of page[], which follow */
	LINK_ASK_INPUT,     /* input, if it comes within request_ns of the host's time */
	LINK_ASK_DIRECTORY, /* struct link_entry for each name in the host's directory `path` */
	LINK_ASK_NAME,      /* struct link_entry of `path` alone */
	LINK_ASK_FILE,      /* contents of the host's file `path`, to page[] */
};

/* Whether a task waits for input that does not come from a terminal. */
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
	uint64_t request_ns; /* machine: UINT64_MAX: no limit */
	uint32_t in_ended;   /* host: 1: no input comes any more */
	uint32_t signals;    /* host sets, machine takes: bit n-1 for signal n to the program */
	uint32_t rows, cols; /* host: the terminal's size */
	uint64_t data; /* machine: where a directory's contents go, a physical address; of page[]:
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
