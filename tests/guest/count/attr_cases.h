/* SPDX-License-Identifier: BSD-2-Clause */
/* Attrs with one field that is wrong or unusual, and perf_event_open(2)'s answer to each. */
#ifndef TESTS_GUEST_ATTR_CASES_H
#define TESTS_GUEST_ATTR_CASES_H

#include "tests/guest/perf.h"

struct attr_case {
	const char *name;
	void (*change)(struct perf_event_attr *attr);
	int wanted;    /* negative errno, 0: a descriptor */
	bool hardware; /* starts from a hardware event */
};

/* Answers that differ between the drivers of several processors. */
enum { NO_TRACE = 1, NO_AUX, NO_SENSE, NO_CODE };

/* AMD has none; Intel's CPUID leaf 0AH takes back an architectural event by its bit of EBX. */
static bool lacks_bus_cycles(void)
{
	uint32_t eax = 0xa, ebx = 0, ecx = 0, edx = 0;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return processor_is_amd() || (ebx & 4);
}

/* Sandy Bridge (06_2AH) has codes for all generic events. */
static bool has_all_codes(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return (eax >> 4 & 0xffff) == 0x206a;
}

/* Some processors have only the architectural cache events. */
static bool has_cache_table(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D);
	int fd = perf_try(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool has_debug_store(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return edx & 1u << 21;
}

static int of_vendor(int wanted)
{
	switch (wanted) {
	case NO_TRACE: /* AMD's needs none: it is any other event */
		return processor_is_amd() || has_debug_store() ? 0 : -EOPNOTSUPP;
	case NO_AUX:
		return processor_is_amd() ? -EOPNOTSUPP : -EINVAL;
	case NO_CODE:
		return has_all_codes() ? 0 : -ENOENT;
	case NO_SENSE:
		return has_cache_table() ? -EINVAL : -ENOENT;
	default:
		return wanted;
	}
}

#define CASE(function, text, ...)                          \
	static void function(struct perf_event_attr *attr) \
	{                                                  \
		__VA_ARGS__;                               \
	}

#define ATTR_CASES(X)                                                                              \
	X(plain, "a plain event", 0, false, (void)attr)                                            \
	X(plain_hw, "a plain hardware event", 0, true, (void)attr)                                 \
	X(type_unknown, "unknown type", -ENOENT, false, attr->type = 77)                           \
	X(sw_unknown, "unknown software event", -ENOENT, false, attr->config = PERF_COUNT_SW_MAX)  \
	X(sw_huge, "software event beyond 32 bits", -ENOENT, false,                                \
	  attr->config = 1ull << 40 | PERF_COUNT_SW_DUMMY)                                         \
	X(hw_unknown, "unknown hardware event", -EINVAL, true, attr->config = PERF_COUNT_HW_MAX)   \
	X(hw_none, "generic event for which this processor has no code", NO_CODE, true,            \
	  attr->config = lacks_bus_cycles() ? PERF_COUNT_HW_BUS_CYCLES                             \
					    : PERF_COUNT_HW_STALLED_CYCLES_FRONTEND)               \
	X(cache_type, "unknown cache", -EINVAL, true, attr->type = PERF_TYPE_HW_CACHE;             \
	  attr->config = PERF_COUNT_HW_CACHE_MAX)                                                  \
	X(cache_op, "unknown cache operation", -EINVAL, true, attr->type = PERF_TYPE_HW_CACHE;     \
	  attr->config = 3 << 8)                                                                   \
	X(cache_result, "unknown cache result", -EINVAL, true, attr->type = PERF_TYPE_HW_CACHE;    \
	  attr->config = 2 << 16)                                                                  \
	X(cache_none, "cache event that does not exist", -ENOENT, true,                            \
	  attr->type = PERF_TYPE_HW_CACHE;                                                         \
	  attr->config = PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 |          \
			 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)                                    \
	X(cache_senseless, "cache event that makes no sense", NO_SENSE, true,                      \
	  attr->type = PERF_TYPE_HW_CACHE;                                                         \
	  attr->config = PERF_COUNT_HW_CACHE_BPU | PERF_COUNT_HW_CACHE_OP_WRITE << 8)              \
	X(raw_reserved, "raw bits that are the kernel's are ignored", 0, true,                     \
	  attr->type = PERF_TYPE_RAW;                                                              \
	  attr->config = 0x5300c0)                                                                 \
	X(reserved1, "reserved flag", -EINVAL, false, attr->__reserved_1 = 1)                      \
	X(reserved2, "reserved 16 bits", -EINVAL, false, attr->__reserved_2 = 1)                   \
	X(reserved3, "reserved 32 bits", -EINVAL, false, attr->__reserved_3 = 1)                   \
	X(sample_type, "unknown sample_type", -EINVAL, false, attr->sample_type = PERF_SAMPLE_MAX) \
	X(sample_all, "all of sample_type", -EINVAL, false, attr->sample_type = UINT64_MAX)        \
	X(read_format, "unknown read_format", -EINVAL, false, attr->read_format = PERF_FORMAT_MAX) \
	X(branch_sw, "branch stack of a software event", -EOPNOTSUPP, false,                       \
	  attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                            \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY)                                       \
	X(branch_none, "branch stack of no branches", -EINVAL, true,                               \
	  attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                            \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER)                                      \
	X(branch_unknown, "unknown branch type", -EINVAL, true,                                    \
	  attr->sample_type = PERF_SAMPLE_BRANCH_STACK;                                            \
	  attr->branch_sample_type = PERF_SAMPLE_BRANCH_MAX)                                       \
	X(branch_unused, "branch type without branch stack is ignored", 0, true,                   \
	  attr->branch_sample_type = UINT64_MAX)                                                   \
	X(regs_none, "no user registers", -EINVAL, false,                                          \
	  attr->sample_type = PERF_SAMPLE_REGS_USER)                                               \
	X(regs_segment, "segment register", -EINVAL, false,                                        \
	  attr->sample_type = PERF_SAMPLE_REGS_USER;                                               \
	  attr->sample_regs_user = 1 << 12)                                                        \
	X(regs_reserved, "reserved register", -EINVAL, false,                                      \
	  attr->sample_type = PERF_SAMPLE_REGS_USER;                                               \
	  attr->sample_regs_user = 1 << 24)                                                        \
	X(regs_vector, "vector register", -EOPNOTSUPP, false,                                      \
	  attr->sample_type = PERF_SAMPLE_REGS_USER;                                               \
	  attr->sample_regs_user = 1ull << 32)                                                     \
	X(regs_vector_hw, "vector register of a hardware event", -EINVAL, true,                    \
	  attr->sample_type = PERF_SAMPLE_REGS_INTR;                                               \
	  attr->sample_regs_intr = 1ull << 32)                                                     \
	X(regs_good, "user registers", 0, false, attr->sample_type = PERF_SAMPLE_REGS_USER;        \
	  attr->sample_regs_user = 0xff0fff)                                                       \
	X(intr_none, "no interrupt registers", -EINVAL, false,                                     \
	  attr->sample_type = PERF_SAMPLE_REGS_INTR)                                               \
	X(stack_odd, "stack size not a multiple of 8", -EINVAL, false,                             \
	  attr->sample_type = PERF_SAMPLE_STACK_USER;                                              \
	  attr->sample_stack_user = 12)                                                            \
	X(stack_huge, "stack size beyond a record", -EINVAL, false,                                \
	  attr->sample_type = PERF_SAMPLE_STACK_USER;                                              \
	  attr->sample_stack_user = 65536)                                                         \
	X(stack_good, "largest stack size", 0, false, attr->sample_type = PERF_SAMPLE_STACK_USER;  \
	  attr->sample_stack_user = 65528)                                                         \
	X(weights, "both kinds of weight", -EINVAL, false,                                         \
	  attr->sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)                      \
	X(inherit_thread, "inherit_thread alone", -EINVAL, false, attr->inherit_thread = 1)        \
	X(inherit_read, "inherit and PERF_SAMPLE_READ", -EINVAL, false, attr->inherit = 1;         \
	  attr->sample_type = PERF_SAMPLE_READ)                                                    \
	X(inherit_group, "inherit and PERF_FORMAT_GROUP", 0, false, attr->inherit = 1;             \
	  attr->read_format = PERF_FORMAT_GROUP)                                                   \
	X(on_exec, "remove_on_exec and enable_on_exec", -EINVAL, false,                            \
	  attr->remove_on_exec = attr->enable_on_exec = 1)                                         \
	X(sigtrap, "sigtrap without remove_on_exec", -EINVAL, false, attr->sigtrap = 1)            \
	X(freq_high, "frequency above the limit", -EINVAL, false, attr->freq = 1;                  \
	  attr->sample_freq = 1000000000)                                                          \
	X(period_high, "period of 64 bits", -EINVAL, false, attr->sample_period = 1ull << 63)      \
	X(period_large, "period of 63 bits", 0, true, attr->sample_period = (1ull << 63) - 1)      \
	X(branches_one, "every branch needs branch trace store", NO_TRACE, true,                   \
	  attr->config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;                                        \
	  attr->sample_period = 1)                                                                 \
	X(chain_deep, "call chain too deep", -EOVERFLOW, false,                                    \
	  attr->sample_type = PERF_SAMPLE_CALLCHAIN;                                               \
	  attr->sample_max_stack = 2000)                                                           \
	X(chain_unused, "depth without call chain", 0, false, attr->sample_max_stack = 2000)       \
	X(clock_unknown, "unknown clock", -EINVAL, false, attr->use_clockid = 1;                   \
	  attr->clockid = 99)                                                                      \
	X(clock_negative, "negative clock", -EINVAL, false, attr->use_clockid = 1;                 \
	  attr->clockid = -1)                                                                      \
	X(clock_cpu, "processor time clock", -EINVAL, false, attr->use_clockid = 1;                \
	  attr->clockid = 2)                                                                       \
	X(clock_real, "real time of a software event", 0, false, attr->use_clockid = 1;            \
	  attr->clockid = 0)                                                                       \
	X(clock_real_hw, "real time of a hardware event", -EINVAL, true, attr->use_clockid = 1;    \
	  attr->clockid = 0)                                                                       \
	X(clock_mono_hw, "monotonic time of a hardware event", 0, true, attr->use_clockid = 1;     \
	  attr->clockid = 1)                                                                       \
	X(precise_sw, "precise_ip of a software event", 0, false, attr->precise_ip = 3)            \
	X(aux_output, "aux_output of a software event", -EOPNOTSUPP, false, attr->aux_output = 1)  \
	X(aux_output_hw, "aux_output of a hardware event", NO_AUX, true, attr->aux_output = 1)     \
	X(aux_sample, "AUX samples without an AUX event", -EINVAL, false,                          \
	  attr->sample_type = PERF_SAMPLE_AUX;                                                     \
	  attr->aux_sample_size = 4096)                                                            \
	X(excludes, "all exclusions", 0, true,                                                     \
	  attr->exclude_user = attr->exclude_idle = attr->exclude_guest = 1)                       \
	X(raw_any, "samples of everything that has no hardware", 0, true,                          \
	  attr->sample_period = 1000;                                                              \
	  attr->sample_type = (PERF_SAMPLE_MAX - 1) &                                              \
			      ~(uint64_t)(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |       \
					  PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_WEIGHT_STRUCT))

#define DEFINE(function, text, wanted, hardware, ...) CASE(function, text, __VA_ARGS__)
ATTR_CASES(DEFINE)

#define ROW(function, text, wanted, hardware, ...) {text, function, wanted, hardware},
static const struct attr_case attr_cases[] = {ATTR_CASES(ROW)};

#endif
