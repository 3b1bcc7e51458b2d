/* SPDX-License-Identifier: BSD-2-Clause */
/* System V shared memory. */
#ifndef ABI_LINUX_SHM_H
#define ABI_LINUX_SHM_H

#include <linux/ipc.h>

#define SHM_LOCK     11
#define SHM_UNLOCK   12
#define SHM_STAT     13
#define SHM_INFO     14
#define SHM_STAT_ANY 15
#define SHM_HUGETLB  04000
#define SHM_RDONLY   010000
#define SHM_RND      020000
#define SHM_REMAP    040000
#define SHM_EXEC     0100000

struct shmid64_ds {
	struct ipc64_perm shm_perm;
	__kernel_size_t shm_segsz;
	long shm_atime, shm_dtime, shm_ctime;
	__kernel_pid_t shm_cpid, shm_lpid;
	unsigned long shm_nattch, __reserved4, __reserved5;
};

struct shminfo64 {
	unsigned long shmmax, shmmin, shmmni, shmseg, shmall, __reserved[4];
};

struct shm_info {
	int used_ids;
	__kernel_ulong_t shm_tot, shm_rss, shm_swp, swap_attempts, swap_successes;
};

#endif
