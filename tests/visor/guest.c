/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare guest's machine: interrupts, APIC, TAP on COM1, the list of tests. */
#include "tests/visor/guest.h"

#define COM1       0x3f8
#define COM_STATUS 5
#define COM_EMPTY  0x20
#define DEBUG_EXIT 0xf4
#define PIC1_MASK  0x21
#define PIC2_MASK  0xa1

#define APIC_BASE 0xfee00000ul

/* What PVH hands over: Xen's public/arch-x86/hvm/start_info.h. */
struct start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modules, command_line;
};

struct gate {
	uint16_t offset_low, selector;
	uint8_t ist, type;
	uint16_t offset_middle;
	uint32_t offset_high, zero;
};

#define GATE_INTERRUPT      0x8e
#define GATE_INTERRUPT_USER 0xee

volatile int fault_vector;
volatile uint64_t fault_error, fault_rip, fault_resume, attempt_rip;

extern char interrupt_stubs[]; /* 16 bytes each */
extern char user_return[];

static struct gate idt[256];
static handler handlers[256];
static const char *command_line;
static unsigned tests;

static void put(char c)
{
	while (!(inb(COM1 + COM_STATUS) & COM_EMPTY))
		;
	outb(COM1, c);
}

static void put_text(const char *text)
{
	while (*text)
		put(*text++);
}

static void put_number(uint64_t value, unsigned base)
{
	if (value >= base)
		put_number(value / base, base);
	put("0123456789abcdef"[value % base]);
}

static void leave(void)
{
	outb(DEBUG_EXIT, 0);
	for (;;)
		halt();
}

void bail_out(const char *why)
{
	put_text("Bail out! ");
	put_text(why);
	put('\n');
	leave();
	__builtin_unreachable();
}

void ok(bool good, const char *name)
{
	put_text(good ? "ok " : "not ok ");
	put_number(++tests, 10);
	put_text(" - ");
	put_text(name);
	put('\n');
}

void is(uint64_t got, uint64_t want, const char *name)
{
	ok(got == want, name);
	if (got == want)
		return;
	put_text("# got 0x");
	put_number(got, 16);
	put_text(", want 0x");
	put_number(want, 16);
	put('\n');
}

bool option(const char *word)
{
	const char *p = command_line;

	while (*p) {
		const char *w = word;

		while (*w && *p == *w)
			p++, w++;
		if (!*w && (!*p || *p == ' '))
			return true;
		while (*p && *p != ' ')
			p++;
		while (*p == ' ')
			p++;
	}
	return false;
}

uint32_t apic_read(uint32_t offset)
{
	return *(volatile uint32_t *)(APIC_BASE + offset);
}

void apic_write(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(APIC_BASE + offset) = value;
}

handler on_interrupt(unsigned vector, handler new)
{
	handler before = handlers[vector];

	handlers[vector] = new;
	return before;
}

static void unexpected(const struct frame *frame)
{
	put_text("# vector ");
	put_number(frame->vector, 10);
	put_text(" at 0x");
	put_number(frame->rip, 16);
	put_text(" error 0x");
	put_number(frame->error, 16);
	put('\n');
	bail_out("unexpected interrupt");
}

/* start.asm calls it with the frame, which it may change. */
void guest_interrupt(struct frame *frame)
{
	if (handlers[frame->vector]) {
		handlers[frame->vector](frame);
	} else if (fault_resume && frame->vector < 32) {
		fault_vector = frame->vector;
		fault_error = frame->error;
		fault_rip = frame->rip;
		frame->rip = fault_resume;
		fault_resume = 0;
	} else {
		unexpected(frame);
	}
}

/* INT 80H of ring 3: on in run_user()'s caller. */
static void call(struct frame *frame)
{
	frame->rip = (uint64_t)user_return;
	frame->cs = 0x08;
	frame->ss = 0;
}

static void set_up_idt(void)
{
	struct table_register table = {sizeof(idt) - 1, (uint64_t)idt};

	for (unsigned vector = 0; vector < 256; vector++) {
		uint64_t stub = (uint64_t)interrupt_stubs + 16 * vector;

		idt[vector] = (struct gate){
		    .offset_low = (uint16_t)stub,
		    .selector = 0x08,
		    .ist = vector == VECTOR_NMI,
		    .type = vector == VECTOR_CALL ? GATE_INTERRUPT_USER : GATE_INTERRUPT,
		    .offset_middle = (uint16_t)(stub >> 16),
		    .offset_high = (uint32_t)(stub >> 32),
		};
	}
	lidt(&table);
	outb(PIC1_MASK, 0xff);
	outb(PIC2_MASK, 0xff);
	on_interrupt(VECTOR_CALL, call);
}

void guest_main(const struct start_info *info)
{
	command_line = (const char *)info->command_line;
	set_up_idt();
	apic_write(APIC_SVR, 0x1ff);
	test_identity();
	test_registers();
	if (!option("none")) {
		test_counting();
		test_interrupts();
		test_rings();
	}
	if (option("exact"))
		test_exact();
	put_text("1..");
	put_number(tests, 10);
	put('\n');
	leave();
}
