/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quantities that the simulated core counts, of which event selections are made. Numbers, no
 * code; emulator/sim/ fills them in, emulator/visor/ reads them. X(NAME, "description").
 */
#ifndef ABI_CORE_QUANTITIES_H
#define ABI_CORE_QUANTITIES_H

/* One row per quantity. */
/* clang-format off */
#define CORE_QUANTITIES(X)                                                                 \
	X(NONE, "nothing")                                                                 \
	X(INSTRUCTIONS, "instructions retired; a repeated string instruction once")        \
	X(EXECUTED, "instructions as QEMU counts them: each repetition, and what faulted") \
	X(CYCLES, "core cycles")                                                           \
	X(REF_CYCLES, "cycles at the nominal frequency")                                   \
	X(BUS_CYCLES, "a quarter of them: cycles of the bus")                              \
	/* Branches retired, by class; mispredicted ones. */                               \
	X(BRANCHES, "branches retired")                                                    \
	X(BRANCHES_TAKEN, "of them, taken")                                                \
	X(NEAR_TAKEN, "of them, near ones")                                                \
	X(CONDITIONAL, "conditional branches")                                             \
	X(CONDITIONAL_TAKEN, "of them, taken")                                             \
	X(CONDITIONAL_NOT_TAKEN, "of them, not taken")                                     \
	X(JUMPS, "direct jumps")                                                           \
	X(JUMPS_INDIRECT, "indirect jumps")                                                \
	X(CALLS, "direct near calls")                                                      \
	X(CALLS_INDIRECT, "indirect near calls")                                           \
	X(RETURNS, "near returns")                                                         \
	X(FAR_BRANCHES, "far branches: SYSCALL, SYSRET, IRET, INT n, far jumps")           \
	X(MISPREDICTED, "branches retired that were mispredicted")                         \
	X(MISPREDICTED_TAKEN, "of them, taken")                                            \
	X(MISPREDICTED_CONDITIONAL, "of them, conditional")                                \
	X(MISPREDICTED_CONDITIONAL_TAKEN, "of them, conditional and taken")                \
	X(MISPREDICTED_CONDITIONAL_NOT_TAKEN, "of them, conditional and not taken")        \
	X(MISPREDICTED_JUMPS_INDIRECT, "of them, indirect jumps")                          \
	X(MISPREDICTED_CALLS_INDIRECT, "of them, indirect calls")                          \
	X(MISPREDICTED_RETURNS, "of them, returns")                                        \
	X(RESTEERS, "direct branches whose target the decoder had to find")                \
	/* Memory instructions retired, and the level of their data. */                       \
	X(LOADS, "instructions retired that load")                                         \
	X(STORES, "instructions retired that store")                                       \
	X(LOADS_L1, "load accesses that hit L1D")                                          \
	X(LOADS_LFB, "load accesses that hit a fill buffer")                               \
	X(LOADS_L2, "load accesses that hit L2")                                           \
	X(LOADS_L3, "load accesses that hit the last level")                               \
	X(LOADS_HITM, "load accesses that hit another processor's changed line")           \
	X(LOADS_DRAM, "load accesses that went to memory")                                 \
	X(LOADS_SLOW, "load accesses that took as long as PEBS asks")                      \
	X(SPLIT_LOADS, "load accesses over two lines")                                     \
	X(SPLIT_STORES, "store accesses over two lines")                                   \
	/* Caches. */                                                                      \
	X(L1D_LOADS, "load accesses")                                                      \
	X(L1D_STORES, "store accesses")                                                    \
	X(L1D_LOAD_MISSES, "load accesses that missed L1D")                                \
	X(L1D_STORE_MISSES, "store accesses that missed L1D")                              \
	X(L1D_REPLACED, "lines brought into L1D")                                          \
	X(L1D_WRITTEN_BACK, "lines written back from L1D")                                 \
	X(L1I_FETCHES, "lines of instructions fetched")                                    \
	X(L1I_MISSES, "of them, not in L1I")                                               \
	X(L2_LOADS, "demand loads and page walks at L2")                                   \
	X(L2_LOAD_MISSES, "of them, not in L2")                                            \
	X(L2_LOAD_HITS, "of them, in L2")                                                  \
	X(L2_CODE, "instruction fetches at L2")                                            \
	X(L2_CODE_MISSES, "of them, not in L2")                                            \
	X(L2_CODE_HITS, "of them, in L2")                                                  \
	X(L2_STORES, "stores at L2")                                                       \
	X(L2_STORE_MISSES, "of them, not in L2")                                           \
	X(L2_STORE_HITS, "of them, in L2")                                                 \
	X(L2_FILLED, "lines brought into L2, prefetched ones too")                         \
	X(L2_WRITTEN_BACK, "lines written back from L2")                                   \
	X(LAST_REQUESTS, "requests to the last level, prefetches too")                     \
	X(LAST_MISSES, "of them, misses")                                                  \
	X(LAST_LOADS, "demand loads at the last level")                                    \
	X(LAST_LOAD_MISSES, "of them, misses")                                             \
	X(LAST_STORES, "stores at the last level")                                         \
	X(LAST_STORE_MISSES, "of them, misses")                                            \
	X(PREFETCHES_L2, "lines prefetched into L2")                                       \
	X(PREFETCHES_L1D, "lines prefetched into L1D")                                     \
	X(HITM, "accesses to lines that another processor had changed")                    \
	X(INVALIDATED, "lines lost to another processor's stores")                         \
	/* TLBs. */                                                                        \
	X(DTLB_LOAD_MISSES, "loads not in the first-level data TLB")                       \
	X(DTLB_LOAD_STLB_HITS, "of them, found in the second level")                       \
	X(DTLB_LOAD_WALKS, "of them, walks of the page tables")                            \
	X(DTLB_LOAD_WALK_CYCLES, "cycles of these walks")                                  \
	X(DTLB_STORE_MISSES, "stores not in the first-level data TLB")                     \
	X(DTLB_STORE_STLB_HITS, "of them, found in the second level")                      \
	X(DTLB_STORE_WALKS, "of them, walks of the page tables")                           \
	X(DTLB_STORE_WALK_CYCLES, "cycles of these walks")                                 \
	X(ITLB_MISSES, "fetches not in the first-level instruction TLB")                   \
	X(ITLB_STLB_HITS, "of them, found in the second level")                            \
	X(ITLB_WALKS, "of them, walks of the page tables")                                 \
	X(ITLB_WALK_CYCLES, "cycles of these walks")                                       \
	/* Statistics of components, in the order of the page's names. */ \
	X(COMPONENT_0, "the statistic of a component that is event 0") \
	X(COMPONENT_1, "the statistic of a component that is event 1") \
	X(COMPONENT_2, "the statistic of a component that is event 2") \
	X(COMPONENT_3, "the statistic of a component that is event 3") \
	X(COMPONENT_4, "the statistic of a component that is event 4") \
	X(COMPONENT_5, "the statistic of a component that is event 5") \
	X(COMPONENT_6, "the statistic of a component that is event 6") \
	X(COMPONENT_7, "the statistic of a component that is event 7") \
	X(COMPONENT_8, "the statistic of a component that is event 8") \
	X(COMPONENT_9, "the statistic of a component that is event 9") \
	X(COMPONENT_10, "the statistic of a component that is event 10") \
	X(COMPONENT_11, "the statistic of a component that is event 11") \
	X(COMPONENT_12, "the statistic of a component that is event 12") \
	X(COMPONENT_13, "the statistic of a component that is event 13") \
	X(COMPONENT_14, "the statistic of a component that is event 14") \
	X(COMPONENT_15, "the statistic of a component that is event 15") \
	X(COMPONENT_16, "the statistic of a component that is event 16") \
	X(COMPONENT_17, "the statistic of a component that is event 17") \
	X(COMPONENT_18, "the statistic of a component that is event 18") \
	X(COMPONENT_19, "the statistic of a component that is event 19") \
	X(COMPONENT_20, "the statistic of a component that is event 20") \
	X(COMPONENT_21, "the statistic of a component that is event 21") \
	X(COMPONENT_22, "the statistic of a component that is event 22") \
	X(COMPONENT_23, "the statistic of a component that is event 23") \
	X(COMPONENT_24, "the statistic of a component that is event 24") \
	X(COMPONENT_25, "the statistic of a component that is event 25") \
	X(COMPONENT_26, "the statistic of a component that is event 26") \
	X(COMPONENT_27, "the statistic of a component that is event 27") \
	X(COMPONENT_28, "the statistic of a component that is event 28") \
	X(COMPONENT_29, "the statistic of a component that is event 29") \
	X(COMPONENT_30, "the statistic of a component that is event 30") \
	X(COMPONENT_31, "the statistic of a component that is event 31") \
	X(SLOTS, "slots of the front end: its width in each cycle") \
	/* Details of the pipeline, from CORE_FIRST_DETAIL on: collected only while they are
	 * counted. */ \
	X(ISSUE_CYCLES, "cycles in which something issued") \
	X(RETIRE_CYCLES, "cycles in which something retired") \
	X(UOPS_ISSUED, "micro-operations issued") \
	X(UOPS_EXECUTED, "micro-operations executed") \
	X(UOPS_RETIRED, "slots retired") \
	X(PORT_0, "micro-operations that port 0 executed") \
	X(PORT_1, "micro-operations that port 1 executed") \
	X(PORT_2, "micro-operations that port 2 executed") \
	X(PORT_3, "micro-operations that port 3 executed") \
	X(PORT_4, "micro-operations that port 4 executed") \
	X(PORT_5, "micro-operations that port 5 executed") \
	X(PORT_6, "micro-operations that port 6 executed") \
	X(PORT_7, "micro-operations that port 7 executed") \
	X(PORT_8, "micro-operations that port 8 executed") \
	X(PORT_9, "micro-operations that port 9 executed") \
	X(PORT_10, "micro-operations that port 10 executed") \
	X(PORT_11, "micro-operations that port 11 executed") \
	X(SLOTS_RETIRING, "top-down: slots that retired") \
	X(SLOTS_BAD_SPECULATION, "top-down: slots lost to wrong paths") \
	X(SLOTS_FRONTEND, "top-down: slots that the front end left empty") \
	X(SLOTS_BACKEND, "top-down: slots that waited for the back end") \
	X(SLOTS_HEAVY, "top-down: retiring slots of instructions of several") \
	X(SLOTS_MISPREDICTED, "top-down: slots lost to mispredicted branches") \
	X(SLOTS_FETCH_LATENCY, "top-down: front-end slots of whole empty cycles") \
	X(SLOTS_MEMORY, "top-down: back-end slots that waited for memory") \
	X(PENDING_CYCLES_L1D, "cycles with a load that missed L1D outstanding") \
	X(PENDING_CYCLES_L2, "of them, one that missed L2") \
	X(PENDING_CYCLES_L3, "of them, one that missed the last level") \
	X(STALL_CYCLES_MEMORY, "cycles of the back end's stalls with a load that missed L1D outstanding") \
	X(STALL_CYCLES_L2, "of them, one that missed L2") \
	X(STALL_CYCLES_L3, "of them, one that missed the last level") \
	X(STALL_CYCLES_FRONTEND, "cycles in which the front end delivered nothing") \
	X(STALL_CYCLES_RESOURCES, "cycles in which a buffer was full") \
	X(STALL_CYCLES_ROB, "of them, the reorder buffer") \
	X(STALL_CYCLES_SCHEDULER, "of them, the scheduler") \
	X(STALL_CYCLES_STORES, "of them, the store buffer") \
	X(RECOVERY_CYCLES, "cycles of recovery from mispredictions") \
	X(DIVIDER_CYCLES, "cycles in which the divider worked") \
	X(DIVISIONS, "instructions that it worked for") \
	X(STORE_FORWARDS, "loads that got their data from a store in flight") \
	X(STORE_FORWARDS_BLOCKED, "loads that had to wait for such a store to be done") \
	X(STORE_FORWARDS_ALIASED, "loads that waited for a store to the same offset of another page") \
	X(CLEARS_SMC, "machine clears by stores to code") \
	X(FP_ASSISTS, "assists for vector instructions with denormal numbers") \
	X(LOCKED_LOADS, "locked loads retired") \
	X(FP_SCALAR_SINGLE, "floating-point operations retired, by width") \
	X(FP_SCALAR_DOUBLE, "of scalars") \
	X(FP_128_SINGLE, "of 128 bits") \
	X(FP_128_DOUBLE, "of 128 bits") \
	X(FP_256_SINGLE, "of 256 bits") \
	X(FP_256_DOUBLE, "of 256 bits") \
	X(FP_X87, "of the x87") \
	X(FLOPS_ADD, "additions of elements by vector instructions retired") \
	X(FLOPS_MULTIPLY, "multiplications") \
	X(FLOPS_DIVIDE, "divisions and square roots") \
	X(FLOPS_MULTIPLY_ADD, "multiplications and additions, two an element") \
	X(UOPS_MICROCODE, "micro-operations of the microcode sequencer") \
	X(FUSED_BRANCHES, "branches joined with the instruction before them") \
	/* Sums over all cycles. */ \
	X(OUTSTANDING_L1D, "lines on their way to L1D for loads, in each cycle") \
	X(ROB_ENTRIES, "slots in the reorder buffer in each cycle") \
	X(LOAD_ENTRIES, "loads in the load buffer in each cycle") \
	X(STORE_ENTRIES, "stores in the store buffer in each cycle")
/* clang-format on */

#define CORE_QUANTITY_NUMBER(name, what) CORE_##name,
enum core_quantity { CORE_QUANTITIES(CORE_QUANTITY_NUMBER) CORE_NR_QUANTITIES };
#undef CORE_QUANTITY_NUMBER

#define CORE_FIRST_DETAIL CORE_ISSUE_CYCLES
#define CORE_IS_COMPONENT(quantity) \
	((quantity) >= CORE_COMPONENT_0 && (quantity) <= CORE_COMPONENT_31)

#endif
