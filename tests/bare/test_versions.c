/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences between versions of architectural performance monitoring, and the promises of
 * docs/emulated-pmu.md about events. */
#include "tests/bare/machine/guest.h"

#define EVTSEL          0x186
#define DEBUGCTL        0x1d9
#define FIXED_CTRL      0x38d
#define GLOBAL_STATUS   0x38e
#define GLOBAL_CTRL     0x38f
#define GLOBAL_OVF_CTRL 0x390
#define STATUS_SET      0x391
#define INUSE           0x392
#define LVTPC           0xfee00340ull
#define LVT_NMI         0x400u

#define EVTSEL_ANY            (1u << 21)
#define EVENT_CYCLES          0x003c
#define EVENT_LLC_REF         0x4f2e
#define FREEZE_PERFMON_ON_PMI (1ull << 12)
#define CTR_FRZ               (1ull << 59)
#define SPIN_EXTRA            3 /* counted_spin's own instructions */

static struct {
	unsigned hits;
	uint64_t status, control, first, second;
} pmi;

/* Two reads of the counter show whether it runs. Acknowledging takes a freeze of version 4 off. */
static void on_pmi(struct trap_frame *frame)
{
	(void)frame;
	pmi.hits++;
	pmi.status = rdmsr(GLOBAL_STATUS);
	pmi.control = rdmsr(GLOBAL_CTRL);
	pmi.first = fixed_read(0);
	pmi.second = fixed_read(0);
	wrmsr(GLOBAL_OVF_CTRL, pmi.status);
	cpu_write_device(LVTPC, LVT_NMI);
}

static void start_over(void)
{
	pmu_reset();
	wrmsr(DEBUGCTL, 0);
	pmi.hits = 0;
	on_nmi(on_pmi);
	pmi_by_nmi();
}

static void freeze(void)
{
	start_over();
	wrmsr(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	fixed_start(0, OS, true, minus(50));
	counted_spin(fixed_control(0), 500);
	is(pmi.hits, 1, "freeze on PMI: one PMI");
	is(pmi.first, 0, "freeze on PMI: the counter stays where it wrapped");
	is(pmi.second, 0, "while the handler runs");
	is(pmi.control, machine.version >= 4 ? fixed_control(0) : 0,
	   "up to version 3 GLOBAL_CTRL is cleared");
	is(pmi.status, fixed_control(0) | (machine.version >= 4 ? CTR_FRZ : 0),
	   "freeze on PMI: from version 4 the status has CTR_FRZ");
	if (machine.version >= 4)
		ok(fixed_read(0) >= 1000 + SPIN_EXTRA - 50,
		   "freeze on PMI: acknowledging lets the counter continue");
	else
		is(fixed_read(0), 0, "freeze on PMI: up to version 3 the counter stays disabled");
}

static void no_freeze(void)
{
	start_over();
	fixed_start(0, OS, true, minus(50));
	counted_spin(fixed_control(0), 500);
	ok(pmi.first && pmi.second > pmi.first, "without freeze the counter counts the handler");
	is(pmi.control, fixed_control(0), "without freeze GLOBAL_CTRL stays");
}

static void no_interrupt(void)
{
	start_over();
	fixed_start(0, OS, false, minus(50));
	counted_spin(fixed_control(0), 500);
	is(pmi.hits, 0, "no PMI where none was asked for");
	is(rdmsr(GLOBAL_STATUS), fixed_control(0), "without an interrupt the status bit is set");
	is(fixed_read(0), 1000 + SPIN_EXTRA - 50,
	   "without an interrupt the count continues from 0");
}

static void registers_v4(void)
{
	is(try_wrmsr(STATUS_SET, 0x20), 0, "STATUS_SET");
	is(rdmsr(GLOBAL_STATUS), 0x20, "sets a status bit");
	is(rdmsr(STATUS_SET), 0, "STATUS_SET reads 0");
	wrmsr(GLOBAL_OVF_CTRL, 0x20);
	is(rdmsr(GLOBAL_STATUS), 0, "STATUS_RESET clears a status bit");
	wrmsr(EVTSEL + 2, EVENT_CYCLES);
	is(rdmsr(INUSE), 4, "INUSE shows the selected counter");
	is(try_wrmsr(INUSE, 0), GP_FAULT, "INUSE is read-only");
}

static void registers_v2(void)
{
	uint64_t value;

	is(try_rdmsr(INUSE, &value), GP_FAULT, "before version 4 there is no INUSE");
}

/* AnyThread came with version 3 and went with version 5. */
static void any_thread(void)
{
	int expected = machine.version == 3 || machine.version == 4 ? 0 : GP_FAULT;

	is(try_wrmsr(EVTSEL, EVTSEL_ANY), expected, "AnyThread");
	is(try_wrmsr(FIXED_CTRL, 4), expected, "AnyThread of fixed counters");
}

/* The visor gives the exception as the processor would: error code 0, at the instruction. */
static void fault_frame(void)
{
	is(try_wrmsr(GLOBAL_CTRL, ~0ull), GP_FAULT, "a reserved bit raises #GP");
	is(last_fault.error, 0, "#GP has error code 0");
	is(*(const uint16_t *)last_fault.rip, 0x300f, "#GP is at the WRMSR");
}

/* Cycles are 3/4 of the instructions, LLC references 1/64; reference cycles the nominal ratio. */
static void modelled(void)
{
	const uint64_t n = machine.stepped ? 2000 : 100000, window = 2 * n + SPIN_EXTRA;

	start_over();
	general_start(0, EVENT_CYCLES, OS, false, 0);
	general_start(1, EVENT_LLC_REF, OS, false, 0);
	fixed_start(0, OS, false, 0);
	fixed_start(1, OS, false, 0);
	fixed_start(2, OS, false, 0);
	counted_spin(7ull << 32 | 3, n);
	is(fixed_read(0), window, "five counters open and close together");
	is(general_read(0), window * 3 / 4, "cycles");
	is(general_read(1), window / 64, "last-level cache references");
	is(fixed_read(1), window * 3 / 4, "cycles of the fixed counter");
	is(fixed_read(2), window, "reference cycles");
	counted_spin(general_control(0), n);
	is(fixed_read(0), window, "a counter that is not enabled stays");
	is(general_read(0), 2 * window * 3 / 4, "an enabled counter counts beside one that is not");
}

void test_versions(void)
{
	freeze();
	no_freeze();
	no_interrupt();
	start_over();
	if (machine.version >= 4)
		registers_v4();
	else
		registers_v2();
	any_thread();
	fault_frame();
	modelled();
	pmu_reset();
}
