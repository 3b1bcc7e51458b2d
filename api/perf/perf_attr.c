/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies and checks struct perf_event_attr: sizes of all versions, reserved bits, fields that
 * exclude each other. */
#include <linux/errno.h>
#include "api/perf/perf.h"
#include "api/versioned.h"
#include "kernel/base/system.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "pmu/base/later.h"
#include "pmu/base/limits.h"
#include "pmu/base/registers.h"
#include "pmu/core/core.h"

_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER7, "Linux 6.1's ABI");
_Static_assert(offsetof(struct perf_event_attr, sig_data) == 120, "Linux 6.1's ABI");

#define STACK_DUMP_MAX 65535 /* header.size has 16 bits */

/* The struct with all fields up to Linux 6.19's. No PMU here reads config3 and config4. */
struct newest_attr {
	struct perf_event_attr attr;
	uint64_t config3, config4;
};

_Static_assert(offsetof(struct newest_attr, config3) == PERF_ATTR_SIZE_VER7, "Linux's ABI");

/* Returns the size of the struct in the Linux whose interface this is. */
static uint32_t attr_size(void)
{
	return system_since(19)  ? sizeof(struct newest_attr)
	       : system_since(3) ? offsetof(struct newest_attr, config4)
				 : sizeof(struct perf_event_attr);
}

static int too_big(uint64_t user)
{
	uint32_t size = attr_size();

	copy_to_user(user + offsetof(struct perf_event_attr, size), &size, sizeof(size));
	return -E2BIG;
}

/* Copies a struct that may have fields which struct perf_event_attr lacks. */
static int copy_newest(struct perf_event_attr *attr, uint64_t user, uint32_t size)
{
	struct newest_attr newest;
	int err = copy_versioned(&newest, attr_size(), user, size);

	if (!err)
		*attr = newest.attr;
	return err;
}

int perf_attr_copy(struct perf_event_attr *attr, uint64_t user)
{
	uint32_t size;
	int err;

	if (copy_from_user(&size, user + offsetof(struct perf_event_attr, size), sizeof(size)))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE)
		return too_big(user);
	err = attr_size() == sizeof(*attr) ? copy_versioned(attr, sizeof(*attr), user, size)
					   : copy_newest(attr, user, size);
	if (err)
		return err == -E2BIG ? too_big(user) : err;
	attr->size = size;
	return perf_attr_check(attr);
}

static bool branch_types_valid(uint64_t mask)
{
	return !(mask & ~(uint64_t)(PERF_SAMPLE_BRANCH_MAX - 1)) &&
	       (mask & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL);
}

/* True if the current task may observe the kernel. */
static bool may_see_kernel(void)
{
	return perf_limits.paranoid <= 1 || perf_privileged();
}

static int check_branches(struct perf_event_attr *attr)
{
	uint64_t mask = attr->branch_sample_type;

	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (!branch_types_valid(mask))
		return -EINVAL;
	/* By default the branches are of the event's rings. */
	if (!(mask & PERF_SAMPLE_BRANCH_PLM_ALL))
		mask |= (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
			(attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
			(attr->exclude_hv ? 0 : PERF_SAMPLE_BRANCH_HV);
	attr->branch_sample_type = mask;
	return (mask & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)) && !may_see_kernel()
		   ? -EACCES
		   : 0;
}

static bool samples_valid(const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	if ((type & PERF_SAMPLE_REGS_USER) && !registers_valid(attr->sample_regs_user))
		return false;
	if ((type & PERF_SAMPLE_STACK_USER) &&
	    (attr->sample_stack_user >= STACK_DUMP_MAX || attr->sample_stack_user % 8))
		return false;
	if ((type & PERF_SAMPLE_REGS_INTR) && !registers_valid(attr->sample_regs_intr))
		return false;
	return (type & PERF_SAMPLE_WEIGHT_TYPE) != PERF_SAMPLE_WEIGHT_TYPE;
}

static bool flags_valid(const struct perf_event_attr *attr)
{
	if (attr->inherit_thread && !attr->inherit)
		return false;
	if (attr->remove_on_exec && attr->enable_on_exec)
		return false;
	return !attr->sigtrap || attr->remove_on_exec;
}

/* An event pauses traces or resumes them, and only a sample can do that. */
static bool aux_action_valid(const struct perf_event_attr *attr)
{
	uint32_t action = attr->__reserved_3;

	return (action & (ATTR_AUX_PAUSE | ATTR_AUX_RESUME)) != (ATTR_AUX_PAUSE | ATTR_AUX_RESUME);
}

int perf_attr_check(struct perf_event_attr *attr)
{
	int err;

	if ((attr->__reserved_1 & ~(system_since(19) ? ATTR_DEFER : 0)) || attr->__reserved_2 ||
	    (attr->__reserved_3 & ~(system_since(13) ? ATTR_AUX_ACTION : 0)))
		return -EINVAL;
	if (!aux_action_valid(attr))
		return -EINVAL;
	if (attr->sample_type & ~(uint64_t)(PERF_SAMPLE_MAX - 1))
		return -EINVAL;
	if (attr->read_format & ~(uint64_t)(PERF_FORMAT_MAX - 1))
		return -EINVAL;
	err = check_branches(attr);
	if (err)
		return err;
	if (!attr->sample_max_stack)
		attr->sample_max_stack = (uint16_t)perf_limits.max_stack;
	return samples_valid(attr) && flags_valid(attr) ? 0 : -EINVAL;
}

int perf_attr_permit(const struct perf_event_attr *attr)
{
	/* Debian's level: only the administrator. */
	if (perf_limits.paranoid > 2 && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	if ((!attr->exclude_kernel || attr->text_poke) && !may_see_kernel())
		return -EACCES;
	if (attr->namespaces && !perf_privileged())
		return -EACCES;
	if (attr->freq ? attr->sample_freq > perf_limits.sample_rate : attr->sample_period >> 63)
		return -EINVAL;
	if ((attr->sample_type & PERF_SAMPLE_PHYS_ADDR) && !may_see_kernel())
		return -EACCES;
	return 0;
}
