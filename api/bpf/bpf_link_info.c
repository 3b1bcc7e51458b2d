/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF_OBJ_GET_INFO_BY_FD of links. With abi= of Linux 6.6 on it describes the perf event, from 6.9
 * on with the program's cookie. */
#include "api/bpf/bpf.h"
#include "bpf/attach.h"
#include "bpf/bpf.h"
#include "bpf/links.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/base/system.h"
#include "kernel/mem/user.h"
#include "pmu/base/event.h"

#define EVENT_SINCE  6 /* of Linux 6 */
#define MISSED_SINCE 7
#define COOKIE_SINCE 9

enum perf_link_kind { UPROBE = 1, URETPROBE, KPROBE, KRETPROBE, TRACEPOINT, SAMPLES };

/* struct bpf_link_info of a perf event's link, as Linux 6.9 has it. */
struct perf_link_info {
	uint32_t type, id, prog_id, pad;
	uint32_t kind, pad2; /* enum perf_link_kind */
	union {
		struct {
			uint64_t name;
			uint32_t name_len, offset;
		} probe; /* and a tracepoint, which has no offset */
		struct {
			uint64_t config;
			uint32_t type;
		} samples;
	};
	union {
		uint64_t cookie; /* of all but probes of the kernel */
		struct {
			uint64_t address, missed, cookie;
		} kernel;
	};
};
_Static_assert(sizeof(struct perf_link_info) == 64, "Linux 6.9");

static uint32_t bytes_here(void)
{
	return system_since(COOKIE_SINCE)   ? sizeof(struct perf_link_info)
	       : system_since(MISSED_SINCE) ? offsetof(struct perf_link_info, kernel.cookie)
					    : offsetof(struct perf_link_info, kernel.missed);
}

/* Returns the kind of a place of BPF_FD_TYPE_*, where a probe of returns follows that of calls. */
static enum perf_link_kind kind_of(uint32_t kind)
{
	if (kind == BPF_FD_TYPE_TRACEPOINT)
		return TRACEPOINT;
	return kind >= BPF_FD_TYPE_UPROBE ? UPROBE + kind - BPF_FD_TYPE_UPROBE
					  : KPROBE + kind - BPF_FD_TYPE_KPROBE;
}

/* Describes a trace event; the request has the buffer for its name. */
static int fill_traced(struct perf_link_info *info, const struct perf_link_info *request,
		       const struct perf_event *event, uint64_t cookie)
{
	struct bpf_attachment place = {0};
	int err = bpf_describe_event(event, &place);
	const char *name = place.name ? place.name : "";

	if (err)
		return err;
	info->kind = kind_of(place.kind);
	info->probe.name = request->probe.name;
	info->probe.name_len = (uint32_t)strlen(name) + 1;
	info->probe.offset = (uint32_t)place.offset;
	if (info->kind == KPROBE || info->kind == KRETPROBE) {
		info->kernel.address = place.probed;
		info->kernel.cookie = cookie;
	} else {
		info->cookie = cookie;
	}
	return bpf_copy_name(request->probe.name, request->probe.name_len, name);
}

static void fill_samples(struct perf_link_info *info, const struct perf_event *event,
			 uint64_t cookie)
{
	info->kind = SAMPLES;
	info->samples.config = event->attr.config;
	info->samples.type = event->attr.type;
	info->cookie = cookie;
}

static int copy_perf(const union bpf_attr *attr, uint64_t user, const struct bpf_link *link,
		     struct perf_link_info *info)
{
	struct perf_link_info request = {0};
	uint64_t cookie = system_since(COOKIE_SINCE) ? program_cookie(link->event) : 0;
	int err = bpf_objects_read_info(attr, &request, bytes_here());

	if (err)
		return err;
	if (link->program->type == BPF_PROG_TYPE_PERF_EVENT)
		fill_samples(info, link->event, cookie);
	else
		err = fill_traced(info, &request, link->event, cookie);
	return err ? err : bpf_objects_copy_info(attr, user, info, bytes_here());
}

static int copy_raw(const union bpf_attr *attr, uint64_t user, const struct bpf_link *link,
		    struct bpf_link_info *info)
{
	struct bpf_link_info request = {0};
	int err = bpf_objects_read_info(attr, &request, sizeof(request));

	if (err)
		return err;
	info->raw_tracepoint.tp_name = request.raw_tracepoint.tp_name;
	info->raw_tracepoint.tp_name_len = (uint32_t)strlen(link->name) + 1;
	err = bpf_copy_name(request.raw_tracepoint.tp_name, request.raw_tracepoint.tp_name_len,
			    link->name);
	return err ? err : bpf_objects_copy_info(attr, user, info, sizeof(*info));
}

int bpf_copy_link_info(const union bpf_attr *attr, uint64_t user, const struct bpf_object *object)
{
	const struct bpf_link *link = (const struct bpf_link *)object;
	struct bpf_link_info info = {.type = link->place ? BPF_LINK_TYPE_RAW_TRACEPOINT
							 : BPF_LINK_TYPE_PERF_EVENT,
				     .id = object->id,
				     .prog_id = link->program->object.id};
	struct perf_link_info perf = {.type = info.type, .id = info.id, .prog_id = info.prog_id};

	if (link->place)
		return copy_raw(attr, user, link, &info);
	return system_since(EVENT_SINCE) ? copy_perf(attr, user, link, &perf)
					 : bpf_objects_copy_info(attr, user, &info, sizeof(info));
}
