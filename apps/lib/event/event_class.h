/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the counts of an event come from: how far a number may be believed. */
#ifndef APPS_LIB_EVENT_CLASS_H
#define APPS_LIB_EVENT_CLASS_H

struct event_list;

enum event_class {
	CLASS_UNKNOWN,     /* not asked for, or the event does not open here */
	CLASS_NOT_COUNTED, /* emulated: nothing models it, so that its count means nothing */
	CLASS_SHARE,       /* emulated: a fixed share of the instructions */
	CLASS_ESTIMATED,   /* emulated: cycles, derived from the events of the simulated core */
	CLASS_SIMULATED,   /* emulated: what the simulated core has done */
	CLASS_EXACT,       /* emulated: what the program has executed */
	CLASS_SOFTWARE,    /* the kernel's count */
	CLASS_HARDWARE,    /* a real PMU's count */
};

/* "simulated"; of CLASS_UNKNOWN "unknown". */
const char *event_class_name(enum event_class class);

/*
 * Finds each event's class. On an emulated PMU it opens each for a moment on this thread, and asks
 * the visor what the counter that it got counts; a thread may be moved to another kind of processor
 * for that, and back. So it costs some system calls for each event, and is done before a
 * measurement.
 */
void event_classify(struct event_list *list);

#endif
