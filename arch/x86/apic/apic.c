/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC: Intel SDM volume 3, chapter "APIC". */
#include <stddef.h>
#include "abi/apic.h"
#include "abi/boot_info.h"
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"

#define LVT_NMI          0x400u
#define VERSION_EXTENDED 0x80000000u /* AMD's extended space is there */
#define LVT_TSC_DEADLINE 0x40000u
#define SPURIOUS_ENABLE  0x100u
#define ICR_NMI          0x4400u
#define ICR_INIT         0x4500u
#define ICR_STARTUP      0x4600u
#define ICR_FIXED        0x4000u
#define ICR_TO_SELF      0x40000u
#define DIVIDE_BY_1      0xbu
#define XAPIC_BYTES      4096
#define VECTOR_REGISTERS 8 /* of ISR and IRR, 32 bits each */

#define CALIBRATION_NS 100000
#define ROUND_KHZ      1000

/* Access to the registers, by mode. */
struct apic_ops {
	uint32_t (*read)(unsigned reg);
	void (*write)(unsigned reg, uint32_t value);
	void (*self_ipi)(uint8_t vector);
	void (*send)(uint32_t apic_id, uint32_t command);
	uint32_t (*id)(void);
};

/* The two ways to program the timer: `ns` is at least 1. */
struct timer_ops {
	void (*arm)(uint64_t ns);
	void (*cancel)(void);
};

#define NR_KEPT 10

static struct {
	uint32_t values[NR_KEPT]; /* of kept_registers */
	uint8_t pic[2];           /* masks */
} kept;

static volatile uint32_t *registers; /* xAPIC */
static const struct apic_ops *ops;
static const struct timer_ops *timer;
static uint64_t
    timer_scale; /* timer ticks (or TSC ticks, with deadlines) a nanosecond, times 2^32 */

/* xAPIC. */

static uint32_t xapic_read(unsigned reg)
{
	return registers[reg / 4];
}

static void xapic_write(unsigned reg, uint32_t value)
{
	registers[reg / 4] = value;
}

static void xapic_self_ipi(uint8_t vector)
{
	xapic_write(APIC_ICR, ICR_TO_SELF | vector);
}

static void xapic_send(uint32_t apic_id, uint32_t command)
{
	xapic_write(APIC_ICR_HIGH, apic_id << 24);
	xapic_write(APIC_ICR, command);
}

static uint32_t xapic_id(void)
{
	return xapic_read(APIC_ID) >> 24;
}

static const struct apic_ops xapic_ops = {
    .read = xapic_read,
    .write = xapic_write,
    .self_ipi = xapic_self_ipi,
    .send = xapic_send,
    .id = xapic_id,
};

/* x2APIC. */

static uint32_t x2apic_read(unsigned reg)
{
	return (uint32_t)rdmsr(MSR_X2APIC_FIRST + reg / 16);
}

static void x2apic_write(unsigned reg, uint32_t value)
{
	wrmsr(MSR_X2APIC_FIRST + reg / 16, value);
}

static void x2apic_self_ipi(uint8_t vector)
{
	x2apic_write(APIC_SELF_IPI, vector);
}

static void x2apic_send(uint32_t apic_id, uint32_t command)
{
	mfence(); /* the WRMSR may otherwise overtake the stores that the other is to see */
	wrmsr(MSR_X2APIC_FIRST + APIC_ICR / 16, (uint64_t)apic_id << 32 | command);
}

static uint32_t x2apic_id(void)
{
	return x2apic_read(APIC_ID);
}

static const struct apic_ops x2apic_ops = {
    .read = x2apic_read,
    .write = x2apic_write,
    .self_ipi = x2apic_self_ipi,
    .send = x2apic_send,
    .id = x2apic_id,
};

bool apic_is_x2apic(void)
{
	return ops == &x2apic_ops;
}

uint32_t apic_id(void)
{
	return ops->id();
}

void apic_eoi(void)
{
	ops->write(APIC_EOI, 0);
}

static bool any_of(unsigned first)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < VECTOR_REGISTERS; i++)
		bits |= ops->read(first + i * 0x10);
	return bits != 0;
}

bool apic_is_requested(void)
{
	return any_of(APIC_IRR);
}

void apic_end_all(void)
{
	for (unsigned i = 0; i < 32 * VECTOR_REGISTERS && any_of(APIC_ISR); i++)
		apic_eoi();
}

void apic_self_ipi(uint8_t vector)
{
	ops->self_ipi(vector);
}

void apic_ipi(uint32_t apic_id, uint8_t vector)
{
	ops->send(apic_id, ICR_FIXED | vector);
}

void apic_nmi(uint32_t apic_id)
{
	ops->send(apic_id, ICR_NMI);
}

void apic_init_ipi(uint32_t apic_id)
{
	ops->send(apic_id, ICR_INIT);
}

void apic_startup_ipi(uint32_t apic_id, uint8_t page)
{
	ops->send(apic_id, ICR_STARTUP | page);
}

void apic_pmi_arm(void)
{
	ops->write(APIC_LVT_PMC, LVT_NMI);
}

bool apic_extended_nmi(unsigned entry)
{
	unsigned entries = ops->read(APIC_EXTENDED_FEATURE) >> 16 & 0xff,
		 reg = APIC_EXTENDED_LVT + entry * 0x10;
	uint32_t before;

	if (!(ops->read(APIC_VERSION) & VERSION_EXTENDED) || entry >= entries)
		return false;
	before = ops->read(reg);
	if (!(before & APIC_LVT_MASKED) && before != LVT_NMI)
		return false;
	ops->write(reg, LVT_NMI);
	return true;
}

/* The timer. */

static uint64_t timer_ticks(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * timer_scale >> 32);
}

static void count_arm(uint64_t ns)
{
	uint64_t count = timer_ticks(ns);

	if (count > UINT32_MAX)
		count = UINT32_MAX;
	ops->write(APIC_TIMER_INITIAL, count ? (uint32_t)count : 1);
}

static void count_cancel(void)
{
	ops->write(APIC_TIMER_INITIAL, 0);
}

static const struct timer_ops count_timer = {.arm = count_arm, .cancel = count_cancel};

static void deadline_arm(uint64_t ns)
{
	wrmsr(MSR_TSC_DEADLINE, rdtsc() + timer_ticks(ns));
}

static void deadline_cancel(void)
{
	wrmsr(MSR_TSC_DEADLINE, 0);
}

static const struct timer_ops deadline_timer = {.arm = deadline_arm, .cancel = deadline_cancel};

void apic_timer_oneshot(uint64_t ns)
{
	if (ns)
		timer->arm(ns);
	else
		timer->cancel();
}

static const uint16_t own_interrupts[APIC_OWN_INTERRUPTS] = {
    APIC_LVT_TIMER, APIC_LVT_THERMAL, APIC_LVT_PMC, APIC_LVT_LINT0, APIC_LVT_LINT1, APIC_LVT_ERROR};

void apic_quiet(struct apic_quiet *saved)
{
	for (unsigned i = 0; i < APIC_OWN_INTERRUPTS; i++) {
		saved->entries[i] = ops->read(own_interrupts[i]);
		ops->write(own_interrupts[i], saved->entries[i] | APIC_LVT_MASKED);
	}
}

void apic_unquiet(const struct apic_quiet *saved)
{
	for (unsigned i = 0; i < APIC_OWN_INTERRUPTS; i++)
		ops->write(own_interrupts[i], saved->entries[i]);
}

static uint32_t read_timer(void)
{
	return ops->read(APIC_TIMER_CURRENT);
}

/* Counts the timer's ticks during a number of TSC ticks; returns its kHz, rounded to whole MHz. */
static uint64_t timer_measure(void)
{
	uint64_t window = tsc_clock.khz * CALIBRATION_NS / 1000000, khz, rounded, distance;
	struct tsc_edge start, end;

	ops->write(APIC_TIMER_INITIAL, UINT32_MAX);
	if (!tsc_find_edge(read_timer, &start))
		return tsc_clock.khz;
	do {
		tsc_find_edge(read_timer, &end);
	} while (end.tsc - start.tsc < window);
	ops->write(APIC_TIMER_INITIAL, 0);
	khz = (start.value - end.value) * tsc_clock.khz / (end.tsc - start.tsc);
	rounded = (khz + ROUND_KHZ / 2) / ROUND_KHZ * ROUND_KHZ;
	distance = rounded > khz ? rounded - khz : khz - rounded;
	return distance * 200 <= khz ? rounded : khz;
}

/* A hypervisor whose timer reads are slow reports the frequency. */
static uint64_t timer_khz(void)
{
	uint64_t announced =
	    cpuid_hypervisor_leaf(HYPERVISOR_CLOCK_LEAF) ? cpuid_read(CPUID_HV_APIC_KHZ) : 0;

	return announced ? announced : timer_measure();
}

/* Sets the timer's (or, with deadlines, the TSC's) frequency. */
static void set_scale(uint64_t khz)
{
	timer_scale = (khz << 32) / 1000000;
}

/* Initialises this processor's timer, of the chosen kind. */
static void timer_init_lvt(void)
{
	if (timer == &deadline_timer) {
		ops->write(APIC_LVT_TIMER, LVT_TSC_DEADLINE | VECTOR_TIMER);
		mfence(); /* WRMSR of a deadline may otherwise overtake the store of an xAPIC */
		return;
	}
	ops->write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	ops->write(APIC_LVT_TIMER, VECTOR_TIMER);
}

static void timer_choose(void)
{
	timer = cpuid_has(CPUID_TSC_DEADLINE) ? &deadline_timer : &count_timer;
	if (timer == &count_timer) {
		ops->write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
		ops->write(APIC_LVT_TIMER, APIC_LVT_MASKED | VECTOR_TIMER);
	}
	set_scale(timer == &count_timer ? timer_khz() : tsc_clock.khz);
}

/* Start. */

enum { PIC_MASK = 0x21, PIC2_MASK = 0xa1, PIC_ALL = 0xff };

/* The legacy controllers stay masked, with vectors clear of the exceptions (8259A data sheet). The
 * firmware's setting cannot be read back, so it is not restored. */
static void pic_mask(void)
{
	static const struct {
		uint16_t port;
		uint8_t value;
	} sequence[] = {
	    {0x20, 0x11}, {0xa0, 0x11}, /* initialise, four words */
	    {0x21, 0x20}, {0xa1, 0x28}, /* vectors */
	    {0x21, 0x04}, {0xa1, 0x02}, /* cascade */
	    {0x21, 0x01}, {0xa1, 0x01}, /* 8086 mode */
	    {0x21, 0xff}, {0xa1, 0xff}, /* all masked */
	};

	if (boot_info.back_root) {
		kept.pic[0] = inb(PIC_MASK);
		kept.pic[1] = inb(PIC2_MASK);
		outb(PIC_MASK, PIC_ALL);
		outb(PIC2_MASK, PIC_ALL);
		return;
	}
	for (unsigned i = 0; i < sizeof(sequence) / sizeof(sequence[0]); i++)
		outb(sequence[i].port, sequence[i].value);
}

/* Firmware that stays keeps its mode: leaving x2APIC would lose all registers. */
static bool wants_x2apic(uint64_t base)
{
	return cpuid_has(CPUID_X2APIC) && (!boot_info.back_root || base & APIC_BASE_X2APIC);
}

/* Registers that are restored for the firmware, in the order of writing: the count starts the
 * timer. */
static const uint16_t kept_registers[] = {
    APIC_TPR,       APIC_SVR,       APIC_LVT_THERMAL,  APIC_LVT_PMC,   APIC_LVT_LINT0,
    APIC_LVT_LINT1, APIC_LVT_ERROR, APIC_TIMER_DIVIDE, APIC_LVT_TIMER, APIC_TIMER_INITIAL};

_Static_assert(sizeof(kept_registers) / sizeof(kept_registers[0]) == NR_KEPT, "kept.values");

static void select_mode(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);

	if (wants_x2apic(base)) {
		wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE);
		wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE | APIC_BASE_X2APIC);
		ops = &x2apic_ops;
		return;
	}
	wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE);
	if (!registers)
		registers =
		    paging_map_device(base & APIC_BASE_ADDRESS, XAPIC_BYTES, PAGING_UNCACHED);
	ops = &xapic_ops;
}

/* Masks everything except the machine's own NMIs. */
static void set_up(void)
{
	static const uint16_t masked[] = {APIC_LVT_TIMER, APIC_LVT_THERMAL, APIC_LVT_PMC,
					  APIC_LVT_LINT0, APIC_LVT_ERROR};

	select_mode();
	if (boot_info.back_root && !this_cpu_read(id))
		for (unsigned i = 0; i < NR_KEPT; i++)
			kept.values[i] = ops->read(kept_registers[i]);
	ops->write(APIC_SVR, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
	for (unsigned i = 0; i < sizeof(masked) / sizeof(masked[0]); i++)
		ops->write(masked[i], APIC_LVT_MASKED);
	ops->write(APIC_LVT_LINT1, LVT_NMI);
	ops->write(APIC_TPR, 0);
	apic_end_all(); /* interrupts that the firmware left in service would block ours */
	ops->write(APIC_ESR, 0);
	this_cpu()->apic_id = ops->id();
}

void apic_init(void)
{
	pic_mask();
	set_up();
	timer_choose();
	timer_init_lvt();
}

void apic_init_processor(void)
{
	set_up();
	timer_init_lvt();
}

void apic_restore(void)
{
	if (timer == &deadline_timer)
		deadline_cancel();
	for (unsigned i = 0; i < NR_KEPT; i++)
		ops->write(kept_registers[i], kept.values[i]);
	outb(PIC_MASK, kept.pic[0]);
	outb(PIC2_MASK, kept.pic[1]);
}
