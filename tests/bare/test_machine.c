/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine around the PMU: clocks that agree, high memory, a disabled APIC, SYSENTER. */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define MSR_TSC          0x10
#define MSR_APIC_BASE    0x1b
#define MSR_TSC_ADJUST   0x3b
#define MSR_SYSENTER_CS  0x174
#define MSR_SYSENTER_EIP 0x176
#define MSR_MISC_ENABLE  0x1a0
#define MSR_EFER         0xc0000080
#define EFER_NXE         (1ull << 11)
#define LIMIT_CPUID      (1ull << 22)
#define NO_XD            (1ull << 34)
#define BASE_ENABLE      (1ull << 11)

#define UD_FAULT  6
#define KERNEL_CS 8

#define TIMER_PORT 0x608 /* of QEMU's q35 */
#define TIMER_HZ   3579545ull
#define TIMER_MASK 0xffffff
#define EXITS      4000

#define APIC(reg) (0xfee00000ull + (reg))
#define APIC_TPR  APIC(0x080)
#define NOBODY    0xffffffff

/* An address that firmware gives to a device: 896 GiB and something. */
#define HIGH_ROOT   1
#define HIGH_GIANT  384
#define HIGH_DEVICE (((uint64_t)HIGH_ROOT << 39) + ((uint64_t)HIGH_GIANT << 30) + 0x5008)
#define PAGE_RWU    7ull
#define PAGE_LARGE  0x80ull

static uint32_t timer(void)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"((uint16_t)TIMER_PORT));
	return value;
}

/* Both clocks advance at one rate, whatever the visor does in between. */
static void clocks(void)
{
	uint32_t regs[4], ticks;
	uint64_t tsc = rdtsc(), wanted;

	ticks = timer();
	for (unsigned i = 0; i < EXITS; i++)
		cpuid_words(0, 0, regs);
	ticks = (timer() - ticks) & TIMER_MASK;
	tsc = rdtsc() - tsc;
	wanted = tsc * TIMER_HZ / 1000000000;
	ok(ticks + 1 >= wanted && ticks <= wanted + 1,
	   "the power management timer goes as the TSC does: %u, %lu", ticks, wanted);
}

static void halves(void)
{
	uint32_t whole = timer();
	uint16_t upper;

	__asm__ volatile("inw %1, %0" : "=a"(upper) : "Nd"((uint16_t)(TIMER_PORT + 2)));
	ok(upper == whole >> 16 || upper == (whole >> 16) + 1, "the timer can be read in parts");
}

static void adjust(void)
{
	uint64_t adjusted = rdmsr(MSR_TSC_ADJUST), before = rdtsc(), moved;
	uint32_t tick = 1u << machine.shift, ticks = timer(), passed;
	int fault = try_wrmsr(MSR_TSC_ADJUST, adjusted + (1ull << 50));

	moved = rdtsc() - before; /* before anything is printed, which takes time */
	passed = (timer() - ticks) & TIMER_MASK;
	is(fault, 0, "IA32_TSC_ADJUST can be written");
	ok(moved - (1ull << 50) < 1000 * tick, "IA32_TSC_ADJUST moves the TSC");
	ok(passed < 1000, "IA32_TSC_ADJUST does not move the timer");
	wrmsr(MSR_TSC, rdtsc() - (1ull << 50));
	ok(adjusted - rdmsr(MSR_TSC_ADJUST) < 1000 * tick, "a write to the TSC is one to it");
}

static void promises(void)
{
	uint32_t regs[4], brand[12];

	cpuid_words(7, 0, regs);
	is(regs[1] >> 1 & 1, 1, "leaf 7: IA32_TSC_ADJUST");
	cpuid_words(0x80000007, 0, regs);
	is(regs[3] >> 8 & 1, 1, "leaf 80000007H: the TSC is invariant");
	for (unsigned i = 0; i < 3; i++)
		cpuid_words(0x80000002 + i, 0, brand + 4 * i);
	ok(!memcmp(brand, "barepmu ", 8), "the brand string says whose");
	cpuid_words(0x80000008, 0, regs);
	ok((regs[0] & 0xff) <= 40, "leaf 80000008H: no more address bits than the visor maps");
}

/* No device answers, but the machine itself says so. */
static void high_memory(void)
{
	static uint64_t giants[512] __attribute__((aligned(4096)));
	uint64_t *root, cr3;

	cr3 = read_cr3();
	root = (uint64_t *)(cr3 & ~0xfffull);
	giants[HIGH_GIANT] = (HIGH_DEVICE & ~0x3fffffffull) | PAGE_RWU | PAGE_LARGE;
	root[HIGH_ROOT] = (uint64_t)giants | PAGE_RWU;
	write_cr3(cr3);
	cpu_write_device(HIGH_DEVICE, 1);
	ok(cpu_read_device(HIGH_DEVICE) != 1, "a device may lie at 896 GiB");
	root[HIGH_ROOT] = 0;
	write_cr3(cr3);
}

static void disabled_apic(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);

	cpu_write_device(APIC_TPR, 0x20);
	is(cpu_read_device(APIC_TPR), 0x20, "the APIC's page takes writes");
	wrmsr(MSR_APIC_BASE, base & ~BASE_ENABLE);
	is(cpu_read_device(APIC_TPR), NOBODY, "while it is disabled nobody answers");
	cpu_write_device(APIC_TPR, 0x30);
	is(cpu_read_device(APIC_TPR), NOBODY, "a disabled APIC takes no writes");
	wrmsr(MSR_APIC_BASE, base);
	is(cpu_read_device(APIC_TPR), 0x20, "afterwards it is as it was");
	cpu_write_device(APIC_TPR, 0);
}

static uint64_t run_sysenters(uint64_t n)
{
	return in_user(user_sysenters, n);
}

/* Intel's have it in long mode; there and back are each an instruction of the ring that it
 * leaves. */
static void fast_calls(void)
{
	wrmsr(MSR_SYSENTER_CS, 0);
	is(try_sysenter(), machine.amd ? UD_FAULT : GP_FAULT, "SYSENTER to nowhere");
	wrmsr(MSR_SYSENTER_CS, KERNEL_CS);
	is(try_sysenter(), machine.amd ? UD_FAULT : 0, "SYSENTER to somewhere");
	if (machine.version < 2)
		return;
	wrmsr(MSR_SYSENTER_EIP, (uint64_t)sysenter_target);
	pmu_reset();
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(general_control(0), run_sysenters, 20);
	is(general_read(0), 5 * 20 + 1 + IN_USER_EXTRA,
	   "20 SYSENTERs and SYSEXITs: the instructions of ring 3");
	pmu_reset();
}

static void misc_enable(void)
{
	uint64_t before = rdmsr(MSR_MISC_ENABLE);
	uint32_t regs[4];

	is(try_wrmsr(MSR_MISC_ENABLE, before | LIMIT_CPUID | NO_XD), 0,
	   "IA32_MISC_ENABLE: bits 22 and 34");
	cpuid_words(0, 0, regs);
	is(regs[0], 2, "bit 22 limits CPUID's leaves");
	cpuid_words(0x80000001, 0, regs);
	is(regs[3] >> 20 & 1, 0, "bit 34 hides NX");
	is(try_wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE), GP_FAULT,
	   "with IA32_MISC_ENABLE's bits EFER.NXE is reserved");
	wrmsr(MSR_MISC_ENABLE, before);
	is(try_wrmsr(MSR_EFER, rdmsr(MSR_EFER)), 0, "without them EFER.NXE is allowed again");
}

void test_machine(void)
{
	promises();
	clocks();
	halves();
	adjust();
	high_memory();
	disabled_apic();
	fast_calls();
	if (!machine.amd)
		misc_enable();
}
