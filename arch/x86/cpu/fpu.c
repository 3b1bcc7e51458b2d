/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector state by XSAVE, or by FXSAVE on older processors: Intel SDM volume 1, chapters 10 and
 * 13. */
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/msr.h"

/* Components of XCR0. AMX stays off: its state would add eight kilobytes to every task. */
#define XCR0_X87    BIT(0)
#define XCR0_SSE    BIT(1)
#define XCR0_AVX    BIT(2)
#define XCR0_AVX512 FIELD(7, 5)

/* Fields of the legacy region with a nonzero initial value. */
#define FCW_OFFSET    0
#define MXCSR_OFFSET  24
#define FCW_INITIAL   0x37f
#define MXCSR_INITIAL 0x1f80

/* Offsets and masks of an image. */
#define MXCSR_MASK    28
#define MXCSR_DEFAULT 0xffbfu /* the mask of processors that store none */
#define X87_REGISTERS 32
#define SSE_REGISTERS 160
#define SSE_END       416
#define SOFTWARE      464

static uint64_t components; /* 0: FXSAVE */
static uint32_t size = FXSAVE_BYTES;
static bool has_xsaveopt;
bool page_zero_wide;

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
	size = cpuid_read(CPUID_XSAVE_SIZE); /* for the components that XCR0 enables now */
	has_xsaveopt = cpuid_has(CPUID_XSAVEOPT);
	page_zero_wide = (components & XCR0_AVX) && cpuid_has(CPUID_XGETBV_IN_USE);
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

/* Loads an initial state in place of an image that the processor refuses. */
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

static uint64_t *header_of(const void *area)
{
	return (uint64_t *)((char *)area + FXSAVE_BYTES);
}

/* Sets unused components of the legacy region to their initial values. */
static void fill_legacy(char *image, uint64_t in_use)
{
	if (!(in_use & XCR0_X87)) {
		__builtin_memset(image, 0, MXCSR_OFFSET);
		__builtin_memset(image + X87_REGISTERS, 0, SSE_REGISTERS - X87_REGISTERS);
		*(uint16_t *)image = FCW_INITIAL;
	}
	if (!(in_use & XCR0_SSE))
		__builtin_memset(image + SSE_REGISTERS, 0, SSE_END - SSE_REGISTERS);
}

void fpu_image_read(const void *area, void *image)
{
	char *bytes = image;
	uint64_t in_use;

	__builtin_memcpy(image, area, size);
	__builtin_memset(bytes + SOFTWARE, 0, FXSAVE_BYTES - SOFTWARE);
	if (!components)
		return;
	in_use = *header_of(area);
	fill_legacy(bytes, in_use);
	for (uint32_t i = 2; i < 64; i++) {
		struct cpuid_regs part = {0};

		if (components >> i & 1 && !(in_use >> i & 1))
			part = cpuid(0xd, i);
		if (part.eax)
			__builtin_memset(bytes + part.ebx, 0, part.eax);
	}
	*(uint64_t *)(bytes + SOFTWARE) = components;
}

static bool mxcsr_ok(const void *area, const void *image)
{
	uint32_t mask = *(const uint32_t *)((const char *)area + MXCSR_MASK);

	return !(*(const uint32_t *)((const char *)image + MXCSR_OFFSET) &
		 ~(mask ? mask : MXCSR_DEFAULT));
}

/* Checks XSAVE's header: only existing components, in the standard format. */
static bool header_ok(const uint64_t *header)
{
	bool ok = !(header[0] & ~components);

	for (unsigned i = 1; i < 8; i++)
		ok = ok && !header[i];
	return ok;
}

bool fpu_image_write(void *area, const void *image)
{
	uint32_t mask = *(const uint32_t *)((const char *)area + MXCSR_MASK);

	if (!mxcsr_ok(area, image) || (components && !header_ok(header_of(image))))
		return false;
	__builtin_memcpy(area, image, size);
	*(uint32_t *)((char *)area + MXCSR_MASK) = mask;
	return true;
}

bool fpu_legacy_write(void *area, const void *image)
{
	uint32_t mask = *(const uint32_t *)((const char *)area + MXCSR_MASK);

	if (!mxcsr_ok(area, image))
		return false;
	__builtin_memcpy(area, image, SOFTWARE);
	*(uint32_t *)((char *)area + MXCSR_MASK) = mask;
	if (components)
		*header_of(area) |= XCR0_X87 | XCR0_SSE;
	return true;
}
