/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers and structs of perf_event_open(2) in Linux 6.1, the version that this kernel
 * implements: the build machine's <linux/perf_event.h> may be newer, with longer structs and larger
 * limits. Names and values are Linux's (perf_event_open(2)); tests/host/abi/ compares them with the
 * build machine's.
 */
#ifndef ABI_LINUX_PERF_EVENT_H
#define ABI_LINUX_PERF_EVENT_H

#include <asm/ioctl.h>
#include <linux/types.h>

/* ---- types of events and their configs ---- */

enum perf_type_id {
	PERF_TYPE_HARDWARE,
	PERF_TYPE_SOFTWARE,
	PERF_TYPE_TRACEPOINT,
	PERF_TYPE_HW_CACHE,
	PERF_TYPE_RAW,
	PERF_TYPE_BREAKPOINT,
	PERF_TYPE_MAX
};

/* The upper half of a generic event's config selects one of several PMUs. */
#define PERF_PMU_TYPE_SHIFT 32
#define PERF_HW_EVENT_MASK  0xffffffff

enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_BUS_CYCLES,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	PERF_COUNT_HW_REF_CPU_CYCLES,
	PERF_COUNT_HW_MAX
};

enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D,
	PERF_COUNT_HW_CACHE_L1I,
	PERF_COUNT_HW_CACHE_LL,
	PERF_COUNT_HW_CACHE_DTLB,
	PERF_COUNT_HW_CACHE_ITLB,
	PERF_COUNT_HW_CACHE_BPU,
	PERF_COUNT_HW_CACHE_NODE,
	PERF_COUNT_HW_CACHE_MAX
};

enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ,
	PERF_COUNT_HW_CACHE_OP_WRITE,
	PERF_COUNT_HW_CACHE_OP_PREFETCH,
	PERF_COUNT_HW_CACHE_OP_MAX
};

enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS,
	PERF_COUNT_HW_CACHE_RESULT_MISS,
	PERF_COUNT_HW_CACHE_RESULT_MAX
};

enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK,
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,
	PERF_COUNT_SW_DUMMY,
	PERF_COUNT_SW_BPF_OUTPUT,
	PERF_COUNT_SW_CGROUP_SWITCHES,
	PERF_COUNT_SW_MAX
};

/* ---- contents of a sample, results of read() ---- */

enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_BRANCH_STACK = 1 << 11,
	PERF_SAMPLE_REGS_USER = 1 << 12,
	PERF_SAMPLE_STACK_USER = 1 << 13,
	PERF_SAMPLE_WEIGHT = 1 << 14,
	PERF_SAMPLE_DATA_SRC = 1 << 15,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
	PERF_SAMPLE_TRANSACTION = 1 << 17,
	PERF_SAMPLE_REGS_INTR = 1 << 18,
	PERF_SAMPLE_PHYS_ADDR = 1 << 19,
	PERF_SAMPLE_AUX = 1 << 20,
	PERF_SAMPLE_CGROUP = 1 << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1 << 24,
	PERF_SAMPLE_MAX = 1 << 25
};

#define PERF_SAMPLE_WEIGHT_TYPE (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE,
	PERF_SAMPLE_REGS_ABI_32,
	PERF_SAMPLE_REGS_ABI_64
};

enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1 << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1 << 1,
	PERF_FORMAT_ID = 1 << 2,
	PERF_FORMAT_GROUP = 1 << 3,
	PERF_FORMAT_LOST = 1 << 4,
	PERF_FORMAT_MAX = 1 << 5
};

/* ---- the attr ---- */

/* Bytes of the first version, and of those since 6.1's. */
#define PERF_ATTR_SIZE_VER0 64
#define PERF_ATTR_SIZE_VER6 120
#define PERF_ATTR_SIZE_VER7 128

struct perf_event_attr {
	__u32 type;
	__u32 size;
	__u64 config;
	union {
		__u64 sample_period;
		__u64 sample_freq;
	};
	__u64 sample_type;
	__u64 read_format;
	__u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1;
	__u64 exclude_user : 1, exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1;
	__u64 mmap : 1, comm : 1, freq : 1, inherit_stat : 1;
	__u64 enable_on_exec : 1, task : 1, watermark : 1, precise_ip : 2;
	__u64 mmap_data : 1, sample_id_all : 1, exclude_host : 1, exclude_guest : 1;
	__u64 exclude_callchain_kernel : 1, exclude_callchain_user : 1;
	__u64 mmap2 : 1, comm_exec : 1, use_clockid : 1, context_switch : 1;
	__u64 write_backward : 1, namespaces : 1, ksymbol : 1, bpf_event : 1;
	__u64 aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1;
	__u64 inherit_thread : 1, remove_on_exec : 1, sigtrap : 1, __reserved_1 : 26;
	union {
		__u32 wakeup_events;
		__u32 wakeup_watermark;
	};
	__u32 bp_type;
	union {
		__u64 bp_addr;
		__u64 kprobe_func;
		__u64 uprobe_path;
		__u64 config1;
	};
	union {
		__u64 bp_len;
		__u64 kprobe_addr;
		__u64 probe_offset;
		__u64 config2;
	};
	__u64 branch_sample_type;
	__u64 sample_regs_user;
	__u32 sample_stack_user;
	__s32 clockid;
	__u64 sample_regs_intr;
	__u32 aux_watermark;
	__u16 sample_max_stack;
	__u16 __reserved_2;
	__u32 aux_sample_size;
	__u32 __reserved_3;
	__u64 sig_data;
};

#define PERF_FLAG_FD_NO_GROUP (1ul << 0)
#define PERF_FLAG_FD_OUTPUT   (1ul << 1)
#define PERF_FLAG_PID_CGROUP  (1ul << 2)
#define PERF_FLAG_FD_CLOEXEC  (1ul << 3)

/* ---- ioctl() ---- */

#define PERF_EVENT_IOC_ENABLE            _IO('$', 0)
#define PERF_EVENT_IOC_DISABLE           _IO('$', 1)
#define PERF_EVENT_IOC_REFRESH           _IO('$', 2)
#define PERF_EVENT_IOC_RESET             _IO('$', 3)
#define PERF_EVENT_IOC_PERIOD            _IOW('$', 4, __u64)
#define PERF_EVENT_IOC_SET_OUTPUT        _IO('$', 5)
#define PERF_EVENT_IOC_SET_FILTER        _IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID                _IOR('$', 7, __u64 *)
#define PERF_EVENT_IOC_SET_BPF           _IOW('$', 8, __u32)
#define PERF_EVENT_IOC_PAUSE_OUTPUT      _IOW('$', 9, __u32)
#define PERF_EVENT_IOC_QUERY_BPF         _IOWR('$', 10, struct perf_event_query_bpf *)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES _IOW('$', 11, struct perf_event_attr *)

enum perf_event_ioc_flags { PERF_IOC_FLAG_GROUP = 1 << 0 };

/* ---- the first page of a ring ---- */

struct perf_event_mmap_page {
	__u32 version, compat_version;
	__u32 lock;
	__u32 index;
	__s64 offset;
	__u64 time_enabled, time_running;
	union {
		__u64 capabilities;
		struct {
			__u64 cap_bit0 : 1, cap_bit0_is_deprecated : 1;
			__u64 cap_user_rdpmc : 1, cap_user_time : 1, cap_user_time_zero : 1;
			__u64 cap_user_time_short : 1, cap_____res : 58;
		};
	};
	__u16 pmc_width;
	__u16 time_shift;
	__u32 time_mult;
	__u64 time_offset, time_zero;
	__u32 size;
	__u32 __reserved_1;
	__u64 time_cycles, time_mask;
	__u8 __reserved[928]; /* up to byte 1024 */
	__u64 data_head, data_tail;
	__u64 data_offset, data_size;
	__u64 aux_head, aux_tail;
	__u64 aux_offset, aux_size;
};

/* ---- records ---- */

struct perf_event_header {
	__u32 type;
	__u16 misc;
	__u16 size;
};

enum perf_event_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST,
	PERF_RECORD_COMM,
	PERF_RECORD_EXIT,
	PERF_RECORD_THROTTLE,
	PERF_RECORD_UNTHROTTLE,
	PERF_RECORD_FORK,
	PERF_RECORD_READ,
	PERF_RECORD_SAMPLE,
	PERF_RECORD_MMAP2,
	PERF_RECORD_AUX,
	PERF_RECORD_ITRACE_START,
	PERF_RECORD_LOST_SAMPLES,
	PERF_RECORD_SWITCH,
	PERF_RECORD_SWITCH_CPU_WIDE,
	PERF_RECORD_NAMESPACES,
	PERF_RECORD_KSYMBOL,
	PERF_RECORD_BPF_EVENT,
	PERF_RECORD_CGROUP,
	PERF_RECORD_TEXT_POKE,
	PERF_RECORD_AUX_OUTPUT_HW_ID,
	PERF_RECORD_MAX
};

#define PERF_RECORD_MISC_CPUMODE_MASK       7
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN    0
#define PERF_RECORD_MISC_KERNEL             1
#define PERF_RECORD_MISC_USER               2
#define PERF_RECORD_MISC_MMAP_DATA          (1 << 13)
#define PERF_RECORD_MISC_COMM_EXEC          (1 << 13)
#define PERF_RECORD_MISC_FORK_EXEC          (1 << 13)
#define PERF_RECORD_MISC_SWITCH_OUT         (1 << 13)
#define PERF_RECORD_MISC_EXACT_IP           (1 << 14)
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#define PERF_RECORD_MISC_MMAP_BUILD_ID      (1 << 14)

enum { PERF_RECORD_KSYMBOL_TYPE_BPF = 1 };
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER (1 << 0)

/* Flags of PERF_RECORD_AUX. */
#define PERF_AUX_FLAG_TRUNCATED 0x01
#define PERF_AUX_FLAG_OVERWRITE 0x02

enum perf_bpf_event_type { PERF_BPF_EVENT_PROG_LOAD = 1, PERF_BPF_EVENT_PROG_UNLOAD };

#define PERF_MAX_STACK_DEPTH 127

/* Marks among the addresses of a call chain: all above PERF_CONTEXT_MAX. */
enum perf_callchain_context {
	PERF_CONTEXT_KERNEL = (__u64)-128,
	PERF_CONTEXT_USER = (__u64)-512,
	PERF_CONTEXT_MAX = (__u64)-4095
};

/* ---- branches ---- */

enum perf_branch_sample_type_shift {
	PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND_SHIFT,
	PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,
	PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,
	PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_MAX_SHIFT /* the first bit without a meaning in 6.1 */
};

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1 << PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL = 1 << PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV = 1 << PERF_SAMPLE_BRANCH_HV_SHIFT,
	PERF_SAMPLE_BRANCH_ANY = 1 << PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1 << PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1 << PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL = 1 << PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX = 1 << PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX = 1 << PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX = 1 << PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND = 1 << PERF_SAMPLE_BRANCH_COND_SHIFT,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1 << PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1 << PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL = 1 << PERF_SAMPLE_BRANCH_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1 << PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1 << PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1 << PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1 << PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,
	PERF_SAMPLE_BRANCH_PRIV_SAVE = 1 << PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_MAX = 1 << PERF_SAMPLE_BRANCH_MAX_SHIFT
};

#define PERF_SAMPLE_BRANCH_PLM_ALL \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

enum {
	PERF_BR_UNKNOWN,
	PERF_BR_COND,
	PERF_BR_UNCOND,
	PERF_BR_IND,
	PERF_BR_CALL,
	PERF_BR_IND_CALL,
	PERF_BR_RET,
	PERF_BR_SYSCALL,
	PERF_BR_SYSRET,
	PERF_BR_COND_CALL,
	PERF_BR_COND_RET,
	PERF_BR_ERET,
	PERF_BR_IRQ
};

enum {
	PERF_BR_SPEC_NA,
	PERF_BR_SPEC_WRONG_PATH,
	PERF_BR_NON_SPEC_CORRECT_PATH,
	PERF_BR_SPEC_CORRECT_PATH
};

struct perf_branch_entry {
	__u64 from, to;
	__u64 mispred : 1, predicted : 1, in_tx : 1, abort : 1;
	__u64 cycles : 16, type : 4, spec : 2, new_type : 4, priv : 3, reserved : 31;
};

/* ---- accesses to memory ---- */

union perf_sample_weight {
	__u64 full;
	struct {
		__u32 var1_dw;
		__u16 var2_w, var3_w;
	};
};

union perf_mem_data_src {
	__u64 val;
	struct {
		__u64 mem_op : 5, mem_lvl : 14, mem_snoop : 5, mem_lock : 2, mem_dtlb : 7;
		__u64 mem_lvl_num : 4, mem_remote : 1, mem_snoopx : 2, mem_blk : 3, mem_hops : 3;
		__u64 mem_rsvd : 18;
	};
};

#define PERF_MEM_OP_NA            0x01
#define PERF_MEM_OP_LOAD          0x02
#define PERF_MEM_OP_STORE         0x04
#define PERF_MEM_OP_PFETCH        0x08
#define PERF_MEM_OP_EXEC          0x10
#define PERF_MEM_OP_SHIFT         0
#define PERF_MEM_LVL_NA           0x01
#define PERF_MEM_LVL_HIT          0x02
#define PERF_MEM_LVL_MISS         0x04
#define PERF_MEM_LVL_L1           0x08
#define PERF_MEM_LVL_LFB          0x10
#define PERF_MEM_LVL_L2           0x20
#define PERF_MEM_LVL_L3           0x40
#define PERF_MEM_LVL_LOC_RAM      0x80
#define PERF_MEM_LVL_REM_RAM1     0x100
#define PERF_MEM_LVL_REM_RAM2     0x200
#define PERF_MEM_LVL_REM_CCE1     0x400
#define PERF_MEM_LVL_REM_CCE2     0x800
#define PERF_MEM_LVL_IO           0x1000
#define PERF_MEM_LVL_UNC          0x2000
#define PERF_MEM_LVL_SHIFT        5
#define PERF_MEM_SNOOP_NA         0x01
#define PERF_MEM_SNOOP_NONE       0x02
#define PERF_MEM_SNOOP_HIT        0x04
#define PERF_MEM_SNOOP_MISS       0x08
#define PERF_MEM_SNOOP_HITM       0x10
#define PERF_MEM_SNOOP_SHIFT      19
#define PERF_MEM_LOCK_NA          0x01
#define PERF_MEM_LOCK_LOCKED      0x02
#define PERF_MEM_LOCK_SHIFT       24
#define PERF_MEM_TLB_NA           0x01
#define PERF_MEM_TLB_HIT          0x02
#define PERF_MEM_TLB_MISS         0x04
#define PERF_MEM_TLB_L1           0x08
#define PERF_MEM_TLB_L2           0x10
#define PERF_MEM_TLB_WK           0x20
#define PERF_MEM_TLB_OS           0x40
#define PERF_MEM_TLB_SHIFT        26
#define PERF_MEM_LVLNUM_L1        0x01
#define PERF_MEM_LVLNUM_L2        0x02
#define PERF_MEM_LVLNUM_L3        0x03
#define PERF_MEM_LVLNUM_L4        0x04
#define PERF_MEM_LVLNUM_CXL       0x09
#define PERF_MEM_LVLNUM_IO        0x0a
#define PERF_MEM_LVLNUM_ANY_CACHE 0x0b
#define PERF_MEM_LVLNUM_LFB       0x0c
#define PERF_MEM_LVLNUM_RAM       0x0d
#define PERF_MEM_LVLNUM_PMEM      0x0e
#define PERF_MEM_LVLNUM_NA        0x0f
#define PERF_MEM_LVLNUM_SHIFT     33
#define PERF_MEM_REMOTE_REMOTE    0x01
#define PERF_MEM_REMOTE_SHIFT     37
#define PERF_MEM_SNOOPX_FWD       0x01
#define PERF_MEM_SNOOPX_PEER      0x02
#define PERF_MEM_SNOOPX_SHIFT     38
#define PERF_MEM_BLK_NA           0x01
#define PERF_MEM_BLK_DATA         0x02
#define PERF_MEM_BLK_ADDR         0x04
#define PERF_MEM_BLK_SHIFT        40
#define PERF_MEM_HOPS_0           0x01
#define PERF_MEM_HOPS_1           0x02
#define PERF_MEM_HOPS_2           0x03
#define PERF_MEM_HOPS_3           0x04
#define PERF_MEM_HOPS_SHIFT       43

/* A field of perf_mem_data_src: PERF_MEM_S(OP, LOAD). */
#define PERF_MEM_S(field, value) ((__u64)PERF_MEM_##field##_##value << PERF_MEM_##field##_SHIFT)

#define PERF_TXN_TRANSACTION (1 << 1)
#define PERF_TXN_ABORT_SHIFT 32

#endif
