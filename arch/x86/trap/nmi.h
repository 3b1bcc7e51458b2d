/* SPDX-License-Identifier: BSD-2-Clause */
/* The NMI chain: handlers that identify the source of an NMI. */
#ifndef ARCH_X86_NMI_H
#define ARCH_X86_NMI_H

#include <stdbool.h>
#include "arch/x86/cpu/frame.h"

/* Returns true if the NMI was its own. Runs in NMI context: no allocation, lock, print or fault. */
typedef bool nmi_handler(struct frame *frame);

/* Adds a handler at the end of the chain (at most 4). Context: task. */
void nmi_register(nmi_handler *handler);

#endif
