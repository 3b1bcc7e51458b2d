/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace: what the registers refuse, tables that point anywhere, the interrupt of a full
 * region, and the packets of a loop whose branches are known. Source: SDM vol. 3, "Intel Processor
 * Trace". */
#include "abi/pt_state.h"
#include "tests/bare/machine/guest.h"

#define RTIT_BASE     0x560
#define RTIT_MASK     0x561
#define RTIT_CTL      0x570
#define RTIT_STATUS   0x571
#define RTIT_CR3      0x572
#define RTIT_ADDR0    0x580
#define GLOBAL_STATUS 0x38e
#define GLOBAL_RESET  0x390
#define STATUS_TOPA   (1ull << 55)
#define LEAF_FEATURES 7
#define USER          (PT_CTL_TRACE | PT_CTL_USR | PT_CTL_TOPA | PT_CTL_BRANCH | PT_CTL_NO_RETC)
#define REGION        4096

static uint64_t table[512] __attribute__((aligned(4096)));
static uint8_t output[2 * REGION] __attribute__((aligned(4096)));
static unsigned interrupts;

static void refused(uint32_t msr, uint64_t value, const char *name)
{
	is(try_wrmsr(msr, value), GP_FAULT, name);
}

static void registers(void)
{
	refused(RTIT_CTL, 1ull << 6, "RTIT_CTL: FabricEn is reserved");
	refused(RTIT_CTL, 1ull << 18, "RTIT_CTL: bit 18 is reserved");
	refused(RTIT_CTL, 15ull << PT_CTL_PSB_FREQ,
		"RTIT_CTL: a PSB frequency that CPUID does not list");
	refused(RTIT_CTL, 3ull << PT_CTL_RANGE_CFG(0), "RTIT_CTL: ADDR0_CFG above 2");
	refused(RTIT_CTL, 1ull << PT_CTL_RANGE_CFG(2), "RTIT_CTL: a third range");
	refused(RTIT_STATUS, 1ull << 6, "RTIT_STATUS: bit 6 is reserved");
	refused(RTIT_BASE, 1, "RTIT_OUTPUT_BASE: bit 0 is reserved");
	refused(RTIT_BASE, 1ull << 52, "RTIT_OUTPUT_BASE: above the physical address");
	refused(RTIT_CR3, 1, "RTIT_CR3_MATCH: bit 0 is reserved");
	refused(RTIT_ADDR0, 1ull << 62, "RTIT_ADDR0_A: not canonical");
	is(try_wrmsr(RTIT_CTL, PT_CTL_TRACE), 0, "TraceEn may be set alone");
	refused(RTIT_MASK, 0x7f, "RTIT_OUTPUT_MASK while TraceEn is set");
	refused(RTIT_CTL, PT_CTL_TRACE | PT_CTL_USR,
		"RTIT_CTL: another bit while TraceEn stays set");
	is(try_wrmsr(RTIT_CTL, PT_CTL_USR), 0, "RTIT_CTL: another bit as TraceEn is cleared");
}

/* Traces `rounds` rounds of branchy() in ring 3 from an offset in the table's first region on.
 * Returns RTIT_STATUS. */
static uint64_t trace(uint64_t control, uint64_t offset, uint64_t rounds)
{
	wrmsr(RTIT_CTL, 0);
	wrmsr(RTIT_STATUS, 0);
	wrmsr(RTIT_BASE, (uint64_t)table);
	wrmsr(RTIT_MASK, 0x7f | offset << PT_MASK_OFFSET);
	wrmsr(RTIT_CTL, control);
	in_user(branchy, rounds);
	wrmsr(RTIT_CTL, 0);
	return rdmsr(RTIT_STATUS);
}

static uint64_t written(void)
{
	return rdmsr(RTIT_MASK) >> PT_MASK_OFFSET;
}

static void wrong_tables(void)
{
	static const struct {
		uint64_t entry;
		const char *name;
	} rows[] = {
	    {0xfee00000, "a region at the APIC is an operational error"},
	    {1ull << 39, "a region where no memory is is an operational error"},
	    {2, "a reserved bit is an operational error"},
	    {0x1000 | 1 << PT_TOPA_SIZE, "a region that is not aligned is an operational error"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table[0] = rows[i].entry;
		is(trace(USER, 0, 10) & PT_STATUS_HALTED, PT_STATUS_ERROR, rows[i].name);
	}
}

static void count_interrupt(struct trap_frame *frame)
{
	(void)frame;
	interrupts += (rdmsr(GLOBAL_STATUS) & STATUS_TOPA) != 0;
	wrmsr(GLOBAL_RESET, STATUS_TOPA);
}

/* 1,000 branches are more packets than the 64 bytes that are left of the region. */
static void full_region(void)
{
	interrupts = 0;
	on_nmi(count_interrupt);
	pmi_by_nmi();
	table[0] = (uint64_t)output | PT_TOPA_INT | PT_TOPA_STOP;
	output[REGION] = 0x5a;
	is(trace(USER, REGION - 64, 500) & PT_STATUS_HALTED, PT_STATUS_STOPPED,
	   "STOP ends the trace at the end of its region");
	is(written(), REGION, "the offset is the region's size");
	is(output[REGION], 0x5a, "nothing is written after it");
	is(interrupts, 1, "INT interrupts once, with the bit of the global status");
}

/* Bytes of the address in a packet of that first byte. */
static unsigned address_bytes(uint8_t first)
{
	static const uint8_t bytes[] = {0, 2, 4, 6, 6, 0, 8, 0};

	return bytes[first >> 5];
}

struct outcomes {
	uint64_t nr, taken; /* taken: how many */
	bool alternate;     /* not taken, taken, not taken ... up to the last */
};

static void add_outcomes(struct outcomes *found, uint64_t bits, unsigned nr, uint64_t all)
{
	while (nr--) {
		bool taken = bits >> nr & 1;

		found->alternate &= taken == (found->nr % 2 == 1) || found->nr + 1 == all;
		found->taken += taken;
		found->nr++;
	}
}

static unsigned highest_bit(uint64_t value)
{
	return 63 - (unsigned)__builtin_clzll(value);
}

static uint64_t word_at(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* Reads the outcomes in the trace, of which there should be `all`. */
static struct outcomes read_outcomes(uint64_t bytes, uint64_t all)
{
	struct outcomes found = {.alternate = true};

	for (uint64_t at = 0; at < bytes;) {
		uint8_t first = output[at];

		if (first == 2 && output[at + 1] == 0xa3) { /* TNT of up to 47 outcomes */
			uint64_t word = word_at(&output[at + 2], 6);

			add_outcomes(&found, word, highest_bit(word), all);
			at += 8;
		} else if (first == 2) { /* PSB, PSBEND; CBR is longer */
			at += output[at + 1] == 3 ? 4 : 2;
		} else if (first == 0x99) { /* MODE */
			at += 2;
		} else if (!(first & 1)) { /* TNT of up to 6 */
			add_outcomes(&found, first >> 1, highest_bit(first >> 1), all);
			at++;
		} else { /* TIP, TIP.PGE, TIP.PGD, FUP */
			at += 1 + address_bytes(first);
		}
	}
	return found;
}

/* Each round of branchy() has a branch that is not taken and one that is, but in the last round. */
static void known_branches(void)
{
	enum { ROUNDS = 500 };
	struct outcomes found;

	table[0] = (uint64_t)output;
	is(trace(USER, 0, ROUNDS) & PT_STATUS_HALTED, 0, "a trace into one region");
	found = read_outcomes(written(), 2 * ROUNDS);
	is(found.nr, 2 * ROUNDS, "each conditional branch has its outcome");
	is(found.taken, ROUNDS - 1, "all but one of the second ones are taken");
	ok(found.alternate, "the outcomes of the second branch alternate");
	trace(USER & ~PT_CTL_USR, 0, ROUNDS);
	is(read_outcomes(written(), 0).nr, 0, "ring 3 is silent without the bit User");
}

void test_trace(void)
{
	uint32_t eax = LEAF_FEATURES, ebx, ecx = 0, edx;
	uint64_t value;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	if (machine.version < 4 || !(ebx & 1u << 25)) {
		is(try_rdmsr(RTIT_CTL, &value), GP_FAULT, "no Processor Trace: no RTIT_CTL");
		return;
	}
	registers();
	wrong_tables();
	full_region();
	known_branches();
	pmu_reset();
}
