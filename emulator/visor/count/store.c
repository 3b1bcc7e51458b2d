/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the branch trace store. SDM vol. 3, "Branch Trace Store (BTS)". */
#include "emulator/visor/count/store.h"

#include "abi/core_page.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/model/intel/bts.h"
#include "emulator/visor/vcpu/guest.h"

/* Branches after which the core stops the guest. The rest of the array takes the branches until the
 * guest has stopped. */
#define STORE_LIMIT (CORE_STORED * 3 / 4)

static bool store_read(void *context, uint64_t address, void *data, unsigned bytes)
{
	return guest_read(context, address, data, bytes);
}

static bool store_write(void *context, uint64_t address, const void *data, unsigned bytes)
{
	return guest_write(context, address, data, bytes);
}

static struct model_pebs_source memory_of(struct vcpu *vcpu)
{
	return (struct model_pebs_source){
	    .context = vcpu, .read = store_read, .write = store_write};
}

void store_choose(struct vcpu *vcpu)
{
	vcpu->stores = (uint8_t)model_store_rings(&vcpu->model);
}

static uint8_t core_rings(unsigned rings)
{
	return (uint8_t)((rings & MODEL_KERNEL ? 1u << CORE_RING_KERNEL : 0) |
			 (rings & MODEL_USER ? 1u << CORE_RING_USER : 0));
}

void store_enter(struct vcpu *vcpu)
{
	const struct model_pebs_source source = memory_of(vcpu);
	struct core_store *store;

	if (!vcpu->core)
		return;
	store = &vcpu->core->store;
	store->rings = core_rings(vcpu->stores);
	store->nr = 0;
	if (vcpu->stores)
		store->limit = model_store_room(&vcpu->model, &source, STORE_LIMIT);
}

void store_settled(struct vcpu *vcpu)
{
	const struct model_pebs_source source = memory_of(vcpu);

	if (!vcpu->core || !vcpu->stores)
		return;
	model_store_branches(&vcpu->model, vcpu->core->store.branches, vcpu->core->store.nr,
			     &source);
	vcpu->core->store.nr = 0;
}

void store_branch(struct vcpu *vcpu, enum model_ring ring, uint64_t from, uint64_t to)
{
	const struct model_pebs_source source = memory_of(vcpu);
	const struct core_stored branch = {from, to, true};

	if (vcpu->stores & ring)
		model_store_branches(&vcpu->model, &branch, 1, &source);
}
