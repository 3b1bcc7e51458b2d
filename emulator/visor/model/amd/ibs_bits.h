/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of IBS's registers. Source: BKDG of family 10h and PPRs of families 17h and 19h,
 * MSRC001_1030 to 103C. */
#ifndef VISOR_MODEL_IBS_BITS_H
#define VISOR_MODEL_IBS_BITS_H

#include "emulator/visor/model/base/registers.h"

#define MAX_COUNT REG_BITS(0, 15) /* in units of 16, in both control registers */

#define FETCH_COUNT      REG_BITS(16, 31) /* in units of 16 */
#define FETCH_LATENCY(n) ((uint64_t)(n) << 32)
#define FETCH_ENABLE     REG_BIT(48)
#define FETCH_VALID      REG_BIT(49)
#define FETCH_COMPLETE   REG_BIT(50)
#define FETCH_MISS       REG_BIT(51)
#define FETCH_PHYSICAL   REG_BIT(52) /* the physical address is valid */
#define FETCH_TLB_MISS   REG_BIT(55)
#define FETCH_WALK       REG_BIT(56)
#define FETCH_RANDOM     REG_BIT(57)
#define FETCH_L2_MISS    REG_BIT(58) /* extended */
#define FETCH_L3_ONLY    REG_BIT(59) /* with the filter of L3 misses */
#define FETCH_L3_MISS    REG_BIT(61) /* with the filter of L3 misses */
#define FETCH_LATCHED    (REG_BITS(32, 47) | REG_BITS(49, 56) | REG_BIT(58) | REG_BITS(60, 61))

#define OP_L3_ONLY        REG_BIT(16)
#define OP_ENABLE         REG_BIT(17)
#define OP_VALID          REG_BIT(18)
#define OP_COUNTS_OPS     REG_BIT(19)
#define OP_MAX_COUNT_HIGH REG_BITS(20, 26) /* extended; where they count */
#define OP_COUNT          REG_BITS(32, 58)
#define OP_LATENCY_SHIFT  59 /* 4 bits: the threshold in units of 128 cycles, less one */
#define OP_LATENCY_UNIT   128
#define OP_SLOW_ONLY      REG_BIT(63) /* with the filter of latencies */

#define DATA_TAG_SHIFT    16 /* cycles from tag to retirement; below: from completion to it */
#define DATA_RETURN       REG_BIT(34)
#define DATA_TAKEN        REG_BIT(35)
#define DATA_MISPREDICTED REG_BIT(36)
#define DATA_BRANCH       REG_BIT(37)

#define DATA2_CACHE_HIT REG_BIT(5) /* in another state than modified */

#define DATA3_LOAD          REG_BIT(0)
#define DATA3_STORE         REG_BIT(1)
#define DATA3_TLB_MISS      REG_BIT(2)
#define DATA3_WALK          REG_BIT(3)
#define DATA3_MISS          REG_BIT(7)
#define DATA3_MISALIGNED    REG_BIT(8)
#define DATA3_LOCKED        REG_BIT(15)
#define DATA3_FILL          REG_BIT(16) /* a fill buffer had the line already */
#define DATA3_LINEAR        REG_BIT(17) /* the linear address is valid, */
#define DATA3_PHYSICAL      REG_BIT(18) /* the physical one */
#define DATA3_L2_MISS       REG_BIT(20) /* extended */
#define DATA3_WIDTH_SHIFT   22          /* extended: 1 + the logarithm of the bytes */
#define DATA3_LATENCY_SHIFT 32
#define DATA3_REFILL_SHIFT  48 /* extended: cycles of the TLB's refill */

#endif
