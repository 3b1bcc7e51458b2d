/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by mappings of rings and of AUX areas. Context of all: task. */
#ifndef API_PERF_MAP_H
#define API_PERF_MAP_H

#include <stdint.h>

struct mm;
struct perf_event;
struct ring;
struct vma;

/* A mapping of the ring, or of its AUX area, made through the event, begins; ends. */
void perf_map_opened(struct perf_event *event, struct ring *ring);
void perf_map_closed(struct perf_event *event, struct ring *ring, struct mm *mm);

/* Checks the limits for `pages` more: *extra of them count against RLIMIT_MEMLOCK. Returns 0 or
 * -EPERM. */
int perf_map_charge(const struct mm *mm, uint64_t pages, uint64_t *extra);

/* Maps the AUX area of the event's ring; makes it first where there is none. 0 or negative errno.
 */
int perf_map_aux(struct perf_event *event, struct vma *vma, uint64_t pages);

#endif
