/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the machine below the visor, found by trying. */
#ifndef VISOR_ERRATA_H
#define VISOR_ERRATA_H

#include <stdbool.h>

/* True if CMPXCHG16B leaves wrong flags (QEMU 7.2): it may take the operand of an instruction
 * before it for RFLAGS, with TF, NT and VM, which the next interrupt saves. The machine must have
 * CMPXCHG16B. Tried once. */
bool errata_cmpxchg16b(void);

#endif
