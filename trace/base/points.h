/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's tracepoints: names, fields and texts as in Linux 6.1, in one table that defines both
 * the records' layout and their formats in tracefs. syscalls.c has the ones for system calls.
 */
#ifndef TRACE_POINTS_H
#define TRACE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types' names in the formats. */
typedef int pid_t;
typedef int clockid_t;
typedef uint64_t u64;
typedef int64_t s64;
enum hrtimer_mode { HRTIMER_MODE_ABS };

#define TRACE_COMM 16

/* The header of each record. */
struct trace_header {
	uint16_t type; /* struct trace_event's id */
	uint8_t flags; /* TRACE_FLAG_* */
	uint8_t preempt_count;
	int32_t pid;
};

enum {
	TRACE_FLAG_IRQS_OFF = 1 << 0,
	TRACE_FLAG_HARDIRQ = 1 << 3,
	TRACE_FLAG_NMI = 1 << 6,
};

_Static_assert(offsetof(struct trace_header, flags) == 2 && sizeof(struct trace_header) == 8,
	       "trace_header_fill() writes the first three as one");

/* Fields of a record of struct R: V a value, A an array, S a string at its end. */
/* clang-format off */
#define TRACE_FIELDS_sys_enter(R, V, A, S) \
	V(R, long, id) A(R, unsigned long, args, 6)
#define TRACE_FIELDS_sys_exit(R, V, A, S) \
	V(R, long, id) V(R, long, ret)
#define TRACE_FIELDS_sched_wakeup(R, V, A, S) \
	A(R, char, comm, TRACE_COMM) V(R, pid_t, pid) V(R, int, prio) \
	V(R, int, target_cpu)
#define TRACE_FIELDS_sched_waking     TRACE_FIELDS_sched_wakeup
#define TRACE_FIELDS_sched_wakeup_new TRACE_FIELDS_sched_wakeup
#define TRACE_FIELDS_sched_switch(R, V, A, S) \
	A(R, char, prev_comm, TRACE_COMM) V(R, pid_t, prev_pid) V(R, int, prev_prio) \
	V(R, long, prev_state) A(R, char, next_comm, TRACE_COMM) V(R, pid_t, next_pid) \
	V(R, int, next_prio)
#define TRACE_FIELDS_sched_migrate_task(R, V, A, S) \
	A(R, char, comm, TRACE_COMM) V(R, pid_t, pid) V(R, int, prio) \
	V(R, int, orig_cpu) V(R, int, dest_cpu)
#define TRACE_FIELDS_sched_process_exit(R, V, A, S) \
	A(R, char, comm, TRACE_COMM) V(R, pid_t, pid) V(R, int, prio)
#define TRACE_FIELDS_sched_process_fork(R, V, A, S) \
	A(R, char, parent_comm, TRACE_COMM) V(R, pid_t, parent_pid) A(R, char, child_comm, TRACE_COMM) \
	V(R, pid_t, child_pid)
#define TRACE_FIELDS_sched_process_exec(R, V, A, S) \
	S(R, filename) V(R, pid_t, pid) V(R, pid_t, old_pid)
#define TRACE_FIELDS_sched_stat_runtime(R, V, A, S) \
	A(R, char, comm, TRACE_COMM) V(R, pid_t, pid) V(R, u64, runtime) \
	V(R, u64, vruntime)
#define TRACE_FIELDS_page_fault_user(R, V, A, S) \
	V(R, unsigned long, address) V(R, unsigned long, ip) V(R, unsigned long, error_code)
#define TRACE_FIELDS_page_fault_kernel TRACE_FIELDS_page_fault_user
#define TRACE_FIELDS_signal_generate(R, V, A, S) \
	V(R, int, sig) V(R, int, errno) V(R, int, code) \
	A(R, char, comm, TRACE_COMM) V(R, pid_t, pid) V(R, int, group) \
	V(R, int, result)
#define TRACE_FIELDS_signal_deliver(R, V, A, S) \
	V(R, int, sig) V(R, int, errno) V(R, int, code) \
	V(R, unsigned long, sa_handler) V(R, unsigned long, sa_flags)
#define TRACE_FIELDS_task_newtask(R, V, A, S) \
	V(R, pid_t, pid) A(R, char, comm, TRACE_COMM) V(R, unsigned long, clone_flags) \
	V(R, short, oom_score_adj)
#define TRACE_FIELDS_vector(R, V, A, S) \
	V(R, int, vector)
#define TRACE_FIELDS_local_timer_entry   TRACE_FIELDS_vector
#define TRACE_FIELDS_local_timer_exit    TRACE_FIELDS_vector
#define TRACE_FIELDS_reschedule_entry    TRACE_FIELDS_vector
#define TRACE_FIELDS_reschedule_exit     TRACE_FIELDS_vector
#define TRACE_FIELDS_call_function_entry TRACE_FIELDS_vector
#define TRACE_FIELDS_call_function_exit  TRACE_FIELDS_vector
#define TRACE_FIELDS_sched_process_wait TRACE_FIELDS_sched_process_exit
#define TRACE_FIELDS_task_rename(R, V, A, S) \
	V(R, pid_t, pid) A(R, char, oldcomm, TRACE_COMM) A(R, char, newcomm, TRACE_COMM) \
	V(R, short, oom_score_adj)
#define TRACE_FIELDS_kmalloc(R, V, A, S) \
	V(R, unsigned long, call_site) V(R, unsigned long, ptr) V(R, size_t, bytes_req) \
	V(R, size_t, bytes_alloc) V(R, unsigned long, gfp_flags) V(R, int, node)
#define TRACE_FIELDS_kfree(R, V, A, S) \
	V(R, unsigned long, call_site) V(R, unsigned long, ptr)
#define TRACE_FIELDS_mm_page_alloc(R, V, A, S) \
	V(R, unsigned long, pfn) V(R, unsigned int, order) V(R, unsigned long, gfp_flags) \
	V(R, int, migratetype)
#define TRACE_FIELDS_mm_page_free(R, V, A, S) \
	V(R, unsigned long, pfn) V(R, unsigned int, order)
#define TRACE_FIELDS_vm_unmapped_area(R, V, A, S) \
	V(R, unsigned long, addr) V(R, unsigned long, total_vm) V(R, unsigned long, flags) \
	V(R, unsigned long, length) V(R, unsigned long, low_limit) \
	V(R, unsigned long, high_limit) V(R, unsigned long, align_mask) \
	V(R, unsigned long, align_offset)
#define TRACE_FIELDS_hrtimer_init(R, V, A, S) \
	V(R, unsigned long, hrtimer) V(R, clockid_t, clockid) V(R, enum hrtimer_mode, mode)
#define TRACE_FIELDS_hrtimer_start(R, V, A, S) \
	V(R, unsigned long, hrtimer) V(R, unsigned long, function) V(R, s64, expires) \
	V(R, s64, softexpires) V(R, enum hrtimer_mode, mode) V(R, bool, was_armed)
#define TRACE_FIELDS_hrtimer_expire_entry(R, V, A, S) \
	V(R, unsigned long, hrtimer) V(R, s64, now) V(R, unsigned long, function)
#define TRACE_FIELDS_hrtimer_expire_exit(R, V, A, S) \
	V(R, unsigned long, hrtimer)
#define TRACE_FIELDS_hrtimer_cancel TRACE_FIELDS_hrtimer_expire_exit
#define TRACE_FIELDS_itimer_state(R, V, A, S) \
	V(R, int, which) V(R, unsigned long long, expires) V(R, long, value_sec) \
	V(R, long, value_nsec) V(R, long, interval_sec) V(R, long, interval_nsec)
#define TRACE_FIELDS_itimer_expire(R, V, A, S) \
	V(R, int, which) V(R, pid_t, pid) V(R, unsigned long long, now)
#define TRACE_FIELDS_print(R, V, A, S) \
	V(R, unsigned long, ip) A(R, char, buf, 0)
#define TRACE_FIELDS_raw_data(R, V, A, S) \
	V(R, unsigned int, id) A(R, char, buf, 0)
/* clang-format on */

#define WAKEUP_TEXT                                                                    \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, " \
	"REC->target_cpu"
#define TASK_TEXT "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio"
#define FAULT_TEXT                                                                         \
	"\"address=%ps ip=%ps error_code=0x%lx\", (void *)REC->address, (void *)REC->ip, " \
	"REC->error_code"
#define VECTOR_TEXT "\"vector=%d\", REC->vector"

#define MODE_TEXT                                                                             \
	"__print_symbolic(REC->mode, { 0, \"ABS\" }, { 1, \"REL\" }, { 2, \"ABS|PINNED\" }, " \
	"{ 3, \"REL|PINNED\" }, { 4, \"ABS|SOFT\" }, { 5, \"REL|SOFT\" }, "                   \
	"{ 6, \"ABS|PINNED|SOFT\" }, { 7, \"REL|PINNED|SOFT\" }, { 8, \"ABS|HARD\" }, "       \
	"{ 9, \"REL|HARD\" }, { 10, \"ABS|PINNED|HARD\" }, { 11, \"REL|PINNED|HARD\" })"
#define CLOCK_TEXT                                                                               \
	"__print_symbolic(REC->clockid, { 0, \"CLOCK_REALTIME\" }, { 1, \"CLOCK_MONOTONIC\" }, " \
	"{ 7, \"CLOCK_BOOTTIME\" }, { 11, \"CLOCK_TAI\" })"

/* The letters of task states, as Linux writes them. */
#define STATE_TEXT                                                                                \
	"(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x01, \"S\" "  \
	"}, { 0x02, \"D\" }, "                                                                    \
	"{ 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { " \
	"0x80, \"I\" }) : \"R\", "                                                                \
	"REC->prev_state & 0x100 ? \"+\" : \"\""

/* P(system, name, place, flags, text): `place` is the trace point that emits it (places.c). */
#define TRACE_POINTS(P)                                                                           \
	P(raw_syscalls, sys_enter, PLACE_SYSCALLS, TRACE_CAP_ANY,                                 \
	  "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], "      \
	  "REC->args[2], "                                                                        \
	  "REC->args[3], REC->args[4], REC->args[5]")                                             \
	P(raw_syscalls, sys_exit, PLACE_SYSCALLS, TRACE_CAP_ANY,                                  \
	  "\"NR %ld = %ld\", REC->id, REC->ret")                                                  \
	P(sched, sched_wakeup, PLACE_WAKE, 0, WAKEUP_TEXT)                                        \
	P(sched, sched_waking, PLACE_WAKE, 0, WAKEUP_TEXT)                                        \
	P(sched, sched_wakeup_new, PLACE_WAKE, 0, WAKEUP_TEXT)                                    \
	P(sched, sched_switch, PLACE_SWITCH, 0,                                                   \
	  "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d " \
	  "next_prio=%d\", "                                                                      \
	  "REC->prev_comm, REC->prev_pid, REC->prev_prio, " STATE_TEXT                            \
	  ", REC->next_comm, REC->next_pid, REC->next_prio")                                      \
	P(sched, sched_migrate_task, PLACE_WAKE, 0,                                               \
	  "\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, "  \
	  "REC->orig_cpu, REC->dest_cpu")                                                         \
	P(sched, sched_process_exit, PLACE_EXIT, 0, TASK_TEXT)                                    \
	P(sched, sched_process_fork, PLACE_FORK, 0,                                               \
	  "\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, "    \
	  "REC->child_comm, "                                                                     \
	  "REC->child_pid")                                                                       \
	P(sched, sched_process_exec, PLACE_EXEC, 0,                                               \
	  "\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid")       \
	P(sched, sched_stat_runtime, PLACE_SWITCH, 0,                                             \
	  "\"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]\", REC->comm, REC->pid, "          \
	  "(unsigned long long)REC->runtime, (unsigned long long)REC->vruntime")                  \
	P(exceptions, page_fault_user, PLACE_FAULT, 0, FAULT_TEXT)                                \
	P(exceptions, page_fault_kernel, PLACE_FAULT, 0, FAULT_TEXT)                              \
	P(signal, signal_generate, PLACE_SIGNAL, 0,                                               \
	  "\"sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d\", REC->sig, REC->errno, "      \
	  "REC->code, "                                                                           \
	  "REC->comm, REC->pid, REC->group, REC->result")                                         \
	P(signal, signal_deliver, PLACE_SIGNAL, 0,                                                \
	  "\"sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx\", REC->sig, REC->errno, "       \
	  "REC->code, "                                                                           \
	  "REC->sa_handler, REC->sa_flags")                                                       \
	P(task, task_newtask, PLACE_FORK, 0,                                                      \
	  "\"pid=%d comm=%s clone_flags=%lx oom_score_adj=%hd\", REC->pid, REC->comm, "           \
	  "REC->clone_flags, "                                                                    \
	  "REC->oom_score_adj")                                                                   \
	P(irq_vectors, local_timer_entry, PLACE_TIMER_VECTOR, 0, VECTOR_TEXT)                     \
	P(irq_vectors, local_timer_exit, PLACE_TIMER_VECTOR, 0, VECTOR_TEXT)                      \
	P(irq_vectors, reschedule_entry, PLACE_RESCHEDULE_VECTOR, 0, VECTOR_TEXT)                 \
	P(irq_vectors, reschedule_exit, PLACE_RESCHEDULE_VECTOR, 0, VECTOR_TEXT)                  \
	P(irq_vectors, call_function_entry, PLACE_CALL_VECTOR, 0, VECTOR_TEXT)                    \
	P(irq_vectors, call_function_exit, PLACE_CALL_VECTOR, 0, VECTOR_TEXT)                     \
	P(sched, sched_process_wait, PLACE_FUNCTION, 0, TASK_TEXT)                                \
	P(task, task_rename, PLACE_FUNCTION, 0,                                                   \
	  "\"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd\", REC->pid, REC->oldcomm, "          \
	  "REC->newcomm, REC->oom_score_adj")                                                     \
	P(kmem, kmalloc, PLACE_FUNCTION, 0,                                                       \
	  "\"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=0x%lx node=%d\", "      \
	  "(void *)REC->call_site, REC->ptr, REC->bytes_req, REC->bytes_alloc, REC->gfp_flags, "  \
	  "REC->node")                                                                            \
	P(kmem, kfree, PLACE_FUNCTION, 0,                                                         \
	  "\"call_site=%pS ptr=%p\", (void *)REC->call_site, REC->ptr")                           \
	P(kmem, mm_page_alloc, PLACE_FUNCTION, 0,                                                 \
	  "\"pfn=0x%lx order=%d migratetype=%d gfp_flags=0x%lx\", REC->pfn, REC->order, "         \
	  "REC->migratetype, REC->gfp_flags")                                                     \
	P(kmem, mm_page_free, PLACE_FUNCTION, 0, "\"pfn=0x%lx order=%d\", REC->pfn, REC->order")  \
	P(mmap, vm_unmapped_area, PLACE_FUNCTION, 0,                                              \
	  "\"addr=0x%lx err=%ld total_vm=0x%lx flags=0x%lx len=0x%lx lo=0x%lx hi=0x%lx "          \
	  "mask=0x%lx "                                                                           \
	  "ofs=0x%lx\", REC->addr, (REC->addr >= (unsigned long)-4095) ? REC->addr : 0, "         \
	  "REC->total_vm, REC->flags, REC->length, REC->low_limit, REC->high_limit, "             \
	  "REC->align_mask, REC->align_offset")                                                   \
	P(timer, hrtimer_init, PLACE_FUNCTION, 0,                                                 \
	  "\"hrtimer=%p clockid=%s mode=%s\", REC->hrtimer, " CLOCK_TEXT ", " MODE_TEXT)          \
	P(timer, hrtimer_start, PLACE_FUNCTION, 0,                                                \
	  "\"hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d\", "      \
	  "REC->hrtimer, "                                                                        \
	  "REC->function, (unsigned long long) REC->expires, "                                    \
	  "(unsigned long long) REC->softexpires, " MODE_TEXT ", REC->was_armed")                 \
	P(timer, hrtimer_expire_entry, PLACE_TIMER_VECTOR, 0,                                     \
	  "\"hrtimer=%p function=%ps now=%llu\", REC->hrtimer, REC->function, "                   \
	  "(unsigned long long) REC->now")                                                        \
	P(timer, hrtimer_expire_exit, PLACE_TIMER_VECTOR, 0, "\"hrtimer=%p\", REC->hrtimer")      \
	P(timer, hrtimer_cancel, PLACE_FUNCTION, 0, "\"hrtimer=%p\", REC->hrtimer")               \
	P(timer, itimer_state, PLACE_FUNCTION, 0,                                                 \
	  "\"which=%d expires=%llu it_value=%ld.%06ld it_interval=%ld.%06ld\", REC->which, "      \
	  "REC->expires, REC->value_sec, REC->value_nsec / 1000L, REC->interval_sec, "            \
	  "REC->interval_nsec / 1000L")                                                           \
	P(timer, itimer_expire, PLACE_FUNCTION, 0,                                                \
	  "\"which=%d pid=%d now=%llu\", REC->which, (int) REC->pid, REC->now")                   \
	/* Text written to trace_marker. */                                                       \
	P(ftrace, print, PLACE_NONE, 0, "\"%ps: %s\", (void *)REC->ip, REC->buf")                 \
	P(ftrace, raw_data, PLACE_NONE, 0, "\"id:%04x %08x\", REC->id, (int)REC->buf[0]")

/* struct record_NAME, of each. */
#define TRACE_V(record, type, name)       type name;
#define TRACE_A(record, type, name, size) type name[size];
#define TRACE_S(record, name)             uint32_t name;
#define TRACE_RECORD(system, name, place, flags, text)                        \
	struct record_##name {                                                \
		struct trace_header header;                                   \
		TRACE_FIELDS_##name(record_##name, TRACE_V, TRACE_A, TRACE_S) \
	};
TRACE_POINTS(TRACE_RECORD)
#undef TRACE_RECORD

/* POINT_NAME: its place in trace_points[]; its id is one more. */
#define TRACE_NUMBER(system, name, place, flags, text) POINT_##name,
enum { TRACE_POINTS(TRACE_NUMBER) NR_POINTS };
#undef TRACE_NUMBER

#endif
