/* SPDX-License-Identifier: BSD-2-Clause */
/* Odd multipliers with well-distributed bits, for hashes: splitmix64's. */
#ifndef CORE_MIX_H
#define CORE_MIX_H

#define MIX_FIRST  0x9e3779b97f4a7c15 /* 2^64 by the golden ratio */
#define MIX_SECOND 0xbf58476d1ce4e5b9
#define MIX_THIRD  0x94d049bb133111eb

#endif
