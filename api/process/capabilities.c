/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities: capget(2), capset(2), and the operations of prctl(2) on capabilities and
 * credentials. */
#include <linux/errno.h>
#include <linux/prctl.h>
#include <linux/securebits.h>
#include "api/calls.h"
#include "kernel/mem/user.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

/* Reads the header: 0 and the number of words in a set of the caller's version, or a negative
 * errno. */
static int read_header(uint64_t user, struct __user_cap_header_struct *header, unsigned *words)
{
	if (copy_from_user(header, user, sizeof(*header)))
		return -EFAULT;
	switch (header->version) {
	case _LINUX_CAPABILITY_VERSION_1:
		*words = _LINUX_CAPABILITY_U32S_1;
		return 0;
	case _LINUX_CAPABILITY_VERSION_2:
	case _LINUX_CAPABILITY_VERSION_3:
		*words = _LINUX_CAPABILITY_U32S_3;
		return 0;
	}
	header->version = _LINUX_CAPABILITY_VERSION_3;
	return copy_to_user(user, header, sizeof(*header)) ? -EFAULT : -EINVAL;
}

long sys_capget(uint64_t header_user, uint64_t data_user)
{
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	struct task *task;
	unsigned words;
	int err = read_header(header_user, &header, &words);

	if (err)
		return err == -EINVAL && !data_user ? 0 : err;
	if (header.pid < 0)
		return -EINVAL;
	task = task_find(header.pid ? header.pid : current_task()->pid);
	if (!task)
		return -ESRCH;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i] = (struct __user_cap_data_struct){
		    .effective = (uint32_t)(task->cred.effective >> 32 * i),
		    .permitted = (uint32_t)(task->cred.permitted >> 32 * i),
		    .inheritable = (uint32_t)(task->cred.inheritable >> 32 * i)};
	task_put(task);
	return data_user ? copy_to_user(data_user, data, words * sizeof(data[0])) : 0;
}

/* True if the current task may take these sets. */
static bool permitted(const struct cred *new, const struct cred *old)
{
	if (!capable(CAP_SETPCAP) && new->inheritable & ~(old->inheritable | old->permitted))
		return false;
	return !(new->inheritable & ~(old->inheritable | old->bounding)) &&
	       !(new->permitted & ~old->permitted) && !(new->effective & ~new->permitted);
}

long sys_capset(uint64_t header_user, uint64_t data_user)
{
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	struct task *task = current_task();
	struct cred new = task->cred;
	unsigned words;
	int err = read_header(header_user, &header, &words);

	if (err)
		return err;
	if (header.pid && header.pid != task->pid)
		return -EPERM;
	if (copy_from_user(data, data_user, words * sizeof(data[0])))
		return -EFAULT;
	new.effective = (data[0].effective | (uint64_t)data[1].effective << 32) & CAPABILITIES_ALL;
	new.permitted = (data[0].permitted | (uint64_t)data[1].permitted << 32) & CAPABILITIES_ALL;
	new.inheritable =
	    (data[0].inheritable | (uint64_t)data[1].inheritable << 32) & CAPABILITIES_ALL;
	if (!permitted(&new, &task->cred))
		return -EPERM;
	new.ambient &= new.permitted &new.inheritable;
	cred_commit(&new);
	return 0;
}

static long drop_bounding(struct cred *cred, uint64_t capability)
{
	if (!capable(CAP_SETPCAP))
		return -EPERM;
	if (capability > CAP_LAST_CAP)
		return -EINVAL;
	cred->bounding &= ~(1ul << capability);
	return 0;
}

static long set_securebits(struct cred *cred, uint64_t bits)
{
	uint64_t old = cred->securebits, locked = old & SECURE_ALL_LOCKS;

	if ((locked >> 1 & (old ^ bits)) || locked & ~bits ||
	    bits & ~(uint64_t)(SECURE_ALL_LOCKS | SECURE_ALL_BITS) || !capable(CAP_SETPCAP))
		return -EPERM;
	cred->securebits = (uint32_t)bits;
	return 0;
}

static long set_keep(struct cred *cred, uint64_t keep)
{
	if (keep > 1)
		return -EINVAL;
	if (cred->securebits & SECBIT_KEEP_CAPS_LOCKED)
		return -EPERM;
	cred->securebits &= ~(uint32_t)SECBIT_KEEP_CAPS;
	cred->securebits |= keep ? SECBIT_KEEP_CAPS : 0;
	return 0;
}

static long change_ambient(struct cred *cred, uint64_t what, uint64_t capability, uint64_t rest)
{
	uint64_t bit = 1ul << (capability & 63);

	if (rest || (what == PR_CAP_AMBIENT_CLEAR_ALL ? capability : capability > CAP_LAST_CAP))
		return -EINVAL;
	switch (what) {
	case PR_CAP_AMBIENT_CLEAR_ALL:
		cred->ambient = 0;
		return 0;
	case PR_CAP_AMBIENT_IS_SET:
		return !!(cred->ambient & bit);
	case PR_CAP_AMBIENT_RAISE:
		if (!(cred->permitted & cred->inheritable & bit) ||
		    cred->securebits & SECBIT_NO_CAP_AMBIENT_RAISE)
			return -EPERM;
		cred->ambient |= bit;
		return 0;
	case PR_CAP_AMBIENT_LOWER:
		cred->ambient &= ~bit;
		return 0;
	default:
		return -EINVAL;
	}
}

static long set_dumpable(uint64_t value)
{
	if (value != DUMPABLE_NOBODY && value != DUMPABLE_USER)
		return -EINVAL;
	current_task()->mm->dumpable = (uint32_t)value;
	return 0;
}

long prctl_credentials(int option, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	struct cred *cred = &current_task()->cred;

	switch (option) {
	case PR_GET_DUMPABLE:
		return current_task()->mm->dumpable;
	case PR_SET_DUMPABLE:
		return set_dumpable(arg2);
	case PR_GET_KEEPCAPS:
		return !!(cred->securebits & SECBIT_KEEP_CAPS);
	case PR_SET_KEEPCAPS:
		return set_keep(cred, arg2);
	case PR_CAPBSET_READ:
		return arg2 > CAP_LAST_CAP ? -EINVAL : (long)(cred->bounding >> arg2 & 1);
	case PR_CAPBSET_DROP:
		return drop_bounding(cred, arg2);
	case PR_GET_SECUREBITS:
		return cred->securebits;
	case PR_SET_SECUREBITS:
		return set_securebits(cred, arg2);
	case PR_CAP_AMBIENT:
		return change_ambient(cred, arg2, arg3, arg4 | arg5);
	case PR_GET_NO_NEW_PRIVS:
		return arg2 || arg3 || arg4 || arg5 ? -EINVAL : cred->no_new_privs;
	case PR_SET_NO_NEW_PRIVS:
		if (arg2 != 1 || arg3 || arg4 || arg5)
			return -EINVAL;
		cred->no_new_privs = true;
		return 0;
	default:
		return -EINVAL;
	}
}
