/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions in files, flags of reads, writes and renames. */
#ifndef ABI_LINUX_FS_H
#define ABI_LINUX_FS_H

#define RENAME_NOREPLACE 0x1
#define RENAME_EXCHANGE  0x2

#define RWF_HIPRI  0x1
#define RWF_DSYNC  0x2
#define RWF_SYNC   0x4
#define RWF_NOWAIT 0x8

#define SEEK_SET  0
#define SEEK_CUR  1
#define SEEK_END  2
#define SEEK_DATA 3
#define SEEK_HOLE 4

#endif
