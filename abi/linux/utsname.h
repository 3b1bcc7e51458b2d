/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the system. */
#ifndef ABI_LINUX_UTSNAME_H
#define ABI_LINUX_UTSNAME_H

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

#endif
