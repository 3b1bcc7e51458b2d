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
/* True when it shares memory with us: there is input, and perhaps a terminal. Context:
 * any. */
bool host_is_linked(void);
/* True when a host command listens. Context: any. */
bool host_listens(void);

/* Where a frame's payload is put together: HOST_PAYLOAD bytes. Context: task. */
void *host_buffer(void);
/* Sends one frame; `payload` of at most HOST_PAYLOAD bytes. Context: task; by the link interrupt,
 * too, where what has no room is dropped. */
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
 * Ends the machine: the last frame with the status (0..255), the reason and a line of text (may be
 * NULL), then the way back to the loader where it waits, else QEMU's debug exit if the command line
 * asks for it, else HLT. Context: task.
 */
_Noreturn void host_exit(uint32_t status, enum host_reason reason, const char *line);

/* Sends the last frame with reason 3 and this line; does nothing when no host command listens, and
 * does not return when the loader takes over. The other processors are stopped.
 * Context: any, once, in a panic. */
void host_panic(const char *line);

#endif
