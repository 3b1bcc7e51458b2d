/* SPDX-License-Identifier: BSD-2-Clause */
/* IBS samples: the tagged instruction runs alone, and the core reports it. AMD APM vol. 2,
 * "Instruction-Based Sampling". */
#include "emulator/visor/count/ibs.h"
#include "emulator/visor/model/model.h"

#include "abi/core_page.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/vcpu/eilvt.h"
#include "emulator/visor/vcpu/guest.h"

/* Without a core decodes the instruction: whether it is a branch, and its target. */
static void look_at(const struct vcpu *vcpu, struct model_ibs_source *source)
{
	uint8_t code[DECODE_MAX];
	struct insn insn =
	    decode(code, guest_fetch(vcpu, source->ip, code, sizeof(code)), guest_mode(vcpu));

	source->branch = insn_is_branch(insn);
	source->taken = source->branch && source->next != source->ip + insn.length;
	source->returns = insn.kind == INSN_RET;
}

/* A run of several instructions cannot be sampled: the next one will be. The core knows the
 * instruction even if a fault came in between. */
void ibs_finish_run(struct vcpu *vcpu)
{
	struct model_ibs_source source = {.ip = vcpu->entry_rip, .next = vcpu->vmcb->rip};

	if (!model_ibs_ready(&vcpu->model))
		return;
	if (!vcpu->stepping) {
		model_ibs_put_off(&vcpu->model);
		return;
	}
	if (vcpu->core) {
		source.sample = &vcpu->core->sample;
		source.work = vcpu->core->work;
		if (source.sample->fetch.level)
			source.ip = source.sample->fetch.address;
	} else {
		look_at(vcpu, &source);
	}
	model_ibs_record(&vcpu->model, &source);
}

void ibs_finish_emulated(struct vcpu *vcpu, uint64_t rip)
{
	struct model_ibs_source source = {.ip = rip, .next = vcpu->vmcb->rip};

	if (model_ibs_ready(&vcpu->model))
		model_ibs_record(&vcpu->model, &source);
}

void ibs_deliver(struct vcpu *vcpu)
{
	unsigned entry;

	while (model_take_ibs(&vcpu->model, &entry)) {
		eilvt_send(vcpu, entry);
		count_choose(vcpu);
	}
}
