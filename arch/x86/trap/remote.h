/* SPDX-License-Identifier: BSD-2-Clause */
/* Work for other processors: calls, rescheduling, the end of the machine. */
#ifndef ARCH_X86_REMOTE_H
#define ARCH_X86_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"
#include "arch/x86/cpu/percpu.h"

/*
 * Runs with interrupts masked on the other processor, in an interrupt or while it waits for the
 * kernel lock. The caller holds the lock and waits, so the function may do whatever the caller may,
 * except use data that the caller is changing.
 */
typedef void remote_fn(void *argument);

/* Runs fn on each processor in the mask (possibly including this one) and waits for all. Context:
 * task or interrupt, kernel lock held. */
void remote_call_mask(const struct cpu_mask *mask, remote_fn *fn, void *argument);
/* As remote_call_mask(), on every processor. */
void remote_call_all(remote_fn *fn, void *argument);

/* Runs fn on one processor and waits for it. Context: task or interrupt, kernel lock held. */
void remote_call(uint32_t cpu, remote_fn *fn, void *argument);

static inline void remote_nothing(void *unused)
{
	(void)unused;
}

/* Waits until each processor has left its sections with interrupts masked: none uses objects that
 * were unlinked before. Context: task or interrupt, kernel lock held. */
static inline void remote_synchronize(void)
{
	remote_call_all(remote_nothing, NULL);
}

/* Serves calls that other processors wait for. Context: interrupts masked. */
void remote_serve(void);

/* Makes the processor wake up, or check return_work before it returns to ring 3. Context: task or
 * interrupt. */
void remote_kick(uint32_t cpu);

/* Stops all other processors permanently, whatever they do. Context: any but NMI. */
void remote_stop_others(void);

/* Runs `end` on the first processor, either this one or in the NMI that has stopped it. Context:
 * interrupts masked, after remote_stop_others(). */
_Noreturn void remote_end_on_first(void (*end)(void));

/* Prepares vectors and NMIs. Context: start, once, with more than one processor. */
void remote_init(void);

#endif
