/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command at the link's other end, or COM2's: "Frames" in docs/protocols.md. */
#ifndef KERNEL_HOST_H
#define KERNEL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/host_frames.h"

#define HOST_IN_PLACE 16384 /* bytes; from so many on a question is worth more than a copy */

struct inode;
struct link_pages;

/* Opens the line when the command line says `host=com2`, and the link too with `host=link`.
 * Context: start, once. */
void host_init(void);
/* True if the host shares memory with us: there is input, and perhaps a terminal. Context: any. */
bool host_is_linked(void);
/* True when a host command listens. Context: any. */
bool host_listens(void);

/* Returns the buffer for a frame's payload: HOST_PAYLOAD bytes. Context: task. */
void *host_buffer(void);
/* Sends one frame; `payload` of at most HOST_PAYLOAD bytes. Context: task; also the link interrupt,
 * where a frame without room is dropped. */
void host_send(enum host_frame type, uint8_t flags, const char *name, const void *payload,
	       size_t bytes);

/* Sends at most HOST_PAYLOAD bytes, which the host reads in place; needs the link. The pages must
 * be RAM and must stay until the call returns. Context: task. */
void host_show(enum host_frame type, const struct link_pages *pages, size_t bytes);

/* Sends every file below /out, by its path there. Context: task. */
void host_send_files(void);
/* Sends one file in pieces, with these flags (FILE_*). Context: task. */
void host_send_file(struct inode *inode, uint8_t flags, const char *name);

/*
 * Ends the machine: sends the last frame with the status (0..255), the reason and a line of text
 * (may be NULL). Then returns to the loader if it waits, else uses QEMU's debug exit if the command
 * line requests it, else HLT. Context: task.
 */
_Noreturn void host_exit(uint32_t status, enum host_reason reason, const char *line);

/* Sends the last frame with reason 3 and this line. Does nothing without a host command, and does
 * not return if the loader takes over. The other processors are stopped. Context: any, once, in a
 * panic. */
void host_panic(const char *line);

#endif
