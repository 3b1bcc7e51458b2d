/* SPDX-License-Identifier: BSD-2-Clause */
/* The static trace points of the kernel. */
#ifndef TRACE_PLACES_H
#define TRACE_PLACES_H

#include "trace/base/event.h"

/* Notes the kernel's hooks as they are untraced. Context: start. */
void places_init(void);
/* Enables or disables a trace point. Context: task. */
void place_set(enum trace_place place, bool on);

#endif
