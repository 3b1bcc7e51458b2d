/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector state by XSAVE, or FXSAVE where there is nothing newer: Intel SDM volume 1, chapters 10
 * and 13. */
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/msr.h"

/* Components of XCR0. AMX is left off: its state is eight kilobytes that nobody asked for. */
#define XCR0_X87    BIT(0)
#define XCR0_SSE    BIT(1)
#define XCR0_AVX    BIT(2)
#define XCR0_AVX512 FIELD(7, 5)

/* The legacy region's fields that do not start as zero. */
#define FXSAVE_BYTES  512
#define FCW_OFFSET    0
#define MXCSR_OFFSET  24
#define FCW_INITIAL   0x37f
#define MXCSR_INITIAL 0x1f80

static uint64_t components; /* 0: FXSAVE */
static uint32_t size = FXSAVE_BYTES;
static bool has_xsaveopt;

static uint64_t components_wanted(void)
{
	uint64_t offered = cpuid_read(CPUID_XCR0_LOW), wanted = XCR0_X87 | XCR0_SSE;

	if (offered & XCR0_AVX)
		wanted |= XCR0_AVX;
	if ((wanted & XCR0_AVX) && (offered & XCR0_AVX512) == XCR0_AVX512)
		wanted |= XCR0_AVX512;
	return wanted;
}

void fpu_init(void)
{
	if (!cpuid_has(CPUID_XSAVE))
		return;
	write_cr4(read_cr4() | CR4_OSXSAVE);
	components = components_wanted();
	xsetbv(0, components);
	size = cpuid_read(CPUID_XSAVE_SIZE); /* of what XCR0 enables now */
	has_xsaveopt = cpuid_has(CPUID_XSAVEOPT);
}

uint32_t fpu_size(void)
{
	return size;
}

uint64_t fpu_components(void)
{
	return components;
}

void fpu_init_state(void *area)
{
	__builtin_memset(area, 0, size);
	*(uint16_t *)((char *)area + FCW_OFFSET) = FCW_INITIAL;
	*(uint32_t *)((char *)area + MXCSR_OFFSET) = MXCSR_INITIAL;
}

void fpu_save(void *area)
{
	if (has_xsaveopt)
		xsaveopt(area, components);
	else if (components)
		xsave(area, components);
	else
		fxsave(area);
}

/* Stands in for an image that the processor refuses. */
static void load_initial(void)
{
	static const struct {
		uint16_t fcw, pad[11];
		uint32_t mxcsr, rest[121];
		uint64_t header[8];
	} __attribute__((aligned(FPU_ALIGN)))
	initial = {.fcw = FCW_INITIAL, .mxcsr = MXCSR_INITIAL};

	_Static_assert(sizeof(initial) == FXSAVE_BYTES + 64, "legacy region and XSAVE header");
	if (components)
		xrstor(&initial, components);
	else
		fxrstor(&initial);
}

bool fpu_load(const void *area)
{
	bool ok = components ? xrstor(area, components) : fxrstor(area);

	if (!ok)
		load_initial();
	return ok;
}
