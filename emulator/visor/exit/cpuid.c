/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID: the machine's answer, rewritten by the model, without SVM, and with the visor's own leaves
 * (docs/protocols.md). */
#include "abi/visor_cpuid.h"
#include "emulator/visor/exit/cpuid.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/errata.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/host.h"

#define LENGTH 2

enum { EAX, EBX, ECX, EDX };

#define LEAF_FEATURES   0x1
#define LEAF_MONITOR    0x5
#define LEAF_STRUCTURED 0x7
#define VISOR_LEAF_END  0x400000ffu
#define LEAF_EXTENDED   0x80000001u
#define LEAF_POWER      0x80000007u
#define LEAF_SIZES      0x80000008u
#define LEAF_SVM        0x8000000au
#define ADDRESS_BITS    0xffu /* leaf 80000008H EAX */

#define FEATURE_MONITOR    (1u << 3)  /* leaf 1 ECX */
#define FEATURE_CX16       (1u << 13) /* leaf 1 ECX */
#define FEATURE_OSXSAVE    (1u << 27) /* leaf 1 ECX */
#define FEATURE_HYPERVISOR (1u << 31) /* leaf 1 ECX */
#define FEATURE_OSPKE      (1u << 4)  /* leaf 7 ECX */
#define FEATURE_SVM        (1u << 2)  /* leaf 80000001H ECX */

#define FEATURE_TSC_ADJUST    (1u << 1) /* leaf 7 EBX */
#define FEATURE_INVARIANT_TSC (1u << 8) /* leaf 80000007H EDX */

static void visor_leaf(struct vcpu *vcpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	memset(regs, 0, 4 * sizeof(regs[0]));
	switch (leaf) {
	case VISOR_LEAF:
		regs[EAX] = VISOR_LEAF_EVENTS;
		regs[EBX] = VISOR_SIGNATURE_EBX;
		regs[ECX] = VISOR_SIGNATURE_ECX;
		regs[EDX] = VISOR_SIGNATURE_EDX;
		break;
	case VISOR_LEAF_FLAGS:
		regs[EAX] =
		    VISOR_FLAG_EMULATED | (vcpu->icount ? VISOR_FLAG_EXACT : 0) |
		    (vcpu->options.exact ? VISOR_FLAG_STEPPED : 0) |
		    (vcpu->core ? VISOR_FLAG_CORE : 0) |
		    (vcpu->core && vcpu->options.personality->stand_in ? VISOR_FLAG_STAND_IN : 0) |
		    (core_times(vcpu) ? VISOR_FLAG_CLOCK : 0) |
		    (vcpu->icount || vcpu->options.turns ? VISOR_FLAG_REPEATS : 0);
		break;
	case VISOR_LEAF_NAME:
		memcpy(regs, personality_name(vcpu->options.personality), PERSONALITY_NAME_SIZE);
		break;
	case VISOR_LEAF_CORE ... VISOR_LEAF_CORE + VISOR_CORE_BYTES / 16 - 1:
		if (core_name())
			memcpy(regs, core_name() + 16 * (leaf - VISOR_LEAF_CORE), 16);
		break;
	case VISOR_LEAF_TIME:
		regs[EAX] = vcpu->icount ? NANOSECOND_KHZ : 0;
		regs[EBX] = NANOSECOND_KHZ;
		break;
	case VISOR_LEAF_COUNTER:
		regs[EAX] = model_counter_source(&vcpu->model, subleaf, vcpu->options.exact);
		break;
	case VISOR_LEAF_ERROR:
		regs[EAX] = vcpu->core ? vcpu->core->error : 0;
		break;
	case VISOR_LEAF_MEASURE:
		core_measure(vcpu, subleaf);
		break;
	case VISOR_LEAF_EVENTS:
		if (core_event_names() && subleaf < VISOR_EVENTS_MAX * VISOR_EVENT_BYTES / 16)
			memcpy(regs, core_event_names() + 16 * subleaf, 16);
		break;
	}
}

/* Bits that mirror control registers: the machine would show the visor's. */
static void mirror(const struct vmcb *vmcb, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	if (leaf == LEAF_FEATURES) {
		regs[ECX] &= ~(FEATURE_OSXSAVE | FEATURE_MONITOR);
		regs[ECX] |= FEATURE_HYPERVISOR | (vmcb->cr4 & CR4_OSXSAVE ? FEATURE_OSXSAVE : 0);
	}
	if (leaf == LEAF_STRUCTURED && subleaf == 0)
		regs[ECX] =
		    (regs[ECX] & ~FEATURE_OSPKE) | (vmcb->cr4 & CR4_PKE ? FEATURE_OSPKE : 0);
}

/* The guest's TSC is invariant and can be adjusted, whatever the processor. */
static void clock_bits(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	if (leaf == LEAF_STRUCTURED && subleaf == 0)
		regs[EBX] |= FEATURE_TSC_ADJUST;
	if (leaf == LEAF_POWER)
		regs[EDX] |= FEATURE_INVARIANT_TSC;
}

/* CMPXCHG16B is not offered where its flags are wrong: Linux 6.12 branches on them, so that an
 * interrupt in between saves them. Code that does not look at CPUID can execute it. */
static void hide_errata(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == LEAF_FEATURES && regs[ECX] & FEATURE_CX16 && errata_cmpxchg16b())
		regs[ECX] &= ~FEATURE_CX16;
}

static void machine_leaf(const struct vcpu *vcpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	cpuid_words(leaf, subleaf, regs);
	clock_bits(leaf, subleaf, regs);
	hide_errata(leaf, regs);
	model_cpuid(&vcpu->model, leaf, subleaf, regs);
	apic_cpuid(vcpu, leaf, regs);
	mirror(vcpu->vmcb, leaf, subleaf, regs);
	if (leaf == LEAF_EXTENDED)
		regs[ECX] &= ~FEATURE_SVM;
	if (leaf == LEAF_SIZES && (regs[EAX] & ADDRESS_BITS) > HOST_ADDRESS_BITS)
		regs[EAX] = (regs[EAX] & ~ADDRESS_BITS) | HOST_ADDRESS_BITS;
	if (leaf == LEAF_SVM || leaf == LEAF_MONITOR)
		memset(regs, 0, 4 * sizeof(regs[0]));
}

void cpuid_exit(struct vcpu *vcpu)
{
	uint32_t leaf = (uint32_t)vcpu->vmcb->rax, subleaf = (uint32_t)vcpu->gpr[RCX], regs[4];

	if (leaf >= VISOR_LEAF && leaf <= VISOR_LEAF_END)
		visor_leaf(vcpu, leaf, subleaf, regs);
	else
		machine_leaf(vcpu, leaf, subleaf, regs);
	count_emulated(vcpu, LENGTH);
	vcpu->vmcb->rax = regs[EAX];
	vcpu->gpr[RBX] = regs[EBX];
	vcpu->gpr[RCX] = regs[ECX];
	vcpu->gpr[RDX] = regs[EDX];
}
