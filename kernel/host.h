/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command at the other end of COM2: see "Frames on COM2" in docs/architecture.md. */
#ifndef KERNEL_HOST_H
#define KERNEL_HOST_H

/* Sends the last frame with reason 3 and this line; does nothing when no host command listens. Context: any, once, in a panic. */
void host_panic(const char *line);

#endif
