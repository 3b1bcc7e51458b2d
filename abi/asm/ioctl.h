/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of ioctl() requests: 8 bits of a number, 8 of a type, 14 of a size, 2 of a direction. */
#ifndef ABI_ASM_IOCTL_H
#define ABI_ASM_IOCTL_H

#define _IOC_NONE  0u
#define _IOC_WRITE 1u
#define _IOC_READ  2u

#define _IOC(direction, type, nr, size) \
	((direction) << 30 | (unsigned)(size) << 16 | (unsigned)(type) << 8 | (unsigned)(nr))
#define _IOC_DIR(number)  ((number) >> 30 & 3)
#define _IOC_SIZE(number) ((number) >> 16 & 0x3fff)
#define _IOC_TYPE(number) ((number) >> 8 & 0xff)
#define _IOC_NR(number)   ((number)&0xff)

#define _IO(type, nr)         _IOC(_IOC_NONE, type, nr, 0)
#define _IOR(type, nr, size)  _IOC(_IOC_READ, type, nr, sizeof(size))
#define _IOW(type, nr, size)  _IOC(_IOC_WRITE, type, nr, sizeof(size))
#define _IOWR(type, nr, size) _IOC(_IOC_READ | _IOC_WRITE, type, nr, sizeof(size))

#endif
