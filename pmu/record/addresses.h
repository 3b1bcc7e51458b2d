/* SPDX-License-Identifier: BSD-2-Clause */
/* Address filters of hardware traces (PERF_EVENT_IOC_SET_FILTER): ranges of addresses, or of files
 * wherever the task has mapped them. */
#ifndef PMU_RECORD_ADDRESSES_H
#define PMU_RECORD_ADDRESSES_H

#include "pmu/base/event.h"

#define ADDRESS_FILTERS_MAX 4 /* address ranges of Processor Trace at most */

struct inode;
struct vma;

enum address_action { ADDRESS_FILTER, ADDRESS_START, ADDRESS_STOP };

struct address_filter {
	enum address_action action;
	struct inode *inode; /* referenced; NULL: `offset` is an address */
	uint64_t offset, size;
	/* Where it is in the event's task now; size 0: nowhere. Changes while the event is
	 * stopped. */
	uint64_t start, bytes;
};

struct address_filters {
	uint32_t nr;
	struct address_filter filters[ADDRESS_FILTERS_MAX];
	struct address_filters *next; /* the copy for another child, before it is installed */
};

/* Replaces the filters of the event and of events inherited from it by the text's, of which the PMU
 * can have `most`. Returns 0, -EINVAL, -EOPNOTSUPP (a filter that the PMU does not have), -ENOMEM,
 * or an error of the path's lookup; after an error all keep their filters. Context: task. */
int addresses_set(struct perf_event *opened, const char *text, uint32_t most);
/* Gives an inherited event its parent's filters. Returns 0 or -ENOMEM. Context: task. */
int addresses_inherit(struct perf_event *event);
/* Frees the filters. Context: task. */
void addresses_free(struct perf_event *event);
/* For addresses_mapped(): updates the ranges of the current task's events. */
void addresses_update(const struct vma *vma);

extern uint32_t nr_address_filters; /* events with filters. Task only */

/* The current task has mapped an area, or (NULL) executes another program. Context: task. */
static inline void addresses_mapped(const struct vma *vma)
{
	if (nr_address_filters)
		addresses_update(vma);
}

#endif
