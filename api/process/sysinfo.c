/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the system, and random numbers: uname(2), sethostname(2), sysinfo(2),
 * getrandom(2). */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/random.h>
#include <linux/sysinfo.h>
#include <linux/utsname.h>
#include "api/calls.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/base/system.h"
#include "kernel/device/random.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

long sys_uname(uint64_t user)
{
	const struct uts *uts = uts_of(current_task());
	struct new_utsname name = {
	    .sysname = "Linux",
	    .version = SYSTEM_VERSION,
	    .machine = "x86_64",
	};

	strlcpy(name.release, system_release(), sizeof(name.release));
	memcpy(name.nodename, uts->node, sizeof(uts->node));
	memcpy(name.domainname, uts->domain, sizeof(uts->domain));
	return copy_to_user(user, &name, sizeof(name));
}

_Static_assert(sizeof(((struct new_utsname *)0)->nodename) == UTS_NAME_SIZE, "struct uts");

/* A name may contain any bytes. */
static long set_name(char *name, uint64_t user, uint64_t length)
{
	char bytes[UTS_NAME_SIZE] = "";

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if ((int)length < 0 || (int)length >= UTS_NAME_SIZE)
		return -EINVAL;
	if (copy_from_user(bytes, user, (uint32_t)length))
		return -EFAULT;
	memcpy(name, bytes, sizeof(bytes));
	return 0;
}

long sys_sethostname(uint64_t user, uint64_t length)
{
	return set_name(uts_of(current_task())->node, user, length);
}

long sys_setdomainname(uint64_t user, uint64_t length)
{
	return set_name(uts_of(current_task())->domain, user, length);
}

long sys_sysinfo(uint64_t user)
{
	struct sysinfo info = {
	    .uptime = (long)(clock_ns() / NS_PER_SEC),
	    .totalram = memory_total_pages(),
	    .freeram = memory_free_pages(),
	    .procs = (uint16_t)nr_all_tasks,
	    .mem_unit = PAGE_SIZE,
	};

	return copy_to_user(user, &info, sizeof(info));
}

long sys_getrandom(uint64_t buffer, uint64_t bytes, uint64_t flags)
{
	if (flags & ~(uint64_t)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE) ||
	    (flags & (GRND_RANDOM | GRND_INSECURE)) == (GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	return random_to_user(buffer, bytes < INT32_MAX ? bytes : INT32_MAX);
}
