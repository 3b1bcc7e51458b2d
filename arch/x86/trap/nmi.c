/* SPDX-License-Identifier: BSD-2-Clause */
/* The NMI chain: calls each handler, which returns whether the NMI was its own, and counts
 * unclaimed NMIs. */
#include <stddef.h>
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/nmi.h"

#define NMI_HANDLERS 4

static nmi_handler *handlers[NMI_HANDLERS];

void nmi_register(nmi_handler *handler)
{
	for (unsigned i = 0; i < NMI_HANDLERS; i++) {
		if (!handlers[i]) {
			handlers[i] = handler;
			return;
		}
	}
	__builtin_trap(); /* of a kernel with more handlers than NMI_HANDLERS */
}

/* Called by entry.asm on the NMI stack; NMIs stay blocked until its IRET. */
void nmi_entry(struct frame *frame)
{
	struct cpu *cpu = this_cpu();
	bool claimed = false;

	cpu->nmis++;
	cpu->nmi_depth++;
	for (unsigned i = 0; i < NMI_HANDLERS && handlers[i]; i++)
		claimed |= handlers[i](frame);
	if (!claimed)
		cpu->nmis_unclaimed++;
	cpu->nmi_depth--;
}
