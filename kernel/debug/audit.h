/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks of the debug kernel over what the kernel keeps. Each panics when it finds something
 * wrong. */
#ifndef DEBUG_AUDIT_H
#define DEBUG_AUDIT_H

/* Checks the events of this processor and of the current task: groups are complete, and every
 * counting event is in the list of an active context. Context: interrupts masked, no change of
 * events in progress. */
void events_check(void);
/* Every page that an address space maps is in use, by as many references at least. Context:
 * task. */
void mappings_check(void);
/* The current task's stack did not reach its end. Context: task. */
void stack_check(void);

#endif
