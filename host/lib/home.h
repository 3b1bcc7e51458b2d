/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the files of barepmu itself are. */
#ifndef HOST_LIB_HOME_H
#define HOST_LIB_HOME_H

/* Returns the allocated absolute path of `name`; ends the command when it is missing. */
char *home_file(const char *name);
/* As home_file(), but returns NULL for a missing file. */
char *find_home_file(const char *name);
/* Returns the kernel image: the file that BAREPMU_KERNEL names, else ours. */
char *kernel_file(void);

#endif
