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
#define LEAF_TRACE    0x14
#define TRACE_PTWRITE (1u << 4) /* in EBX */
#define REGION        4096

static uint64_t table[512] __attribute__((aligned(4096)));
static uint8_t output[2 * REGION] __attribute__((aligned(4096)));
static unsigned interrupts;

/* Fields of RTIT_CTL whose encodings CPUID lists: below. */
#define CTL_FIELDS                                                                          \
	(15ull << PT_CTL_MTC_FREQ | 15ull << PT_CTL_CYC_THRESH | 15ull << PT_CTL_PSB_FREQ | \
	 15ull << PT_CTL_RANGE_CFG(0) | 15ull << PT_CTL_RANGE_CFG(1))
#define BITS(low, high) ((~0ull >> (63 - (high) + (low))) << (low))

static uint64_t subleaf1(unsigned reg)
{
	uint32_t regs[4];

	cpuid_words(LEAF_TRACE, 1, regs);
	return regs[reg];
}

bool has_ptwrite(void)
{
	uint32_t last[4], regs[4] = {0};

	cpuid_words(0, 0, last);
	if (!machine.amd && last[0] >= LEAF_TRACE)
		cpuid_words(LEAF_TRACE, 0, regs);
	return regs[1] & TRACE_PTWRITE;
}

static const struct {
	uint32_t msr;
	uint64_t bits;
	const char *name;
} others[] = {
    {RTIT_BASE, BITS(7, PT_ADDRESS_BITS - 1), "RTIT_OUTPUT_BASE: 128-byte aligned, physical"},
    {RTIT_MASK, ~0ull, "RTIT_OUTPUT_MASK: bits 0 to 6 are ignored"},
    {RTIT_STATUS, BITS(0, 2) | BITS(4, 5) | BITS(32, 48), "RTIT_STATUS: bits"},
    {RTIT_CR3, BITS(5, 63), "RTIT_CR3_MATCH: 32-byte aligned"},
    {RTIT_ADDR0, BITS(0, 46), "RTIT_ADDR0_A: canonical"},
    {RTIT_ADDR0 + 1, BITS(0, 46), "RTIT_ADDR0_B: canonical"},
    {RTIT_ADDR0 + 2, BITS(0, 46), "RTIT_ADDR1_A: canonical"},
    {RTIT_ADDR0 + 3, BITS(0, 46), "RTIT_ADDR1_B: canonical"},
    {RTIT_ADDR0 + 4, 0, "RTIT_ADDR2_A: a third range is not there"},
    {RTIT_STATUS + 2, 0, "no register after RTIT_CR3_MATCH"},
};
#define OTHERS  (sizeof(others) / sizeof(others[0]))
#define PRESENT 8 /* of them */

/* Encodings of a field of RTIT_CTL that it takes, as bits. */
static uint64_t encodings(unsigned shift, uint64_t with)
{
	uint64_t taken = 0;

	for (uint64_t i = 0; i < 16; i++)
		taken |= (uint64_t)!try_wrmsr(RTIT_CTL, with | i << shift) << i;
	wrmsr(RTIT_CTL, 0);
	return taken;
}

static uint64_t single_bits(void)
{
	uint64_t taken = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (!(CTL_FIELDS >> bit & 1) && bit != 9 && !try_wrmsr(RTIT_CTL, 1ull << bit)) {
			taken |= 1ull << bit;
			wrmsr(RTIT_CTL, 0);
		}
	return taken;
}

static void control_bits(void)
{
	is(single_bits(),
	   BITS(0, 3) | BITS(7, 8) | BITS(10, 11) | BITS(13, 13) |
	       (has_ptwrite() ? PT_CTL_PTW | PT_CTL_FUP_ON_PTW : 0),
	   "RTIT_CTL: bits that are there, MTCEn and fields apart");
	is(encodings(PT_CTL_MTC_FREQ, PT_CTL_MTC), subleaf1(0) >> 16, "MTCFreq: as CPUID lists");
	is(encodings(PT_CTL_CYC_THRESH, PT_CTL_CYC), subleaf1(1) & 0xffff,
	   "CYCThresh: as CPUID lists");
	is(encodings(PT_CTL_PSB_FREQ, 0), subleaf1(1) >> 16, "PSBFreq: as CPUID lists");
	is(encodings(PT_CTL_RANGE_CFG(0), 0), 7, "ADDR0_CFG: off, filter, stop");
	is(encodings(PT_CTL_RANGE_CFG(1), 0), 7, "ADDR1_CFG: off, filter, stop");
}

/* While TraceEn is set no register takes a value, not even the one that it has. */
static unsigned taken_while_tracing(void)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < PRESENT; i++)
		taken += !try_wrmsr(others[i].msr, rdmsr(others[i].msr));
	return taken;
}

static void registers(void)
{
	control_bits();
	for (unsigned i = 0; i < OTHERS; i++)
		takes(others[i].msr, others[i].bits, others[i].name);
	is(try_wrmsr(RTIT_ADDR0, ~0ull << 47), 0, "RTIT_ADDR0_A takes the upper half");
	is(try_wrmsr(RTIT_CTL, PT_CTL_TRACE), 0, "TraceEn may be set alone");
	is(taken_while_tracing(), 0, "nothing else is written while TraceEn is set");
	is(try_wrmsr(RTIT_CTL, PT_CTL_TRACE), 0, "RTIT_CTL: its own value");
	is(try_wrmsr(RTIT_CTL, PT_CTL_TRACE | PT_CTL_USR), GP_FAULT,
	   "RTIT_CTL: another bit while TraceEn stays set");
	is(try_wrmsr(RTIT_CTL, PT_CTL_USR), 0, "RTIT_CTL: another bit as TraceEn is cleared");
	wrmsr(RTIT_ADDR0, 0);
}

/* Traces `rounds` rounds of code in ring 3 from an offset in the table's first region on. Returns
 * RTIT_STATUS. */
static uint64_t trace_code(uint64_t (*code)(uint64_t), uint64_t control, uint64_t offset,
			   uint64_t rounds)
{
	wrmsr(RTIT_CTL, 0);
	wrmsr(RTIT_STATUS, 0);
	wrmsr(RTIT_BASE, (uint64_t)table);
	wrmsr(RTIT_MASK, 0x7f | offset << PT_MASK_OFFSET);
	wrmsr(RTIT_CTL, control);
	in_user(code, rounds);
	wrmsr(RTIT_CTL, 0);
	return rdmsr(RTIT_STATUS);
}

static uint64_t trace(uint64_t control, uint64_t offset, uint64_t rounds)
{
	return trace_code(branchy, control, offset, rounds);
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

static uint64_t run_ptwrites(uint64_t n)
{
	return in_user(ptwrites, n);
}

/* Finds the `nr`-th PTW packet of a second byte. Returns its value, or all ones. */
static uint64_t ptw_value(uint8_t second, unsigned bytes, unsigned nr)
{
	for (uint64_t at = 0; at < written(); at++)
		if (output[at] == 2 && output[at + 1] == second && !nr--)
			return word_at(&output[at + 2], bytes);
	return ~0ull;
}

static void values(void)
{
	enum { ROUNDS = 20 };

	pmu_reset();
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(general_control(0), run_ptwrites, ROUNDS);
	is(general_read(0), 3 * ROUNDS + 2 + IN_USER_EXTRA,
	   "PTWRITE retires, whether it is traced");
	table[0] = (uint64_t)output;
	trace_code(ptwrites, USER | PT_CTL_PTW, 0, ROUNDS);
	is(ptw_value(0x32, 8, 0), ROUNDS, "PTWRITE of a register: its value");
	is(ptw_value(0x32, 8, ROUNDS - 1), 1, "PTWRITE of a register: the last value");
	is(ptw_value(0x32, 8, ROUNDS), ~0ull, "PTWRITE of a register: each one once");
	is(ptw_value(0x12, 4, 0), 0x89abcdef, "PTWRITE of memory: its value");
	trace_code(ptwrites, USER | PT_CTL_PTW | PT_CTL_FUP_ON_PTW, 0, ROUNDS);
	is(ptw_value(0x92, 4, 0), 0x89abcdef, "FUPonPTW: a packet says so");
	trace_code(ptwrites, USER, 0, ROUNDS);
	is(ptw_value(0x32, 8, 0), ~0ull, "without PTWEn there is none");
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
	if (has_ptwrite())
		values();
	pmu_reset();
}
