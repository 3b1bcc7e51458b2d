/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers on real time or on processor time. A processor-time alarm sets its hardware timer to the
 * least remaining time when one of its tasks starts to run, and reads the clock again when that
 * expires. */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/task/alarm.h"
#include "kernel/task/task.h"

#define SHORTEST_USER 20000ull /* ns */

uint64_t alarm_now(const struct alarm *alarm)
{
	struct usage usage;

	if (alarm->clock == ALARM_TIME)
		return clock_ns();
	if (alarm->clock == ALARM_THREAD)
		return task_runtime_ns(alarm->task);
	process_usage(alarm->process, &usage);
	return usage.runtime_ns - (alarm->clock == ALARM_USER ? usage.system_ns : 0);
}

/* Returns the number of tasks that advance its clock now. */
static unsigned running(const struct alarm *alarm)
{
	struct task *task;
	unsigned count = 0;

	if (alarm->clock == ALARM_THREAD)
		return alarm->task->on_cpu;
	list_for_each(task, &alarm->process->threads, thread_link)
		count += task->on_cpu;
	return count;
}

/* Sets the timer of an alarm on processor time for its earliest possible end. */
static void start(struct alarm *alarm)
{
	uint64_t now = alarm_now(alarm), left = 0;
	unsigned tasks = running(alarm);

	if (!tasks)
		return;
	if (alarm->deadline > now)
		left = (alarm->deadline - now) / tasks;
	/* User time does not advance in the kernel: limit how often the timer fires. */
	if (alarm->clock == ALARM_USER && left && left < SHORTEST_USER)
		left = SHORTEST_USER;
	timer_arm(&alarm->timer, clock_ns() + left);
}

static void fire(struct timer *timer, struct frame *frame)
{
	struct alarm *alarm = container_of(timer, struct alarm, timer);

	(void)frame;
	if (alarm->clock != ALARM_TIME && alarm_now(alarm) < alarm->deadline) {
		start(alarm);
		return;
	}
	alarm->armed = false;
	list_remove(&alarm->link);
	alarm->over(alarm);
}

void alarm_init(struct alarm *alarm, enum alarm_clock clock, void (*over)(struct alarm *))
{
	alarm->clock = clock;
	alarm->over = over;
	list_init(&alarm->link);
	timer_init(&alarm->timer, fire);
}

void alarm_arm(struct alarm *alarm)
{
	uint64_t flags = irq_save();

	alarm->armed = true;
	if (alarm->clock == ALARM_TIME) {
		timer_arm(&alarm->timer, alarm->deadline);
	} else {
		if (list_empty(&alarm->link))
			list_add_tail(&alarm->process->alarms, &alarm->link);
		start(alarm);
	}
	irq_restore(flags);
}

void alarm_cancel(struct alarm *alarm)
{
	uint64_t flags = irq_save();

	timer_cancel(&alarm->timer);
	list_remove(&alarm->link);
	alarm->armed = false;
	irq_restore(flags);
}

/* Returns the periods from the last deadline to the first one after now. */
static uint64_t periods(const struct alarm *alarm, uint64_t now)
{
	return now < alarm->deadline ? 0 : (now - alarm->deadline) / alarm->period + 1;
}

uint64_t alarm_forward(struct alarm *alarm)
{
	uint64_t count = periods(alarm, alarm_now(alarm));

	alarm->deadline += count * alarm->period;
	alarm_arm(alarm);
	return count;
}

uint64_t alarm_left(const struct alarm *alarm)
{
	uint64_t now, deadline = alarm->deadline;

	if (!alarm->armed && !alarm->period)
		return 0;
	now = alarm_now(alarm);
	if (!alarm->armed)
		deadline += periods(alarm, now) * alarm->period;
	return deadline > now ? deadline - now : 1;
}

void alarms_switch_in(struct task *task)
{
	struct alarm *alarm;

	list_for_each(alarm, &task->process->alarms, link)
		if (alarm->clock != ALARM_THREAD || alarm->task == task)
			start(alarm);
}
