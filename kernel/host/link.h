/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory shared with the host command: output, input, and requests in both directions
 * (abi/host_link.h). */
#ifndef KERNEL_LINK_H
#define KERNEL_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/host_link.h"

struct waitq;

/* Allocates the memory and enables the host's interrupt. `stands`: all processors run on one host
 * thread, so a request stops them all. Returns the memory's physical address, or 0 if there is
 * none. Context: start. */
uint64_t link_open(bool stands);
/* Called when input or news arrives. Context of the call: interrupt. */
extern void (*link_news)(void);

/* A byte range in pages; it starts `offset` bytes into the first page. */
struct link_pages {
	uint64_t offset;
	uint64_t phys[LINK_PAGES];
};

/*
 * Appends a frame of three parts to the ring, whole. If there is no room, stops the machine until
 * the host has made some; if it must not wait (interrupts masked) it drops the frame. When the
 * frame is sent, *number, which is inside one of the parts, becomes *next, and *next is
 * incremented: numbers follow the order of frames, whatever interrupts send in between. Context:
 * task or interrupt, not NMI; each part at most 64 KiB.
 */
struct link_part {
	const void *bytes;
	size_t size;
	/* its pages, for the host to read in place (task only); NULL: `bytes` go through the
	 * ring */
	const struct link_pages *there;
};
void link_send(const struct link_part part[3], uint32_t *number, uint32_t *next);
/* As link_send(), during a panic: polls for a limited time. Context: any. */
void link_send_last(const struct link_part part[3], uint32_t *number, uint32_t *next);

/* Copies at most `bytes` of input to kernel memory; returns how many. Context: task or
 * interrupt. */
size_t link_take(void *to, size_t bytes);
/* Returns the number of input bytes available. Context: task or interrupt. */
size_t link_waiting(void);
/* True if no input follows the bytes that are available. Context: task or interrupt. */
bool link_ended(void);
/* Returns the next signal from the host, or 0. Context: task or interrupt. */
int link_signal(void);
/* Returns the size of the host's terminal. Context: task or interrupt. */
void link_size(uint16_t *rows, uint16_t *cols);

/*
 * Requests input from the host. With one processor the machine stops for the request: until input
 * arrives or, by the host's clock, the next timer expires, and not at all if another task can run.
 * So the program's behaviour does not depend on the host's speed. `wait` false: only input that is
 * available now. Context: task.
 */
void link_request_input(bool wait);
/* Requests a directory's contents or a name. Returns the number of bytes available (if more than
 * `bytes`: none were copied), or a negative errno. Context: task. */
int64_t link_request_names(enum link_question question, const char *path, void *to, size_t bytes);
/* Requests `nr` whole pages of a file from `offset` on. Returns the number of bytes received, or a
 * negative errno. Context: task. */
int64_t link_request_file(const char *path, uint64_t offset, const struct link_pages *to,
			  unsigned nr);
/* Tasks that sleep on `queue` wait for input: requests it from the host before the processor idles.
 * Context: start. */
void link_idle_for(struct waitq *queue);

#endif
