/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records: the model writes them, from the guest's registers and into its memory. Intel SDM
 * vol. 3, "Processor Event Based Sampling (PEBS) Facility". */
#include "emulator/visor/count/pebs.h"
#include "emulator/visor/model/model.h"

#include "abi/core_page.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/vcpu/guest.h"

static bool read_memory(void *context, uint64_t address, void *data, unsigned bytes)
{
	return guest_read(context, address, data, bytes);
}

static bool write_memory(void *context, uint64_t address, const void *data, unsigned bytes)
{
	return guest_write(context, address, data, bytes);
}

/* The registers are still the guest's: the visor is compiled without them. They read 0 if the guest
 * has them disabled, or before the visor has taken over its control registers. */
static void read_xmms(void *context, uint64_t words[MODEL_XMM_WORDS])
{
	const struct vcpu *vcpu = context;
	const struct vmcb *vmcb = vcpu->vmcb;

	if (vcpu->host_cr0 == vmcb->cr0 && vcpu->host_cr4 == vmcb->cr4 &&
	    (vmcb->cr4 & CR4_OSFXSR) && !(vmcb->cr0 & (CR0_EM | CR0_TS)))
		cpu_read_xmms(words);
	else
		memset(words, 0, MODEL_XMM_WORDS * sizeof(words[0]));
}

static void write_record(struct vcpu *vcpu, uint64_t rip, uint64_t next)
{
	const struct vmcb *vmcb = vcpu->vmcb;
	struct model_pebs_source source = {
	    .event_ip = rip,
	    .ip = next,
	    .flags = vmcb->rflags,
	    .tsc = vcpu->guest_tsc,
	    .load = vcpu->core ? &vcpu->core->sample.load : NULL,
	    .store = vcpu->core ? &vcpu->core->sample.store : NULL,
	    .address = vmcb->rsp,
	    .context = vcpu,
	    .read = read_memory,
	    .write = write_memory,
	    .read_xmms = read_xmms,
	};

	memcpy(source.gpr, vcpu->gpr, sizeof(source.gpr));
	source.gpr[RAX] = vmcb->rax;
	source.gpr[RSP] = vmcb->rsp;
	model_pebs_record(&vcpu->model, &source);
}

/* Returns the address of the instruction executed after the one at rip, in the block that ended. */
static uint64_t next_in_block(const struct vcpu *vcpu, uint64_t rip)
{
	uint8_t code[DECODE_MAX];
	struct insn insn =
	    decode(code, guest_fetch(vcpu, rip, code, sizeof(code)), guest_mode(vcpu));

	return insn.length && !insn_is_branch(insn) ? rip + insn.length : vcpu->vmcb->rip;
}

void pebs_finish_run(struct vcpu *vcpu)
{
	bool ended = vcpu->core && !vcpu->stepping && vcpu->core->sample.ended;
	uint64_t rip = ended ? vcpu->core->sample.ip : vcpu->entry_rip;

	if (model_pebs_ready(&vcpu->model))
		write_record(vcpu, rip, ended ? next_in_block(vcpu, rip) : vcpu->vmcb->rip);
}

void pebs_finish_emulated(struct vcpu *vcpu, uint64_t rip)
{
	if (!model_pebs_ready(&vcpu->model))
		return;
	if (vcpu->core)
		vcpu->core->sample = (struct core_sample){0};
	write_record(vcpu, rip, vcpu->vmcb->rip);
}
