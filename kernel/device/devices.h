/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of /dev. */
#ifndef KERNEL_DEVICES_H
#define KERNEL_DEVICES_H

/* Makes them. Context: start. */
void devices_init(void);

#endif
