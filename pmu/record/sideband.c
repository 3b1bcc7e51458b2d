/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of tasks' actions: FORK, EXIT, COMM, NAMESPACES, MMAP, SWITCH, THROTTLE, READ. Layouts:
 * perf_event_open(2), "MMAP layout". */
#include <linux/mman.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/vm/vm.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/record/build_id.h"
#include "pmu/record/records.h"
#include "pmu/record/sideband.h"

#define HEADER_BYTES 8

static void context_records(struct context *ctx, wants_fn *wants, write_fn *write, const void *what)
{
	struct perf_event *event;

	if (!ctx->nr_recording)
		return;
	list_for_each(event, &ctx->events, event_link)
		if (event->state >= EVENT_INACTIVE && event_matches_cpu(event) &&
		    wants(event, what))
			write(event, what);
}

/* Writes the record to the events of this processor and of the task. */
static void all_records(struct context *task_ctx, wants_fn *wants, write_fn *write,
			const void *what)
{
	struct pmu_cpu *cpu = this_pmu_cpu();
	uint64_t flags = irq_save();

	if (task_ctx)
		context_records(task_ctx, wants, write, what);
	context_records(&cpu->ctx, wants, write, what);
	irq_restore(flags);
}

void records_all(wants_fn *wants, write_fn *write, const void *what)
{
	all_records(this_pmu_cpu()->task_ctx, wants, write, what);
}

static uint32_t padded(uint64_t bytes)
{
	return (uint32_t)((bytes + 7) & ~7ul);
}

static uint32_t string_bytes(const char *text)
{
	uint32_t n = 0;

	while (text[n])
		n++;
	return padded(n + 1);
}

/* ---- FORK, EXIT ---- */

struct task_record {
	uint32_t type;
	const struct task *task, *parent;
};

static bool wants_task(const struct perf_event *event, const void *what)
{
	const struct perf_event_attr *attr = &event->attr;

	(void)what;
	return attr->comm || attr->mmap || attr->mmap_data || attr->task;
}

static void write_task(struct perf_event *event, const void *what)
{
	const struct task_record *r = what;
	struct ring_writer w;

	if (!record_begin(&w, event, r->type, 0, HEADER_BYTES + 24))
		return;
	ring_write_u32s(&w, (uint32_t)r->task->tgid, r->parent ? (uint32_t)r->parent->tgid : 0);
	ring_write_u32s(&w, (uint32_t)r->task->pid, r->parent ? (uint32_t)r->parent->pid : 0);
	ring_write_u64(&w, event->clock());
	record_end(&w, event);
}

void records_fork(struct task *child)
{
	struct task_record r = {PERF_RECORD_FORK, child, current_task()};

	all_records(this_pmu_cpu()->task_ctx, wants_task, write_task, &r);
}

void records_exit(struct task *task, struct context *ctx)
{
	struct task_record r = {PERF_RECORD_EXIT, task, task->parent};

	all_records(ctx, wants_task, write_task, &r);
}

/* ---- NAMESPACES ---- */

static bool wants_namespaces(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.namespaces;
}

static void write_namespaces(struct perf_event *event, const void *what)
{
	const struct task *task = what;
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_NAMESPACES, 0,
			  HEADER_BYTES + 16 + 16 * NR_NAMESPACES))
		return;
	ring_write_u32s(&w, (uint32_t)task->tgid, (uint32_t)task->pid);
	ring_write_u64(&w, NR_NAMESPACES);
	for (unsigned i = 0; i < NR_NAMESPACES; i++) {
		ring_write_u64(&w, NAMESPACE_DEVICE);
		ring_write_u64(&w, namespace_number(task, i));
	}
	record_end(&w, event);
}

void records_namespaces(struct task *task)
{
	all_records(this_pmu_cpu()->task_ctx, wants_namespaces, write_namespaces, task);
}

/* ---- COMM ---- */

struct comm_record {
	const struct task *task;
	bool exec;
};

static bool wants_comm(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.comm;
}

static void write_comm(struct perf_event *event, const void *what)
{
	const struct comm_record *r = what;
	uint32_t bytes = string_bytes(r->task->comm);
	uint16_t misc = r->exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_COMM, misc, HEADER_BYTES + 8 + bytes))
		return;
	ring_write_u32s(&w, (uint32_t)r->task->tgid, (uint32_t)r->task->pid);
	ring_write_string(&w, r->task->comm, bytes);
	record_end(&w, event);
}

void records_comm(struct task *task, bool exec)
{
	struct comm_record r = {task, exec};

	all_records(this_pmu_cpu()->task_ctx, wants_comm, write_comm, &r);
}

/* ---- MMAP, MMAP2 ---- */

struct mmap_record {
	const struct vma *vma;
	const char *name;
	uint32_t major, minor;
	uint64_t ino, generation;
	struct build_id build_id; /* bytes 0: the file has none, or no event needs it */
};

static bool wants_mmap(const struct perf_event *event, const void *what)
{
	const struct mmap_record *r = what;

	if (r->vma->prot & PROT_EXEC)
		return event->attr.mmap; /* mmap2 alone asks for nothing */
	return event->attr.mmap_data;
}

/* Writes the 24 bytes that identify the file by its inode; write_build_id() writes as many. */
static void write_inode(struct ring_writer *w, const struct mmap_record *r)
{
	ring_write_u32s(w, r->major, r->minor);
	ring_write_u64(w, r->ino);
	ring_write_u64(w, r->generation);
}

static void write_build_id(struct ring_writer *w, const struct build_id *id)
{
	const uint32_t *words = (const uint32_t *)id->id;

	ring_write_u32s(w, id->bytes, words[0]);
	ring_write_u32s(w, words[1], words[2]);
	ring_write_u32s(w, words[3], words[4]);
}

static void write_mmap(struct perf_event *event, const void *what)
{
	const struct mmap_record *r = what;
	const struct vma *vma = r->vma;
	uint32_t bytes = string_bytes(r->name);
	bool extended = event->attr.mmap2;
	bool by_build_id = extended && event->attr.build_id && r->build_id.bytes;
	uint16_t misc = PERF_RECORD_MISC_USER |
			(vma->prot & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA) |
			(by_build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	struct ring_writer w;

	if (!record_begin(&w, event, extended ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, misc,
			  HEADER_BYTES + 32 + (extended ? 32 : 0) + bytes))
		return;
	ring_write_u32s(&w, (uint32_t)current_task()->tgid, (uint32_t)current_task()->pid);
	ring_write_u64(&w, vma->start);
	ring_write_u64(&w, vma->end - vma->start);
	ring_write_u64(&w, vma->file ? vma->pgoff * PAGE_SIZE : vma->start);
	if (by_build_id)
		write_build_id(&w, &r->build_id);
	else if (extended)
		write_inode(&w, r);
	if (extended)
		ring_write_u32s(&w, vma->prot & (PROT_READ | PROT_WRITE | PROT_EXEC),
				(vma->flags & MAP_SHARED ? MAP_SHARED : MAP_PRIVATE) |
				    (vma->flags & VMA_HUGE ? MAP_HUGETLB : 0));
	ring_write_string(&w, r->name, bytes);
	record_end(&w, event);
}

void records_mmap(const struct vma *vma)
{
	char buffer[256];
	struct mmap_record r = {.vma = vma};

	r.name = vma_name(vma, buffer, sizeof(buffer));
	vma_inode(vma, &r.major, &r.minor, &r.ino, &r.generation);
	if (nr_build_id_events && vma->file && vma->file->inode)
		build_id_read(vma->file->inode, &r.build_id);
	all_records(this_pmu_cpu()->task_ctx, wants_mmap, write_mmap, &r);
}

/* ---- SWITCH ---- */

struct switch_record {
	const struct task *task, *other;
	bool in;
};

static bool wants_switch(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.context_switch;
}

static void write_switch(struct perf_event *event, const void *what)
{
	const struct switch_record *r = what;
	bool preempted = !r->in && r->task->state == TASK_RUNNABLE;
	uint16_t misc = (r->in ? 0 : PERF_RECORD_MISC_SWITCH_OUT) |
			(preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0);
	bool wide = event->ctx->of_cpu;
	struct ring_writer w;

	if (!record_begin(&w, event, wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, misc,
			  HEADER_BYTES + (wide ? 8 : 0)))
		return;
	if (wide)
		ring_write_u32s(&w, (uint32_t)r->other->tgid, (uint32_t)r->other->pid);
	record_end(&w, event);
}

void records_switch(struct task *task, struct task *other, bool in)
{
	struct switch_record r = {task, other, in};

	all_records(this_pmu_cpu()->task_ctx, wants_switch, write_switch, &r);
}

/* ---- KSYMBOL, BPF_EVENT ---- */

struct program_record {
	uint32_t id, bytes;
	uint64_t address;
	const uint8_t *tag;
	const char *symbol;
	bool loaded;
};

static bool wants_symbol(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.ksymbol;
}

static void write_symbol(struct perf_event *event, const void *what)
{
	const struct program_record *r = what;
	uint32_t flags = r->loaded ? 0 : PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	uint32_t bytes = string_bytes(r->symbol);
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_KSYMBOL, 0, HEADER_BYTES + 16 + bytes))
		return;
	ring_write_u64(&w, r->address);
	ring_write_u32s(&w, r->bytes, PERF_RECORD_KSYMBOL_TYPE_BPF | flags << 16);
	ring_write_string(&w, r->symbol, bytes);
	record_end(&w, event);
}

static bool wants_program(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.bpf_event;
}

static void write_program(struct perf_event *event, const void *what)
{
	const struct program_record *r = what;
	struct ring_writer w;
	uint64_t tag;

	if (!record_begin(&w, event, PERF_RECORD_BPF_EVENT, 0, HEADER_BYTES + 16))
		return;
	memcpy(&tag, r->tag, sizeof(tag));
	ring_write_u32s(&w, r->loaded ? PERF_BPF_EVENT_PROG_LOAD : PERF_BPF_EVENT_PROG_UNLOAD,
			r->id);
	ring_write_u64(&w, tag);
	record_end(&w, event);
}

void records_bpf(uint32_t id, const uint8_t tag[8], const char *name, uint64_t address,
		 uint32_t bytes, bool loaded)
{
	struct program_record r = {
	    .id = id, .bytes = bytes, .address = address, .tag = tag, .loaded = loaded};
	char symbol[64];
	struct text text;

	text_init(&text, symbol, sizeof(symbol));
	text_print(&text, "bpf_prog_");
	for (unsigned i = 0; i < 8; i++)
		text_print(&text, "%02x", tag[i]);
	if (*name)
		text_print(&text, "_%s", name);
	r.symbol = symbol;
	all_records(this_pmu_cpu()->task_ctx, wants_symbol, write_symbol, &r);
	all_records(this_pmu_cpu()->task_ctx, wants_program, write_program, &r);
}

/* ---- control groups ---- */

static bool wants_group(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.cgroup;
}

static void write_group(struct perf_event *event, const void *what)
{
	const struct cgroup *group = what;
	struct ring_writer w;
	struct text text;
	char path[1024];
	uint32_t bytes;

	text_init(&text, path, sizeof(path));
	cgroup_path(group, &text);
	bytes = string_bytes(path);
	if (!record_begin(&w, event, PERF_RECORD_CGROUP, 0, HEADER_BYTES + 8 + bytes))
		return;
	ring_write_u64(&w, group->id);
	ring_write_string(&w, path, bytes);
	record_end(&w, event);
}

void records_cgroup(const struct cgroup *group)
{
	all_records(this_pmu_cpu()->task_ctx, wants_group, write_group, group);
}

/* ---- TEXT_POKE ---- */

struct poke_record {
	uint64_t address;
	uint32_t bytes; /* of `is` */
	union {
		uint16_t lengths[2]; /* before, after */
		uint8_t code[4 + 2 * TEXT_POKE_MAX + 4];
		uint64_t words[1];
	} is;
};

static bool wants_poke(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.text_poke;
}

static void write_poke(struct perf_event *event, const void *what)
{
	const struct poke_record *r = what;
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL,
			  HEADER_BYTES + 8 + r->bytes))
		return;
	ring_write_u64(&w, r->address);
	for (uint32_t i = 0; i < r->bytes / 8; i++)
		ring_write_u64(&w, r->is.words[i]);
	record_end(&w, event);
}

void records_text_poke(uint64_t address, const uint8_t *before, uint16_t nr_before,
		       const uint8_t *after, uint16_t nr_after)
{
	struct poke_record r = {.address = address, .is.lengths = {nr_before, nr_after}};

	memcpy(r.is.code + 4, before, nr_before);
	memcpy(r.is.code + 4 + nr_before, after, nr_after);
	r.bytes = (4u + nr_before + nr_after + 7) & ~7u;
	all_records(this_pmu_cpu()->task_ctx, wants_poke, write_poke, &r);
}

/* ---- of one event ---- */

void records_throttle(struct perf_event *event, bool begins)
{
	struct ring_writer w;

	if (!record_begin(&w, event, begins ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0,
			  HEADER_BYTES + 24))
		return;
	ring_write_u64(&w, event->clock());
	ring_write_u64(&w, event_origin(event)->id);
	ring_write_u64(&w, event->id);
	record_end(&w, event);
}

void records_lost_samples(struct perf_event *event, uint64_t number)
{
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_LOST_SAMPLES, 0, HEADER_BYTES + 8))
		return;
	ring_write_u64(&w, number);
	record_end(&w, event);
}

void records_read(struct perf_event *event, struct task *task)
{
	uint32_t siblings = event->leader->nr_siblings;
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_READ, 0,
			  HEADER_BYTES + 8 + event_read_bytes(event, siblings)))
		return;
	ring_write_u32s(&w, (uint32_t)task->tgid, (uint32_t)task->pid);
	record_read_values(&w, event, siblings);
	record_end_of(&w, event, task); /* on its processor another may run */
}
