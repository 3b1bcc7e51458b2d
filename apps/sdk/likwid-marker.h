/* SPDX-License-Identifier: BSD-2-Clause */
/* likwid's marker macros (likwid-marker.h of likwid 5) by regions of barepmu: a program with them
 * is compiled with -DLIKWID_PERFMON and this directory before likwid's. One file defines
 * BAREPMU_REGIONS_HERE. */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#ifdef LIKWID_PERFMON
#include "barepmu_regions.h"

#define LIKWID_MARKER_INIT          ((void)0)
#define LIKWID_MARKER_THREADINIT    ((void)0)
#define LIKWID_MARKER_SWITCH        ((void)0)
#define LIKWID_MARKER_REGISTER(tag) ((void)(tag))
#define LIKWID_MARKER_START(tag)    barepmu_enter(tag)
#define LIKWID_MARKER_STOP(tag)     barepmu_leave(tag)
#define LIKWID_MARKER_RESET(tag)    ((void)(tag), barepmu_regions_reset())
#define LIKWID_MARKER_CLOSE         ((void)0) /* the table comes at the end of the program */
/* nevents: in, the room of `events`; out, how many there are. No time: barepmu counts events. */
#define LIKWID_MARKER_GET(tag, nevents, events, time, count)                               \
	do {                                                                               \
		uint64_t barepmu_calls_ = 0;                                               \
		*(nevents) = barepmu_region_get(tag, &barepmu_calls_, events, *(nevents)); \
		*(time) = 0;                                                               \
		*(count) = (int)barepmu_calls_;                                            \
	} while (0)
#else
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(tag)
#define LIKWID_MARKER_START(tag)
#define LIKWID_MARKER_STOP(tag)
#define LIKWID_MARKER_RESET(tag)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_GET(tag, nevents, events, time, count)
#endif

#endif
