/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SAMPLE records, and the identification of other records. One table of fields defines size and
 * contents, in Linux's order (perf_event_open(2), "MMAP layout").
 */
#include <asm/perf_regs.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/vm/vm.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/base/registers.h"
#include "pmu/record/aux.h"
#include "pmu/record/begin.h"
#include "pmu/record/branch.h"
#include "pmu/record/callchain.h"
#include "pmu/record/precise.h"
#include "pmu/record/raw.h"
#include "pmu/record/records.h"
#include "pmu/record/sample.h"

#define RECORD_MAX (0x10000u - 8) /* header.size has 16 bits, records are multiples of 8 */

#define DATA_SOURCE_UNKNOWN                                                                        \
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) | \
	 PERF_MEM_S(TLB, NA))

#define ATTR(sample) (&(sample)->event->attr)

/* A sample under construction. */
struct sample {
	struct perf_event *event;
	const struct perf_event *origin; /* event_origin() of it */
	const struct frame *frame;
	const struct frame *user;      /* ring 3's registers; NULL: a kernel thread has none */
	const struct precise *precise; /* state that hardware recorded; NULL: none */
	uint64_t address, period;
	uint64_t time; /* by the event's clock, if it is asked for */
	const uint64_t *chain;
	uint32_t nr_chain;
	const struct branch_stack *branches; /* NULL: none */
	uint32_t nr_siblings;                /* for READ */
	uint32_t stack_bytes;                /* of the user stack dump */
	uint32_t aux_bytes;                  /* of the leader's AUX area */
};

/* A sample that hardware recorded in ring 3 has ring 3's registers only if its interrupt also came
 * in ring 3: otherwise the registers missing in the record are the kernel's. */
static const struct frame *user_registers(const struct sample *s)
{
	const struct frame *interrupted = s->precise ? s->precise->interrupted : s->frame;

	if (s->precise && s->precise->has_registers && frame_is_user(s->frame))
		return s->frame;
	if (frame_is_user(interrupted))
		return frame_is_user(s->frame) ? s->frame : interrupted;
	return current_task()->kernel_thread ? NULL : task_user_frame(current_task());
}

/* Returns the number of stack bytes to dump when the rest of the record takes `others` bytes. */
static uint32_t stack_bytes(const struct sample *s, uint32_t others)
{
	uint32_t bytes = ATTR(s)->sample_stack_user;
	uint64_t sp;

	if (!s->user)
		return 0;
	sp = s->user->rsp;
	if (!sp || sp >= USER_END)
		return 0;
	if (USER_END - sp < bytes)
		bytes = (uint32_t)(USER_END - sp) & ~7u;
	if (others + 8 + bytes > RECORD_MAX)
		bytes = RECORD_MAX - others - 8;
	return bytes;
}

static uint32_t collect_chain(struct sample *s)
{
	s->nr_chain =
	    callchain_collect(s->event, s->precise ? s->precise->interrupted : s->frame, &s->chain);
	return 8 * s->nr_chain;
}

static uint32_t collect_branches(struct sample *s)
{
	const struct perf_event *event = s->event;

	s->branches = event->pmu->branches ? event->pmu->branches(event) : NULL;
	if (!s->branches)
		return 0;
	return (event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 8 : 0) +
	       s->branches->nr * (uint32_t)sizeof(struct perf_branch_entry);
}

static uint32_t collect_values(struct sample *s)
{
	s->nr_siblings = s->event->leader->nr_siblings;
	return event_read_bytes(s->event, s->nr_siblings);
}

static inline uint64_t sample_time(const struct perf_event *event)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_TIME))
		return 0;
	if (__builtin_expect(event->clock == clock_ns, 1))
		return clock_ns_inline();
	return event->clock();
}

static void write_chain(struct ring_writer *w, const struct sample *s)
{
	ring_write_u64(w, s->nr_chain);
	ring_write_words(w, s->chain, s->nr_chain);
}

static void write_registers(struct ring_writer *w, const struct frame *frame, uint64_t mask,
			    const uint64_t *xmm)
{
	ring_write_u64(w, frame ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	if (frame)
		registers_write(w, frame, mask, xmm);
}

static void write_stack(struct ring_writer *w, const struct sample *s)
{
	ring_write_u64(w, s->stack_bytes);
	if (s->stack_bytes)
		ring_write_u64(w, ring_write_user(w, s->user->rsp, s->stack_bytes));
}

/* Returns the size of the page at the address, and sets its physical address; 0: not mapped. */
static uint64_t find_page(uint64_t address, uint64_t *phys)
{
	const struct mm *mm = current_task()->mm;
	struct paging_entry entry;

	*phys = 0;
	if (address >= USER_END)
		return paging_kernel_page(address, phys);
	if (!address || !mm || !paging_query(mm->root_phys, address & -PAGE_SIZE, &entry))
		return 0;
	*phys = entry.phys + (address & (PAGE_SIZE - 1));
	return entry.bytes;
}

static uint64_t page_size(uint64_t address)
{
	uint64_t phys;

	return find_page(address, &phys);
}

static uint64_t physical_address(const struct sample *s)
{
	uint64_t phys;

	if (s->precise && s->precise->physical)
		return s->precise->physical;
	find_page(s->address, &phys);
	return phys;
}

static void write_aux(struct ring_writer *w, const struct sample *s)
{
	ring_write_u64(w, s->aux_bytes);
	if (s->aux_bytes)
		aux_sample_write(s->event, w, s->aux_bytes);
}

#define BRANCH_ENTRY_WORDS (sizeof(struct perf_branch_entry) / sizeof(uint64_t))

static void write_branches(struct ring_writer *w, const struct sample *s)
{
	const uint64_t *words;

	ring_write_u64(w, s->branches ? s->branches->nr : 0);
	if (!s->branches)
		return;
	if (s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		ring_write_u64(w, s->branches->hw_idx);
	words = (const uint64_t *)s->branches->entries;
	ring_write_words(w, words, s->branches->nr * BRANCH_ENTRY_WORDS);
}

static bool put_raw(struct ring_writer *w, const struct raw_data *raw, uint32_t bytes)
{
	if ((uint64_t)((char *)w->end - (char *)w->at) <= bytes)
		return false;
	put_raw_at(w->at, raw, bytes);
	w->at += bytes / sizeof(*w->at);
	return true;
}

/* Writes the raw data. The size in front of them includes the padding. */
static void write_raw(struct ring_writer *w, const struct raw_data *raw)
{
	const char *data = raw && raw->bytes ? raw->data : "";
	uint32_t bytes = raw_bytes(raw), left = raw ? raw->bytes : 0;
	uint64_t word = bytes - sizeof(uint32_t);

	if (put_raw(w, raw, bytes))
		return;
	for (uint32_t at = sizeof(uint32_t); bytes; bytes -= 8, at = 0, word = 0) {
		uint32_t part = left < 8 - at ? left : 8 - at;

		if (part == sizeof(word))
			__builtin_memcpy(&word, data, sizeof(word));
		else
			for (uint32_t i = 0; i < part; i++)
				word |= (uint64_t)(uint8_t)data[i] << 8 * (at + i);
		data += part;
		left -= part;
		ring_write_u64(w, word);
	}
}

/* Returns the vector registers that the hardware recorded; NULL: none. */
static const uint64_t *recorded_xmm(const struct sample *s)
{
	return s->precise ? s->precise->xmm : NULL;
}

/* An ordinary sample has Linux's value for "not available". */
static uint64_t data_source(const struct sample *s)
{
	return s->precise && s->precise->data_source ? s->precise->data_source
						     : DATA_SOURCE_UNKNOWN;
}

/*
 * The fields, in their order. FIELD: its bit, and its word. PART: its bit, its constant number of
 * words, the bytes that this sample adds, and the function that writes it. They are grouped, since
 * other records end with some of them, and few samples have any of the last.
 */
/* clang-format off */
#define FIELD_IDENTIFIER(FIELD, PART) \
	FIELD(IDENTIFIER, s->origin->id)
#define FIELDS_WHO(FIELD, PART) \
	FIELD(TID, ring_word((uint32_t)task->tgid, (uint32_t)task->pid)) \
	FIELD(TIME, s->time)
#define FIELDS_WHICH(FIELD, PART) \
	FIELD(ID, s->origin->id) \
	FIELD(STREAM_ID, s->event->id) \
	FIELD(CPU, ring_word(cpu, 0))
#define FIELDS_HEAD(FIELD, PART) \
	FIELD_IDENTIFIER(FIELD, PART) \
	FIELD(IP, s->frame->rip) \
	FIELDS_WHO(FIELD, PART) \
	FIELD(ADDR, s->address) \
	FIELDS_WHICH(FIELD, PART) \
	FIELD(PERIOD, s->period)
#define FIELDS_VALUES(FIELD, PART) \
	PART(READ, 0, collect_values(s), record_read_values(w, s->event, s->nr_siblings)) \
	PART(CALLCHAIN, 1, collect_chain(s), write_chain(w, s))
#define FIELDS_RARE(FIELD, PART) \
	PART(RAW, 1, raw_bytes(s->event->hw.raw) - 8, write_raw(w, s->event->hw.raw)) \
	PART(BRANCH_STACK, 1, collect_branches(s), write_branches(w, s)) \
	PART(REGS_USER, 1, s->user ? s->event->user_bytes : 0, \
	     write_registers(w, s->user, ATTR(s)->sample_regs_user, NULL)) \
	PART(STACK_USER, 1, 0 /* measured last: what there is room for */, write_stack(w, s)) \
	FIELD(WEIGHT_TYPE, s->precise ? s->precise->weight : 0) \
	FIELD(DATA_SRC, data_source(s)) \
	FIELD(TRANSACTION, s->precise ? s->precise->transaction : 0) \
	PART(REGS_INTR, 1, s->event->interrupted_bytes, \
	     write_registers(w, s->frame, ATTR(s)->sample_regs_intr, recorded_xmm(s))) \
	FIELD(PHYS_ADDR, physical_address(s)) \
	FIELD(CGROUP, cgroup_of_events(current_task())->id) \
	FIELD(DATA_PAGE_SIZE, page_size(s->address)) \
	FIELD(CODE_PAGE_SIZE, page_size(s->frame->rip)) \
	PART(AUX, 1, 0 /* measured last: what there is room for */, write_aux(w, s))
#define FIELDS(FIELD, PART) \
	FIELDS_HEAD(FIELD, PART) FIELDS_VALUES(FIELD, PART) FIELDS_RARE(FIELD, PART)
/* The tail of other records, for sample_id_all. */
#define FIELDS_ID(FIELD, PART) \
	FIELDS_WHO(FIELD, PART) FIELDS_WHICH(FIELD, PART) FIELD_IDENTIFIER(FIELD, PART)

/* Operations on a row: FIELD's first, then PART's. */
#define NOTHING(...)
#define COUNT(...) +1
#define TYPE_BIT(name, ...) | PERF_SAMPLE_##name
#define BIT_OF_WORD(name, words, ...) | ((words) ? PERF_SAMPLE_##name : 0)
#define MEASURE(name, words, bytes, write) if (type & PERF_SAMPLE_##name) size += (bytes);
#define WRITE_FIELD(name, word) if (type & PERF_SAMPLE_##name) ring_write_u64(w, word);
#define PUT_FIELD(name, word) if (type & PERF_SAMPLE_##name) *at++ = (word);
#define WRITE_PART(name, words, bytes, write) if (type & PERF_SAMPLE_##name) write;
/* clang-format on */

#define RARE_PARTS    (0ul FIELDS_RARE(TYPE_BIT, TYPE_BIT))
#define VARYING_PARTS (0ul FIELDS(NOTHING, TYPE_BIT))
#define ONE_WORD      (0ul FIELDS(TYPE_BIT, BIT_OF_WORD))
#define ID_WORDS      (0ul FIELDS_ID(TYPE_BIT, TYPE_BIT))
#define HEAD_WORDS    (0 FIELDS_HEAD(COUNT, NOTHING))
#define USUAL_WORDS   ((uint64_t)(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME))

/* True when sample_write_raw() writes the sample. */
static bool is_raw_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       attr->sample_type == PERF_SAMPLE_RAW && !attr->write_backward &&
	       (attr->watermark || attr->wakeup_events <= 1);
}

/* True if wake-ups go by the number of samples, not by the bytes in the ring. */
static inline bool wakes_by_number(const struct perf_event_attr *attr)
{
	return !attr->watermark && attr->wakeup_events;
}

/* Collects the parts of variable size; returns the size of the record. */
static uint32_t prepare(struct sample *s)
{
	uint64_t type = ATTR(s)->sample_type;
	uint32_t size = s->event->sample_size;

	if (!(type & VARYING_PARTS))
		return size;
	if (type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
		s->user = user_registers(s);
	FIELDS(NOTHING, MEASURE)
	if (type & PERF_SAMPLE_STACK_USER) {
		s->stack_bytes = stack_bytes(s, size);
		size += s->stack_bytes ? 8 + s->stack_bytes : 0;
	}
	if (type & PERF_SAMPLE_AUX) {
		s->aux_bytes = aux_sample_bytes(s->event, RECORD_MAX - size);
		size += s->aux_bytes;
	}
	return size;
}

/* Writes the leading fields, one word each. */
static inline __attribute__((always_inline)) uint64_t *
put_fields(uint64_t *at, const struct sample *s, uint64_t type)
{
	const struct task *task = current_task();
	uint32_t cpu = this_cpu_read(id);

	FIELDS_HEAD(PUT_FIELD, NOTHING)
	return at;
}

static void write_fields(struct ring_writer *w, const struct sample *s)
{
	uint64_t scratch[HEAD_WORDS], *at = ring_put_begin(w, scratch, HEAD_WORDS);
	uint64_t type = ATTR(s)->sample_type;

	ring_put_end(w, scratch, at, put_fields(at, s, type));
	FIELDS_VALUES(WRITE_FIELD, WRITE_PART)
	if (type & RARE_PARTS) {
		FIELDS_RARE(WRITE_FIELD, WRITE_PART)
	}
}

void sample_write_id(struct ring_writer *w, struct perf_event *event, const struct task *task)
{
	const struct sample id = {.event = event,
				  .origin = event_origin(event),
				  .time = sample_time(event)},
			    *s = &id;
	uint64_t type = event->attr.sample_type;
	uint32_t cpu = task->last_cpu;

	FIELDS_ID(WRITE_FIELD, WRITE_PART)
}

/* Writes a sample with any fields into any ring. */
static void write_any(struct perf_event *event, const struct frame *frame, uint64_t address,
		      uint64_t period, struct perf_event *origin, struct ring *ring)
{
	uint16_t misc = misc_of(frame);
	struct sample s = {.event = event,
			   .origin = origin,
			   .frame = frame,
			   .precise = event->hw.precise,
			   .address = address,
			   .period = period};
	struct ring_writer w;

	if (s.precise && s.precise->exact)
		misc |= PERF_RECORD_MISC_EXACT_IP;
	/* A hardware record has a time of its own, on the default clock of events. */
	s.time =
	    s.precise && event->clockid == EVENT_CLOCK_OWN ? s.precise->time : sample_time(event);
	if (!record_place(&w, origin, ring, PERF_RECORD_SAMPLE, misc, prepare(&s)))
		return;
	write_fields(&w, &s);
	if (wakes_by_number(&event->attr))
		ring_count_event(ring, event->attr.wakeup_events);
	record_publish(&w, origin);
}

/* Returns the size of a sample of the words of `type` and of RAW without data: a constant for a
 * constant type. */
static inline __attribute__((always_inline)) uint32_t words_size(const struct perf_event *event,
								 uint64_t type)
{
	return __builtin_constant_p(type) ? 8 + 8 * (uint32_t)__builtin_popcountl(type)
					  : event->sample_size;
}

/*
 * Writes a sample of the words of `type` if it is easily placed. Calls nothing before its end, so
 * that few registers are saved.
 */
static inline __attribute__((always_inline)) void
write_words(struct perf_event *event, const struct frame *frame, uint64_t address, uint64_t period,
	    struct perf_event *origin, struct ring *ring, uint64_t type, bool more)
{
	uint32_t raw = more && (type & PERF_SAMPLE_RAW) ? raw_bytes(event->hw.raw) : 0,
		 size = words_size(event, type) + (raw ? raw - 8 : 0);
	struct ring_writer w;
	uint64_t *at;

	if (!ring_take_in_page(&w, ring, size)) {
		write_any(event, frame, address, period, origin, ring);
		return;
	}
	*w.at = record_header_word(PERF_RECORD_SAMPLE, misc_of(frame), size);
	at = put_fields(w.at + 1,
			&(struct sample){
			    .event = event,
			    .origin = origin,
			    .frame = frame,
			    .address = address,
			    .period = period,
			    .time = type & PERF_SAMPLE_TIME ? clock_ns_inline() : 0,
			},
			type);
	if (raw)
		put_raw_at(at, event->hw.raw, raw);
	if (more && wakes_by_number(&event->attr))
		ring_count_event(ring, event->attr.wakeup_events);
	record_publish(&w, origin);
}

#define WRITER(name, type, more)                                                                \
	static void name(struct perf_event *event, const struct frame *frame, uint64_t address, \
			 uint64_t period, struct perf_event *origin, struct ring *ring)         \
	{                                                                                       \
		write_words(event, frame, address, period, origin, ring, type, more);           \
	}

WRITER(write_usual, USUAL_WORDS, false)
WRITER(write_usual_and_period, USUAL_WORDS | PERF_SAMPLE_PERIOD, false)
WRITER(write_any_words, event->attr.sample_type, false)
/* Samples of trace events and programs have RAW at their end, others are counted for wake-ups. */
WRITER(write_words_and_more, event->attr.sample_type, true)

/* Chooses the shortest function that writes all that samples of these attributes have. */
static sample_writer *writer_for(const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	if ((type & (VARYING_PARTS | RARE_PARTS) & ~(uint64_t)PERF_SAMPLE_RAW) ||
	    attr->write_backward || attr->use_clockid)
		return write_any;
	if (type & PERF_SAMPLE_RAW || wakes_by_number(attr))
		return write_words_and_more;
	if (type == USUAL_WORDS)
		return write_usual;
	return type == (USUAL_WORDS | PERF_SAMPLE_PERIOD) ? write_usual_and_period
							  : write_any_words;
}

void sample_sizes(struct perf_event *event)
{
	uint64_t type = event->attr.sample_type;

	event->write_sample = write_any;
	event->sample_size = sizeof(struct perf_event_header);
	if (!type)
		return;
	event->write_sample = writer_for(&event->attr);
	event->raw_output = is_raw_output(&event->attr);
	event->id_size = 8 * bits_set(type & ID_WORDS);
	event->sample_size += 8 * bits_set(type & ONE_WORD);
	event->user_bytes = (uint16_t)(8 * bits_set(event->attr.sample_regs_user));
	event->interrupted_bytes = (uint16_t)(8 * bits_set(event->attr.sample_regs_intr));
}

void sample_write(struct perf_event *event, struct frame *frame, uint64_t address, uint64_t period)
{
	struct perf_event *origin = event_origin(event);
	struct ring *ring = __atomic_load_n(&origin->ring, __ATOMIC_ACQUIRE);

	if (!ring)
		return;
	if (event->hw.precise)
		write_any(event, frame, address, period, origin, ring);
	else
		event->write_sample(event, frame, address, period, origin, ring);
}
