/* SPDX-License-Identifier: BSD-2-Clause */
/* Odd numbers whose bits lie everywhere, by which hashes are multiplied: those of splitmix64. */
#ifndef CORE_MIX_H
#define CORE_MIX_H

#define MIX_FIRST  0x9e3779b97f4a7c15 /* 2^64 by the golden ratio */
#define MIX_SECOND 0xbf58476d1ce4e5b9
#define MIX_THIRD  0x94d049bb133111eb

#endif
