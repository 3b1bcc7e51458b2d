/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that the machine shares with us (abi/host_link.h), and our standard input. */
#ifndef HOST_MACHINE_LINK_H
#define HOST_MACHINE_LINK_H

#include "host/machine/link/frames.h"
#include "host/options.h"

/* Adds QEMU's arguments for the shared memory and its bell: a serial line, or (`line` false)
 * LINK_BELL. */
void link_words(struct words *words, const struct options *options, bool line);
/* Descriptors for QEMU: the machine's memory, its end of the bell's line, and of the pipe that it
 * waits at. */
int link_memory_fd(void);
int link_bell_fd(void);
int link_door_fd(unsigned number);

/* Takes the link's address in the machine's memory; ends the command for an impossible one. Without
 * `frames` it only serves requests for files. */
void link_attach(uint64_t address, bool frames);
/* True when frames go through the link. */
bool link_attached(void);
/* Returns the descriptor by which a machine without a bell's line announces requests, or -1. */
int link_request_fd(void);
/* Takes all output that is in the ring. */
void link_drain(struct frames *frames, struct results *results);
/* Returns the descriptor that input is awaited from, or -1. */
int link_input_fd(void);
/* Returns how long to wait for it at most, in ms. */
int link_wait_ms(int most);
/* Answers the machine's requests; `readable`: link_input_fd() has something. */
void link_serve(struct frames *frames, struct results *results, bool readable);
/* Sends the program a signal, once for each. */
void link_signal(int signo);

#endif
