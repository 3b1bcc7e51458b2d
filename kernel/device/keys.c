/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys, power button and time limit that end the program. The first press sends SIGINT to the
 * program, as Ctrl-C on a terminal; the second press, or five seconds, kill it. The button also
 * ends the remaining jobs. */
#include <linux/signal.h>
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/apic/power_button.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/log.h"
#include "kernel/base/number.h"
#include "kernel/base/uart.h"
#include "kernel/device/keys.h"
#include "kernel/device/tty.h"
#include "kernel/host/framebuffer.h"
#include "kernel/host/keep.h"
#include "kernel/host/keyboard.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"

enum { KEYBOARD_INPUT = 1, COM1_INPUT = 4 };

#define CONTROL_C   3
#define PATIENCE_NS 5000000000ull
#define MOST_EMPTY  16 /* interrupts without a press, from any source, before we stop listening */

static bool ending;
static struct timer patience, limit;
static unsigned empty;

static void kill_all(void)
{
	struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (task->process && task == task->process->leader)
			signal_send_process(task, SIGKILL);
}

static void lose_patience(struct timer *timer, struct frame *frame)
{
	(void)timer, (void)frame;
	log_warn("it did not end: killed");
	kill_all();
}

static void end_program(const char *by)
{
	if (ending) {
		log_warn("%s again: the program is killed", by);
		kill_all();
		return;
	}
	ending = true;
	log_warn("%s: the program is asked to end", by);
	tty_signal(SIGINT);
	timer_arm(&patience, clock_ns() + PATIENCE_NS);
}

static void limit_reached(struct timer *timer, struct frame *frame)
{
	(void)timer, (void)frame;
	if (!ending)
		end_program("time limit");
}

/* timeout=SECONDS */
static void set_limit(void)
{
	char text[8];
	const char *at = text;
	uint64_t seconds;

	timer_init(&limit, limit_reached);
	if (cmdline_value("timeout", text, sizeof(text)) && !number_digits(&at, 10, &seconds) &&
	    seconds)
		timer_arm(&limit, clock_ns() + seconds * NS_PER_SEC);
}

static void button_pressed(struct frame *frame)
{
	(void)frame;
	if (!power_button_take()) {
		if (++empty == MOST_EMPTY)
			ioapic_mask(acpi_info.button.sci);
		return;
	}
	keep_stop_after();
	end_program("power button");
}

static void key_pressed(struct frame *frame)
{
	enum key key;
	int byte;

	(void)frame;
	while ((key = keyboard_take())) {
		if (key == KEY_INTERRUPT)
			end_program("Ctrl-C");
		else
			framebuffer_page(key == KEY_PAGE_UP ? -1 : 1);
	}
	while ((byte = uart_take(UART_COM1)) >= 0)
		if (byte == CONTROL_C)
			end_program("Ctrl-C");
}

void keys_init(void)
{
	if (!keep_is_on())
		return;
	timer_init(&patience, lose_patience);
	set_limit();
	irq_register(VECTOR_BUTTON, button_pressed);
	irq_register(VECTOR_KEYS, key_pressed);
	if (power_button_open(VECTOR_BUTTON))
		log_debug("the power button ends the program");
	if (acpi_info.keyboard && keyboard_open())
		ioapic_route(KEYBOARD_INPUT, IOAPIC_EDGE_HIGH, VECTOR_KEYS, apic_id());
	if (ioapic_route(COM1_INPUT, IOAPIC_EDGE_HIGH, VECTOR_KEYS, apic_id()))
		uart_listen(UART_COM1);
}
