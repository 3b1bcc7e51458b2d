/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA memory policies: get_mempolicy(2), set_mempolicy(2), mbind(2). There is one node, so
 * policies are stored and returned but have no effect. */
#include <linux/errno.h>
#include <linux/mempolicy.h>
#include "api/calls.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define NODES     1
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

/* Checks the nodes against the mode; on success *mode and *nodes are the policy to store. */
static int check_policy(uint32_t *mode, uint64_t *named)
{
	uint64_t nodes = *named;
	uint32_t flags = *mode & MPOL_MODE_FLAGS, plain = *mode & ~(uint32_t)MPOL_MODE_FLAGS;

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
			*mode = MPOL_LOCAL;
			return 0;
		}
		break;
	default:
		break;
	}
	*named = nodes & ((1ul << NODES) - 1);
	return *named ? 0 : -EINVAL;
}

long sys_set_mempolicy(uint64_t mode, uint64_t user, uint64_t most)
{
	uint32_t kept = (uint32_t)mode;
	uint64_t nodes;
	int err = nodes_from_user(user, most, &nodes);

	if (!err)
		err = check_policy(&kept, &nodes);
	if (err)
		return err;
	current_task()->memory_mode = kept;
	current_task()->memory_nodes = nodes;
	return 0;
}

/* MPOL_F_NODE with an address: returns the node of its page, which is entered. */
static long node_of(uint64_t address)
{
	uint8_t byte;

	return copy_from_user(&byte, address, 1);
}

long sys_get_mempolicy(uint64_t mode_user, uint64_t user, uint64_t most, uint64_t address,
		       uint64_t flags)
{
	const struct task *task = current_task();
	uint64_t nodes = task->memory_nodes;
	uint32_t mode = task->memory_mode;

	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED) ||
	    (user && most < NODES))
		return -EINVAL;
	if (flags & MPOL_F_MEMS_ALLOWED) {
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return -EINVAL;
		mode = 0;
		nodes = (1ul << NODES) - 1;
	} else if (flags & MPOL_F_ADDR) {
		if (!vm_is_mapped(task->mm, address & -PAGE_SIZE, PAGE_SIZE))
			return -EFAULT;
		if (flags & MPOL_F_NODE && node_of(address))
			return -EFAULT;
		mode = flags & MPOL_F_NODE ? 0 : mode;
	} else if (address || (flags & MPOL_F_NODE && mode != MPOL_INTERLEAVE)) {
		return -EINVAL;
	} else if (flags & MPOL_F_NODE) {
		mode = 0; /* the next one's number */
	}
	if (mode_user && copy_to_user(mode_user, &mode, sizeof(mode)))
		return -EFAULT;
	return nodes_to_user(user, most, nodes);
}

long sys_mbind(uint64_t address, uint64_t length, uint64_t mode, uint64_t user, uint64_t most,
	       uint64_t flags)
{
	uint32_t kept = (uint32_t)mode;
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
	err = check_policy(&kept, &nodes);
	if (err)
		return err;
	return vm_is_mapped(current_task()->mm, address, length) ? 0 : -EFAULT;
}
