/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA memory policies: get_mempolicy(2), set_mempolicy(2), mbind(2). Pages that are there already
 * stay where they are. */
#include <linux/errno.h>
#include <linux/mempolicy.h>
#include "api/calls.h"
#include "arch/x86/apic/numa.h"
#include "arch/x86/paging/paging.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/nodes.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vma.h"

#define NODES_MAX 1024 /* that a mask may name: others than ours are passed over */
#define WORD_BITS 64ul

/* Reads a user's mask of nodes, `most` - 1 bits: 0, -EINVAL (no such node, too long) or -EFAULT. */
static int nodes_from_user(uint64_t user, uint64_t most, uint64_t *nodes)
{
	uint64_t word;

	*nodes = 0;
	if (!user || !most || !--most)
		return 0;
	if (most > PAGE_SIZE * 8)
		return -EINVAL;
	for (uint64_t bit = 0; bit < most; bit += WORD_BITS) {
		if (copy_from_user(&word, user + bit / 8, sizeof(word)))
			return -EFAULT;
		if (most - bit < WORD_BITS)
			word &= (1ul << (most - bit)) - 1;
		if (bit >= NODES_MAX && word)
			return -EINVAL;
		*nodes |= bit ? 0 : word;
	}
	return 0;
}

static int nodes_to_user(uint64_t user, uint64_t most, uint64_t nodes)
{
	uint64_t bytes = (most - 1 + WORD_BITS - 1) / WORD_BITS * sizeof(nodes);

	if (!user)
		return 0;
	if (bytes > PAGE_SIZE)
		return -EINVAL;
	if (bytes > sizeof(nodes) && clear_user(user + sizeof(nodes), bytes - sizeof(nodes)))
		return -EFAULT;
	return bytes ? copy_to_user(user, &nodes, sizeof(nodes)) : 0;
}

/* Checks the nodes against the mode, and fills in the policy: 0 or -EINVAL. */
static int make_policy(uint32_t mode, uint64_t nodes, struct memory_policy *policy)
{
	uint32_t flags = mode & MPOL_MODE_FLAGS, plain = mode & ~(uint32_t)MPOL_MODE_FLAGS;

	*policy = (struct memory_policy){.mode = mode};
	if (plain >= MPOL_MAX || (flags & MPOL_F_STATIC_NODES && flags & MPOL_F_RELATIVE_NODES))
		return -EINVAL;
	if (flags & MPOL_F_NUMA_BALANCING && plain != MPOL_BIND)
		return -EINVAL;
	switch (plain) {
	case MPOL_DEFAULT:
		return nodes ? -EINVAL : 0;
	case MPOL_LOCAL:
		return nodes || flags & (MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES) ? -EINVAL : 0;
	case MPOL_PREFERRED:
		if (!nodes && flags & (MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES))
			return -EINVAL;
		if (!nodes) {
			policy->mode = MPOL_LOCAL;
			return 0;
		}
		break;
	default:
		break;
	}
	policy->nodes = (uint32_t)(nodes & nodes_with_memory());
	return policy->nodes ? 0 : -EINVAL;
}

/* Returns the node of `nodes` that follows the task's last interleaved one. */
static uint32_t next_node(const struct task *task, uint32_t nodes)
{
	uint32_t above = nodes & ~((1u << task->memory_next) - 1);

	return (uint32_t)__builtin_ctz(above ? above : nodes);
}

/* For nodes_placement. */
static struct placement place_page(void)
{
	struct task *task = current_task();
	const struct memory_policy *policy =
	    task->area_memory.mode ? &task->area_memory : &task->memory;
	uint32_t mode = policy->mode & ~(uint32_t)MPOL_MODE_FLAGS;
	struct placement place = {.nodes = policy->nodes, .first = this_cpu_read(node)};

	place.strict = mode == MPOL_BIND;
	if (mode == MPOL_PREFERRED)
		place.first = (uint32_t)__builtin_ctz(policy->nodes);
	if (mode == MPOL_INTERLEAVE) {
		place.first = next_node(task, policy->nodes);
		place.interleaved = true;
		task->memory_next = (place.first + 1) % NUMA_NODES;
	}
	if (mode == MPOL_PREFERRED || mode == MPOL_INTERLEAVE)
		place.nodes = 1ul << place.first;
	return place;
}

long sys_set_mempolicy(uint64_t mode, uint64_t user, uint64_t most)
{
	struct memory_policy policy;
	uint64_t nodes;
	int err = nodes_from_user(user, most, &nodes);

	if (!err)
		err = make_policy((uint32_t)mode, nodes, &policy);
	if (err)
		return err;
	current_task()->memory = policy;
	current_task()->memory_next = 0;
	nodes_placement = place_page;
	return 0;
}

/* MPOL_F_NODE with an address: returns the node of its page, which is entered, or -EFAULT. */
static long node_of(uint64_t address)
{
	struct paging_entry entry;
	uint8_t byte;

	if (copy_from_user(&byte, address, 1) ||
	    !paging_query(current_task()->mm->root_phys, address & -PAGE_SIZE, &entry))
		return -EFAULT;
	return node_of_phys(entry.phys);
}

/* MPOL_F_ADDR: sets the mode and nodes, or the node, of an address: 0 or -EFAULT. */
static int at_address(uint64_t address, bool node, uint32_t *mode, uint64_t *nodes)
{
	const struct vma *vma = vma_find(current_task()->mm, address);
	long found;

	if (!vma || vma->start > address)
		return -EFAULT;
	*mode = vma->policy.mode ? vma->policy.mode : *mode;
	*nodes = vma->policy.mode ? vma->policy.nodes : *nodes;
	if (!node)
		return 0;
	found = node_of(address);
	*mode = (uint32_t)found;
	return found < 0 ? -EFAULT : 0;
}

long sys_get_mempolicy(uint64_t mode_user, uint64_t user, uint64_t most, uint64_t address,
		       uint64_t flags)
{
	const struct task *task = current_task();
	uint64_t nodes = task->memory.nodes;
	uint32_t mode = task->memory.mode;

	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED) ||
	    (user && most < nr_nodes))
		return -EINVAL;
	if (flags & MPOL_F_MEMS_ALLOWED) {
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return -EINVAL;
		mode = 0;
		nodes = nodes_with_memory();
	} else if (flags & MPOL_F_ADDR) {
		if (at_address(address, flags & MPOL_F_NODE, &mode, &nodes))
			return -EFAULT;
	} else if (address || (flags & MPOL_F_NODE && mode != MPOL_INTERLEAVE)) {
		return -EINVAL;
	} else if (flags & MPOL_F_NODE) {
		mode = next_node(task, task->memory.nodes);
	}
	if (mode_user && copy_to_user(mode_user, &mode, sizeof(mode)))
		return -EFAULT;
	return nodes_to_user(user, most, nodes);
}

/* Gives the areas of [start, end) a policy: 0, -EFAULT (there is a hole), or as vma_isolate(). */
static int set_area_policy(uint64_t start, uint64_t end, struct memory_policy policy)
{
	struct mm *mm = current_task()->mm;
	int err = vm_is_mapped(mm, start, end - start) ? vma_isolate(mm, start, end) : -EFAULT;
	struct vma *vma;

	if (err)
		return err;
	for (vma = vma_find(mm, start); vma && vma->start < end; vma = vma_next(vma))
		vma->policy = policy;
	vma_merge(mm, start, end);
	nodes_placement = place_page;
	return 0;
}

long sys_mbind(uint64_t address, uint64_t length, uint64_t mode, uint64_t user, uint64_t most,
	       uint64_t flags)
{
	struct memory_policy policy;
	uint64_t nodes;
	int err = nodes_from_user(user, most, &nodes);

	if (err)
		return err;
	if (flags & ~(uint64_t)(MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL) ||
	    address % PAGE_SIZE)
		return -EINVAL;
	length = (length + PAGE_SIZE - 1) & -PAGE_SIZE;
	if (address + length < address)
		return -EINVAL;
	if (!length)
		return 0;
	err = make_policy((uint32_t)mode, nodes, &policy);
	return err ? err : set_area_policy(address, address + length, policy);
}
