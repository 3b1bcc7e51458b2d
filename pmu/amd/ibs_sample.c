/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the registers that instruction-based sampling has latched into a sample: the address,
 * and for an op its memory access. PPRs of families 17h and 19h, MSRC001_1034 to 1038. */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/ibs.h"
#include "pmu/amd/ibs_sample.h"
#include "pmu/core/core.h"
#include "pmu/record/precise.h"

/* Indexes of the registers, in their order. */
enum { CONTROL, ADDRESS, OP_DATA, OP_DATA2, OP_DATA3, OP_LINEAR, OP_PHYSICAL };

#define OP_TAG_TO_RETIRE FIELD(31, 16)
#define OP_RIP_INVALID   BIT(38)

#define SOURCE_LOW     FIELD(2, 0) /* of OP_DATA2 */
#define SOURCE_REMOTE  BIT(4)
#define SOURCE_SHARED  BIT(5) /* from a cache, but not modified there */
#define SOURCE_HIGH    FIELD(7, 6)
#define SOURCE_HIGH_BY 3

#define OP_LOAD           BIT(0) /* of OP_DATA3 */
#define OP_STORE          BIT(1)
#define OP_TLB_MISS       BIT(2)
#define OP_WALK           BIT(3)
#define OP_MISS           BIT(7)
#define OP_UNCACHED       BIT(14)
#define OP_LOCKED         BIT(15)
#define OP_FILL           BIT(16)
#define OP_LINEAR_VALID   BIT(17)
#define OP_PHYSICAL_VALID BIT(18)
#define OP_L2_MISS        BIT(20)
#define OP_PREFETCH       BIT(21)
#define OP_LATENCY        FIELD(47, 32)

/* The raw data of a sample; registers[] has one entry more than the largest set. */
struct ibs_data {
	uint32_t pad; /* the registers are words of 64 bits */
	uint32_t caps;
	uint64_t registers[IBS_OP_REGISTERS + 1];
};

static void read_registers(const struct perf_event *event, const struct ibs_registers *from,
			   uint64_t control, struct ibs_data *data, struct raw_data *raw)
{
	unsigned nr = from->nr;

	data->caps = ibs_caps;
	data->registers[CONTROL] = control;
	for (unsigned i = 1; i < nr; i++)
		data->registers[i] = rdmsr(from->control + i);
	if (from->more && (event->attr.sample_type & PERF_SAMPLE_RAW))
		data->registers[nr++] = rdmsr(from->more);
	raw->data = &data->caps;
	raw->bytes = (uint32_t)(sizeof(data->caps) + nr * sizeof(data->registers[0]));
}

/* ---- where the data was ---- */

#define LEVEL(name)  (PERF_MEM_S(LVL, name) | PERF_MEM_S(LVL, HIT))
#define REMOTE       (PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(HOPS, 1))
#define LEVEL_NUMBER (0xful << PERF_MEM_LVLNUM_SHIFT)

#define SOURCE_DRAM 3
#define SOURCE_IO   7

/* Data sources by their number: up to Zen 3, and from Zen 4 on. */
static const uint64_t first_sources[] = {
    [2] = LEVEL(L3) | PERF_MEM_S(LVL, REM_CCE1),
    [SOURCE_DRAM] = LEVEL(LOC_RAM),
    [4] = LEVEL(REM_CCE2),
    [SOURCE_IO] = LEVEL(IO) | PERF_MEM_S(LVLNUM, IO),
};
static const uint64_t zen4_sources[] = {
    [1] = LEVEL(L3),
    [2] = LEVEL(REM_CCE1),
    [SOURCE_DRAM] = LEVEL(LOC_RAM),
    [5] = LEVEL(REM_CCE2),
    [6] = PERF_MEM_S(LVLNUM, PMEM),
    [SOURCE_IO] = LEVEL(IO) | PERF_MEM_S(LVLNUM, IO),
    [8] = PERF_MEM_S(LVLNUM, CXL),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_zen4(void)
{
	return ibs_caps & IBS_CAPS_L3_ONLY;
}

static unsigned source_of(uint64_t data2)
{
	unsigned source = (unsigned)FIELD_GET(SOURCE_LOW, data2);

	return is_zen4() ? source | (unsigned)FIELD_GET(SOURCE_HIGH, data2) << SOURCE_HIGH_BY
			 : source;
}

/* Decodes the data source of an access that missed L2; 0: unknown. */
static uint64_t beyond_l2(uint64_t data2)
{
	unsigned source = source_of(data2);
	uint64_t found = 0;

	if (is_zen4() && source < COUNT(zen4_sources))
		found = zen4_sources[source];
	else if (!is_zen4() && source < COUNT(first_sources))
		found = first_sources[source];
	if (!(data2 & SOURCE_REMOTE))
		return found;
	if (source == SOURCE_DRAM)
		return LEVEL(REM_RAM1);
	return found & LEVEL_NUMBER ? found | REMOTE : found;
}

/* Erratum 1293 of the first models of family 19h: the data source and the latency of such accesses
 * are invalid. */
static bool misleads(uint64_t data3)
{
	return cpuid_family() == 0x19 && cpuid_model() < 0x10 && (data3 & (OP_PREFETCH | OP_FILL));
}

static uint64_t level_of(uint64_t data2, uint64_t data3)
{
	uint64_t level;

	if ((data3 & OP_UNCACHED) && source_of(data2) != SOURCE_IO)
		return LEVEL(UNC);
	if (!(data3 & OP_MISS))
		return LEVEL(L1);
	if (!(data3 & OP_L2_MISS) && !misleads(data3))
		return LEVEL(L2);
	level = data3 & OP_LOAD ? beyond_l2(data2) : 0;
	if (level)
		return level;
	return data3 & OP_FILL ? LEVEL(LFB) : PERF_MEM_S(LVL, NA);
}

/* Some models of family 19h do not report whether a cache had changed the line. */
static bool has_state(void)
{
	uint32_t model = cpuid_model();

	return cpuid_family() != 0x19 || (model >= 0x10 && model < 0x20) || model >= 0x60;
}

static uint64_t snoop_of(uint64_t data2, uint64_t data3, uint64_t level)
{
	unsigned source = source_of(data2);
	bool cache = is_zen4() ? source == 1 || source == 2 || source == 5 : source == 2;

	if (!(data3 & OP_LOAD) || level == LEVEL(L1) || level == LEVEL(L2) ||
	    (data2 & SOURCE_SHARED) || !cache || !has_state())
		return PERF_MEM_S(SNOOP, NA);
	return PERF_MEM_S(SNOOP, HITM);
}

static uint64_t tlb_of(uint64_t data3)
{
	if (!(data3 & OP_LINEAR_VALID))
		return PERF_MEM_S(TLB, NA);
	if (!(data3 & OP_TLB_MISS))
		return PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, HIT);
	return PERF_MEM_S(TLB, L2) |
	       (data3 & OP_WALK ? PERF_MEM_S(TLB, MISS) : PERF_MEM_S(TLB, HIT));
}

/* Returns the data source of an op that accesses memory. */
static uint64_t data_source(uint64_t data2, uint64_t data3)
{
	uint64_t level;

	if (misleads(data3))
		data2 = 0;
	level = level_of(data2, data3);
	return (data3 & OP_LOAD ? PERF_MEM_S(OP, LOAD) : PERF_MEM_S(OP, STORE)) | level |
	       snoop_of(data2, data3, level) | tlb_of(data3) |
	       (data3 & OP_LOCKED ? PERF_MEM_S(LOCK, LOCKED) : PERF_MEM_S(LOCK, NA));
}

/* ---- the sample ---- */

static uint64_t weight_of(const struct perf_event_attr *attr, const uint64_t *registers)
{
	uint64_t data3 = registers[OP_DATA3], latency = FIELD_GET(OP_LATENCY, data3);

	if (!(data3 & OP_MISS) || !(data3 & OP_LOAD))
		return 0;
	if (attr->sample_type & PERF_SAMPLE_WEIGHT)
		return latency;
	return latency | FIELD_GET(OP_TAG_TO_RETIRE, registers[OP_DATA]) << WEIGHT_SECOND_SHIFT;
}

/* Records the access of the sample, and returns its address. */
static uint64_t take_access(const struct perf_event *event, const uint64_t *registers,
			    struct precise *precise)
{
	uint64_t data3 = registers[OP_DATA3];

	if (!(data3 & (OP_LOAD | OP_STORE)))
		return 0;
	precise->data_source = data_source(registers[OP_DATA2], data3);
	precise->weight = weight_of(&event->attr, registers);
	if (data3 & OP_PHYSICAL_VALID)
		precise->physical = registers[OP_PHYSICAL];
	return data3 & OP_LINEAR_VALID ? registers[OP_LINEAR] : 0;
}

/* The address determines the ring: kernels are in the upper half. */
static void set_address(struct frame *frame, uint64_t address)
{
	frame->rip = address;
	frame->cs = (int64_t)address < 0 ? KERNEL_CS : USER_CS;
}

/* True if the event wants the sample. The processor's filter has units of 128 cycles; as on Linux
 * this one has single ones. */
static bool is_wanted(const struct perf_event *event, const uint64_t *registers)
{
	uint64_t data3 = registers[OP_DATA3], least = event->hw.load_latency;

	return !least ||
	       ((data3 & OP_LOAD) && (data3 & OP_MISS) && FIELD_GET(OP_LATENCY, data3) > least);
}

bool ibs_sample(struct perf_event *event, const struct ibs_registers *from, uint64_t control,
		struct frame *interrupted)
{
	bool op = from->nr == IBS_OP_REGISTERS, stop;
	struct frame frame = *interrupted;
	struct precise precise = {.interrupted = interrupted, .exact = true, .time = clock_ns()};
	struct ibs_data data;
	struct raw_data raw;
	uint64_t address = 0;

	read_registers(event, from, control, &data, &raw);
	if (op && !is_wanted(event, data.registers))
		return false;
	if (op && (ibs_caps & IBS_CAPS_RIP_INVALID) && (data.registers[OP_DATA] & OP_RIP_INVALID))
		precise.exact = false;
	else
		set_address(&frame, data.registers[ADDRESS]);
	if (op)
		address = take_access(event, data.registers, &precise);
	event->hw.precise = &precise;
	event->hw.raw = &raw;
	stop = event_overflow(event, &frame, address, event->hw.last_period, true);
	event->hw.precise = NULL;
	event->hw.raw = NULL;
	return stop;
}
