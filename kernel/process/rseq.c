/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences (rseq(2)): code of ring 3 that continues at its abort address after a
 * context switch, a migration or a signal. Preemption happens only at the return to ring 3, so it
 * is handled there; a migration requests that path (kernel/task/sched.c). */
#include <linux/errno.h>
#include <linux/rseq.h>
#include <stddef.h>
#include "kernel/mem/user.h"
#include "kernel/process/rseq.h"
#include "kernel/task/task.h"

_Static_assert(sizeof(struct rseq) >= 32, "linux/rseq.h");
#define AREA_BYTES 32u /* of Linux 6.1 */

static uint64_t switches(const struct task *task)
{
	return task->nvcsw + task->nivcsw;
}

static int report_processor(const struct task *task, uint32_t start, uint32_t id)
{
	const uint32_t ids[2] = {start, id};
	uint32_t known[2];

	/* Writes nothing if the values are there: after fork a write would copy the page. */
	if (copy_from_user(known, task->rseq + offsetof(struct rseq, cpu_id_start), sizeof(known)))
		return -EFAULT;
	if (known[0] == start && known[1] == id)
		return 0;
	return copy_to_user(task->rseq + offsetof(struct rseq, cpu_id_start), ids, sizeof(ids));
}

long rseq_register(uint64_t area, uint32_t bytes, uint32_t signature)
{
	struct task *task = current_task();
	uint32_t cpu = this_cpu_read(id);

	if (task->rseq) {
		if (task->rseq != area || bytes != AREA_BYTES)
			return -EINVAL;
		return task->rseq_signature == signature ? -EBUSY : -EPERM;
	}
	if (area % AREA_BYTES || bytes != AREA_BYTES)
		return -EINVAL;
	if (area > USER_END - AREA_BYTES)
		return -EFAULT;
	if (!area)
		return 0; /* as on Linux: it is none */
	task->rseq = area;
	task->rseq_signature = signature;
	task->rseq_switches = switches(task);
	if (!report_processor(task, cpu, cpu))
		return 0;
	/* Linux would detect this at the return, and kill the task. */
	task->rseq = 0;
	return -EFAULT;
}

long rseq_unregister(uint64_t area, uint32_t bytes, uint32_t signature)
{
	struct task *task = current_task();

	if (!task->rseq || task->rseq != area || bytes != AREA_BYTES)
		return -EINVAL;
	if (task->rseq_signature != signature)
		return -EPERM;
	if (report_processor(task, 0, (uint32_t)RSEQ_CPU_ID_UNINITIALIZED))
		return -EFAULT;
	task->rseq = 0;
	return 0;
}

/* True if the descriptor is valid, with the signature before the abort address. */
static bool makes_sense(const struct task *task, const struct rseq_cs *sequence)
{
	uint64_t end = sequence->start_ip + sequence->post_commit_offset;
	uint32_t signature;

	if (sequence->version || sequence->flags || sequence->start_ip >= USER_END ||
	    end >= USER_END || end < sequence->start_ip || sequence->abort_ip >= USER_END ||
	    sequence->abort_ip - sequence->start_ip < sequence->post_commit_offset)
		return false;
	return !copy_from_user(&signature, sequence->abort_ip - sizeof(signature),
			       sizeof(signature)) &&
	       signature == task->rseq_signature;
}

/* Aborts the sequence that contains the frame's rip, if there is one. */
static bool end_sequence(const struct task *task, struct frame *frame)
{
	const uint64_t none = 0;
	struct rseq_cs sequence;
	struct rseq area;

	if (copy_from_user(&area, task->rseq, AREA_BYTES))
		return false;
	if (!area.rseq_cs)
		return true;
	if (area.rseq_cs >= USER_END || copy_from_user(&sequence, area.rseq_cs, sizeof(sequence)) ||
	    !makes_sense(task, &sequence))
		return false;
	if (frame->rip - sequence.start_ip < sequence.post_commit_offset) {
		if (area.flags)
			return false;
		frame->rip = sequence.abort_ip;
	}
	return !copy_to_user(task->rseq + offsetof(struct rseq, rseq_cs), &none, sizeof(none));
}

bool rseq_signal(struct frame *frame)
{
	return end_sequence(current_task(), frame);
}

bool rseq_return(struct frame *frame)
{
	struct task *task = current_task();
	uint32_t cpu = this_cpu_read(id);

	if (task->rseq_switches == switches(task))
		return true;
	task->rseq_switches = switches(task);
	return end_sequence(task, frame) && !report_processor(task, cpu, cpu);
}

void rseq_force(struct task *task)
{
	task->rseq_switches = UINT64_MAX;
}
