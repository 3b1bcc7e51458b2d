/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that we share with the host command: output, input, and what one asks the other
 * (abi/host_link.h). */
#ifndef KERNEL_LINK_H
#define KERNEL_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/host_link.h"

struct waitq;

/* Makes the memory and lets the host's ring interrupt us. stands: all processors run on one thread
 * of the host's, and stand still when it waits. Returns its physical address, 0: there is none.
 * Context: start. */
uint64_t link_open(bool stands);
/* What is called when input or news came. Context of the call: interrupt. */
extern void (*link_news)(void);

/* Bytes in pages, of which the first ones lie `offset` after the first page's begin. */
struct link_pages {
	uint64_t offset;
	uint64_t phys[LINK_PAGES];
};

/* Puts a frame's three parts into the ring, whole; when there is no room the machine stands still
 * until the host has made some. Where nobody may wait (interrupts masked) it is dropped then. When
 * it goes out, *number, which lies in one of the parts, becomes *next, and that grows: numbers are
 * in the order of frames, whatever interrupts send between. Context: task or interrupt, not NMI;
 * each part at most 64 KiB. */
struct link_part {
	const void *bytes;
	size_t size;
	const struct link_pages *there; /* where it lies, for the host to read it there (task only);
					   NULL: `bytes` go through the ring */
};
void link_send(const struct link_part part[3], uint32_t *number, uint32_t *next);
/* The same in a panic: waits by looking, for a while. Context: any. */
void link_send_last(const struct link_part part[3], uint32_t *number, uint32_t *next);

/* Takes input, at most `bytes`, into memory of the kernel's; returns how many there were. Context:
 * task or interrupt. */
size_t link_take(void *to, size_t bytes);
/* How many bytes of input lie there. Context: task or interrupt. */
size_t link_waiting(void);
/* No input comes after what lies there. Context: task or interrupt. */
bool link_ended(void);
/* The next signal that the host has sent, or 0. Context: task or interrupt. */
int link_signal(void);
/* The size of the host's terminal. Context: task or interrupt. */
void link_size(uint16_t *rows, uint16_t *cols);

/*
 * Asks the host for input. With one processor the machine stands still meanwhile: for as long as no
 * timer of ours is over and nobody else can run, by the host's clock, so that what a program sees
 * does not depend on how fast the host is. `wait`: false: what is there now. Context: task.
 */
void link_ask_input(bool wait);
/* Asks for a folder's contents or a name. Returns how many bytes there are (more than `bytes`: none
 * came), or a negative errno. Context: task. */
int64_t link_ask_names(enum link_question question, const char *path, void *to, size_t bytes);
/* Asks for `nr` whole pages of a file from `offset` on. Returns how many bytes came, or a negative
 * errno. Context: task. */
int64_t link_ask_file(const char *path, uint64_t offset, const struct link_pages *to, unsigned nr);
/* Whoever sleeps on `queue` waits for input: the host is asked before the processor idles. Context:
 * start. */
void link_idle_for(struct waitq *queue);

#endif
