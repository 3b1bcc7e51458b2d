/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The brand string ends with the TSC's frequency, like Intel's: tools read it there. Sources: Intel
 * SDM vol. 2, CPUID, "The Processor Brand String Method" and leaf 15H.
 */
#include "emulator/visor/model/clock.h"

#include "emulator/visor/model/base/cpuid_field.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/vendor.h"

#define LEAF_BRAND      0x80000002
#define LEAF_BRAND_LAST 0x80000004
#define BRAND_BYTES     48

/* A text that grows to the right. */
struct brand {
	char text[BRAND_BYTES];
	unsigned length;
};

static void model_clock_put(struct brand *brand, const char *text)
{
	while (*text && brand->length < BRAND_BYTES - 1)
		brand->text[brand->length++] = *text++;
}

static void put_digit(struct brand *brand, uint32_t digit)
{
	model_clock_put(brand, (const char[]){(char)('0' + digit % 10), 0});
}

/* " @ 2.10GHz" */
static void put_frequency(struct brand *brand, uint32_t khz)
{
	uint32_t hundredths = (khz + 5000) / 10000; /* of GHz, rounded */

	model_clock_put(brand, " @ ");
	if (hundredths >= 1000)
		put_digit(brand, hundredths / 1000);
	put_digit(brand, hundredths / 100);
	model_clock_put(brand, ".");
	put_digit(brand, hundredths / 10);
	put_digit(brand, hundredths);
	model_clock_put(brand, "GHz");
}

static void brand_leaf(const struct model *model, uint32_t leaf, uint32_t regs[4])
{
	struct brand brand = {.length = 0};

	model_clock_put(&brand, "barepmu ");
	model_clock_put(&brand, model->personality->name);
	model_clock_put(&brand, " (emulated) CPU");
	if (model->tsc_khz)
		put_frequency(&brand, model->tsc_khz);
	for (unsigned reg = 0; reg < 4; reg++)
		regs[reg] = cpuid_characters(brand.text + 16 * (leaf - LEAF_BRAND) + 4 * reg);
}

/* The TSC's ratio to the crystal's clock, and that clock in Hz; zeros: unknown. */
static void crystal_leaf(const struct model *model, uint32_t regs[4])
{
	cpuid_keep(regs, 0, 0, 0, 0);
	if (!model->crystal_khz)
		return;
	regs[EAX] = 1;
	regs[EBX] = model->tsc_khz / model->crystal_khz;
	regs[ECX] = model->crystal_khz * 1000; /* Hz */
}

void clock_cpuid(const struct model *model, uint32_t leaf, uint32_t regs[4])
{
	if (leaf >= LEAF_BRAND && leaf <= LEAF_BRAND_LAST)
		brand_leaf(model, leaf, regs);
	else if (leaf == CPUID_LEAF_CRYSTAL && (model->personality->features & FEATURE_CRYSTAL))
		crystal_leaf(model, regs);
}
