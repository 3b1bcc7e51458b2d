/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of the smallest pages of x86-64, for all code outside of the kernel. */
#ifndef ABI_PAGE_H
#define ABI_PAGE_H

#define PAGE 4096ul /* bytes */

#endif
