/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of the kernel: names, fields and texts as Linux 6.1's, in one table that gives
 * both the records' layout and their formats in tracefs. Those of system calls are in syscalls.c.
 */
#ifndef TRACE_POINTS_H
#define TRACE_POINTS_H

#include <stdint.h>

/* What the formats call these types. */
typedef int pid_t;
typedef uint64_t u64;

#define TRACE_COMM 16

/* What each record begins with. */
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
/* clang-format on */

#define WAKEUP_TEXT                                                                    \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, " \
	"REC->target_cpu"
#define TASK_TEXT "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio"
#define FAULT_TEXT                                                                         \
	"\"address=%ps ip=%ps error_code=0x%lx\", (void *)REC->address, (void *)REC->ip, " \
	"REC->error_code"
#define VECTOR_TEXT "\"vector=%d\", REC->vector"

/* The letters of task states, as Linux writes them. */
#define STATE_TEXT                                                                                \
	"(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x01, \"S\" "  \
	"}, { 0x02, \"D\" }, "                                                                    \
	"{ 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { " \
	"0x80, \"I\" }) : \"R\", "                                                                \
	"REC->prev_state & 0x100 ? \"+\" : \"\""

/* P(system, name, place, flags, text): `place` is what switches it on (places.c). */
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
	P(irq_vectors, call_function_exit, PLACE_CALL_VECTOR, 0, VECTOR_TEXT)

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
