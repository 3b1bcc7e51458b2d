/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the machine: prints the reason, the registers and a symbolised backtrace, notifies the
 * host, and stops. */
#include <stdarg.h>
#include "abi/debug_exit.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/base/log.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/host/host.h"
#include "kernel/host/panic.h"
#include "kernel/mem/stack.h"

#define MESSAGE_SIZE    256
#define BACKTRACE_DEPTH 24

/* A function's saved frame pointer and return address, as -fno-omit-frame-pointer leaves them. */
struct stack_frame {
	uint64_t next, return_address;
};

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
	char buffer[MESSAGE_SIZE];
	struct text text;
	va_list arguments;

	text_init(&text, buffer, sizeof(buffer));
	va_start(arguments, format);
	text_vprint(&text, format, arguments);
	va_end(arguments);
	log_text(buffer, text.length < sizeof(buffer) ? text.length : sizeof(buffer) - 1);
}

static void print_address(uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(address, &offset);

	if (name)
		print("  %016lx %s+0x%lx\n", address, name, offset);
	else
		print("  %016lx\n", address);
}

static void print_registers(const struct frame *f)
{
	const struct cpu *cpu = this_cpu();

	print("rip %016lx cs %02lx flags %08lx vector %lu error %lx\n", f->rip, f->cs, f->rflags,
	      f->vector, f->error);
	print("rax %016lx rbx %016lx rcx %016lx rdx %016lx\n", f->rax, f->rbx, f->rcx, f->rdx);
	print("rsi %016lx rdi %016lx rbp %016lx rsp %016lx\n", f->rsi, f->rdi, f->rbp, f->rsp);
	print("r8  %016lx r9  %016lx r10 %016lx r11 %016lx\n", f->r8, f->r9, f->r10, f->r11);
	print("r12 %016lx r13 %016lx r14 %016lx r15 %016lx\n", f->r12, f->r13, f->r14, f->r15);
	print("processor %u: %lu interrupts, %lu NMIs, %lu of them unclaimed\n", cpu->id,
	      percpu_interrupts(cpu), cpu->nmis, cpu->nmis_unclaimed);
	print("cr2 %016lx cr3 %016lx cr4 %08lx\n", read_cr2(), read_cr3(), read_cr4());
}

/* True if both words of a frame are readable: on a mapped page of a stack, or in the image. */
static bool readable(uint64_t frame)
{
	if (frame % 8 || frame % 4096 > 4096 - sizeof(struct stack_frame))
		return false;
	return frame >= KERNEL_BASE ||
	       (frame >= STACK_REGION && frame < DEVICE_MAP && paging_kernel_page(frame, NULL));
}

static void print_backtrace(uint64_t rip, uint64_t rbp)
{
	print("backtrace:\n");
	print_address(rip);
	for (unsigned depth = 0; depth < BACKTRACE_DEPTH && readable(rbp); depth++) {
		const struct stack_frame *frame = (const struct stack_frame *)rbp;

		print_address(frame->return_address);
		if (frame->next <= rbp)
			break;
		rbp = frame->next;
	}
}

__attribute__((noreturn)) static void stop_machine(const char *why)
{
	host_panic(why);
	if (cmdline_is("exit", "debug"))
		outl(DEBUG_EXIT_PORT, DEBUG_EXIT_PANIC);
	for (;;) {
		irq_disable();
		halt();
	}
}

/* A panic inside a panic, or on a second processor, only stops. */
static void enter_panic(void)
{
	static bool entered;

	irq_disable();
	if (__atomic_exchange_n(&entered, true, __ATOMIC_ACQ_REL))
		for (;;)
			halt();
	remote_stop_others();
}

void panic(const char *format, ...)
{
	char why[MESSAGE_SIZE];
	struct text text;
	va_list arguments;

	enter_panic();
	text_init(&text, why, sizeof(why));
	va_start(arguments, format);
	text_vprint(&text, format, arguments);
	va_end(arguments);
	print("\npanic: %s\n", why);
	print_backtrace((uint64_t)__builtin_return_address(0),
			*(const uint64_t *)__builtin_frame_address(0));
	stop_machine(why);
}

/* trap_hooks.fatal: an exception that the kernel cannot survive, or (frame NULL) a failure below
 * it. */
static void fatal(struct frame *frame, const char *why)
{
	char text_buffer[MESSAGE_SIZE];
	struct text text;

	if (!frame)
		panic("%s", why);
	enter_panic();
	if (frame->vector == EXCEPTION_DF && stack_is_guard(read_cr2()))
		why = "kernel stack overflow";
	text_init(&text, text_buffer, sizeof(text_buffer));
	text_print(&text, "%s in %s at %lx", why, frame_is_user(frame) ? "ring 3" : "the kernel",
		   frame->rip);
	print("\npanic: %s\n", text_buffer);
	print_registers(frame);
	print_backtrace(frame->rip, frame->rbp);
	stop_machine(text_buffer);
}

void panic_init(void)
{
	trap_hooks.fatal = fatal;
}
