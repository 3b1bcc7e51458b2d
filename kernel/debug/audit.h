/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks of the debug kernel over what the kernel keeps. Each panics when it finds something
 * wrong. */
#ifndef DEBUG_AUDIT_H
#define DEBUG_AUDIT_H

/* The events of this processor and of the current task: groups are whole, what counts is in a list
 * of an active context. Context: interrupts masked, no change of events under way. */
void events_check(void);
/* Every page that an address space maps is in use, by as many references at least. Context:
 * task. */
void mappings_check(void);
/* The current task's stack did not reach its end. Context: task. */
void stack_check(void);

#endif
