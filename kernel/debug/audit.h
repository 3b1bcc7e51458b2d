/* SPDX-License-Identifier: BSD-2-Clause */
/* Consistency checks of the debug kernel's data structures. Each panics when it finds an error. */
#ifndef DEBUG_AUDIT_H
#define DEBUG_AUDIT_H

/* Checks the events of this processor and of the current task: groups are complete, and every
 * counting event is in the list of an active context. Context: interrupts masked, no change of
 * events in progress. */
void events_check(void);
/* Checks that every mapped page is in use, with at least as many references as mappings. Context:
 * task. */
void mappings_check(void);
/* Checks that the current task's stack has not overflowed. Context: task. */
void stack_check(void);

#endif
