/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(): instructions, commands and structs of Linux 6.1. */
#ifndef ABI_LINUX_BPF_H
#define ABI_LINUX_BPF_H

#include <linux/types.h>

/* ---- codes of instructions ---- */

/* Classes. */
#define BPF_LD    0x00
#define BPF_LDX   0x01
#define BPF_ST    0x02
#define BPF_STX   0x03
#define BPF_ALU   0x04
#define BPF_JMP   0x05
#define BPF_JMP32 0x06
#define BPF_ALU64 0x07

/* Loads and stores: sizes, modes, operations of BPF_ATOMIC. */
#define BPF_W       0x00
#define BPF_H       0x08
#define BPF_B       0x10
#define BPF_DW      0x18
#define BPF_IMM     0x00
#define BPF_MEM     0x60
#define BPF_ATOMIC  0xc0
#define BPF_FETCH   0x01
#define BPF_XCHG    (0xe0 | BPF_FETCH)
#define BPF_CMPXCHG (0xf0 | BPF_FETCH)

/* Arithmetic and jumps: the operand, BPF_END's byte order. */
#define BPF_K     0x00
#define BPF_X     0x08
#define BPF_TO_BE 0x08

/* Arithmetic. */
#define BPF_ADD  0x00
#define BPF_DIV  0x30
#define BPF_OR   0x40
#define BPF_AND  0x50
#define BPF_LSH  0x60
#define BPF_RSH  0x70
#define BPF_NEG  0x80
#define BPF_MOD  0x90
#define BPF_XOR  0xa0
#define BPF_MOV  0xb0
#define BPF_ARSH 0xc0
#define BPF_END  0xd0

/* Jumps. */
#define BPF_JA   0x00
#define BPF_JEQ  0x10
#define BPF_JSET 0x40
#define BPF_JNE  0x50
#define BPF_CALL 0x80
#define BPF_EXIT 0x90
#define BPF_JSLE 0xd0

/* Parts of a code. */
#define BPF_CLASS(code) ((code)&0x07)
#define BPF_MODE(code)  ((code)&0xe0)
#define BPF_OP(code)    ((code)&0xf0)
#define BPF_SIZE(code)  ((code)&0x18)
#define BPF_SRC(code)   ((code)&0x08)

/* Meanings of the immediate value of a 64-bit load and of a call (src_reg). */
#define BPF_PSEUDO_MAP_FD        1
#define BPF_PSEUDO_MAP_VALUE     2
#define BPF_PSEUDO_MAP_IDX       5
#define BPF_PSEUDO_MAP_IDX_VALUE 6
#define BPF_PSEUDO_CALL          1
#define BPF_PSEUDO_FUNC          4

#define MAX_BPF_REG      11
#define BPF_OBJ_NAME_LEN 16

/* Flags of BPF_PROG_LOAD and BPF_LINK_UPDATE. */
#define BPF_F_STRICT_ALIGNMENT 0x1
#define BPF_F_ANY_ALIGNMENT    0x2
#define BPF_F_TEST_STATE_FREQ  0x8
#define BPF_F_REPLACE          0x4

/* ---- commands, objects, helpers ---- */

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_LRU_PERCPU_HASH = 10,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_HASH_OF_MAPS = 13,
	BPF_MAP_TYPE_RINGBUF = 27
};

enum { BPF_RINGBUF_DISCARD_BIT = 0x40000000, BPF_RINGBUF_BUSY_BIT = 0x80000000u };

enum bpf_cmd {
	BPF_MAP_CREATE = 0,
	BPF_MAP_LOOKUP_ELEM = 1,
	BPF_MAP_UPDATE_ELEM = 2,
	BPF_MAP_DELETE_ELEM = 3,
	BPF_MAP_GET_NEXT_KEY = 4,
	BPF_PROG_LOAD = 5,
	BPF_OBJ_PIN = 6,
	BPF_OBJ_GET = 7,
	BPF_PROG_GET_NEXT_ID = 11,
	BPF_MAP_GET_NEXT_ID = 12,
	BPF_PROG_GET_FD_BY_ID = 13,
	BPF_MAP_GET_FD_BY_ID = 14,
	BPF_OBJ_GET_INFO_BY_FD = 15,
	BPF_PROG_QUERY = 16,
	BPF_RAW_TRACEPOINT_OPEN = 17,
	BPF_BTF_LOAD = 18,
	BPF_BTF_GET_FD_BY_ID = 19,
	BPF_TASK_FD_QUERY = 20,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM = 21,
	BPF_MAP_FREEZE = 22,
	BPF_BTF_GET_NEXT_ID = 23,
	BPF_MAP_LOOKUP_BATCH = 24,
	BPF_MAP_LOOKUP_AND_DELETE_BATCH = 25,
	BPF_MAP_UPDATE_BATCH = 26,
	BPF_MAP_DELETE_BATCH = 27,
	BPF_LINK_CREATE = 28,
	BPF_LINK_UPDATE = 29,
	BPF_LINK_GET_FD_BY_ID = 30,
	BPF_LINK_GET_NEXT_ID = 31,
	BPF_LINK_DETACH = 34
};

enum bpf_task_fd_type {
	BPF_FD_TYPE_RAW_TRACEPOINT = 0,
	BPF_FD_TYPE_TRACEPOINT = 1,
	BPF_FD_TYPE_KPROBE = 2,
	BPF_FD_TYPE_UPROBE = 4
};

enum {
	BPF_F_SKIP_FIELD_MASK = 0xff,
	BPF_F_USER_STACK = 0x100,
	BPF_F_FAST_STACK_CMP = 0x200,
	BPF_F_REUSE_STACKID = 0x400
};

enum bpf_func_id {
	BPF_FUNC_map_lookup_elem = 1,
	BPF_FUNC_map_update_elem = 2,
	BPF_FUNC_map_delete_elem = 3,
	BPF_FUNC_probe_read = 4,
	BPF_FUNC_ktime_get_ns = 5,
	BPF_FUNC_trace_printk = 6,
	BPF_FUNC_get_prandom_u32 = 7,
	BPF_FUNC_get_smp_processor_id = 8,
	BPF_FUNC_tail_call = 12,
	BPF_FUNC_get_current_pid_tgid = 14,
	BPF_FUNC_get_current_uid_gid = 15,
	BPF_FUNC_get_current_comm = 16,
	BPF_FUNC_perf_event_read = 22,
	BPF_FUNC_perf_event_output = 25,
	BPF_FUNC_get_stackid = 27,
	BPF_FUNC_get_current_task = 35,
	BPF_FUNC_current_task_under_cgroup = 37,
	BPF_FUNC_get_numa_node_id = 42,
	BPF_FUNC_probe_read_str = 45,
	BPF_FUNC_perf_event_read_value = 55,
	BPF_FUNC_perf_prog_read_value = 56,
	BPF_FUNC_get_stack = 67,
	BPF_FUNC_get_current_cgroup_id = 80,
	BPF_FUNC_send_signal = 109,
	BPF_FUNC_probe_read_user = 112,
	BPF_FUNC_probe_read_kernel = 113,
	BPF_FUNC_probe_read_user_str = 114,
	BPF_FUNC_probe_read_kernel_str = 115,
	BPF_FUNC_send_signal_thread = 117,
	BPF_FUNC_jiffies64 = 118,
	BPF_FUNC_read_branch_records = 119,
	BPF_FUNC_get_ns_current_pid_tgid = 120,
	BPF_FUNC_ktime_get_boot_ns = 125,
	BPF_FUNC_ringbuf_output = 130,
	BPF_FUNC_ringbuf_reserve = 131,
	BPF_FUNC_ringbuf_submit = 132,
	BPF_FUNC_ringbuf_discard = 133,
	BPF_FUNC_ringbuf_query = 134,
	BPF_FUNC_get_current_task_btf = 158,
	BPF_FUNC_for_each_map_elem = 164,
	BPF_FUNC_snprintf = 165,
	BPF_FUNC_get_func_ip = 173,
	BPF_FUNC_get_attach_cookie = 174,
	BPF_FUNC_trace_vprintk = 177,
	BPF_FUNC_loop = 181,
	BPF_FUNC_strncmp = 182,
	BPF_FUNC_map_lookup_percpu_elem = 195
};

enum {
	BPF_REG_0 = 0,
	BPF_REG_1 = 1,
	BPF_REG_2 = 2,
	BPF_REG_3 = 3,
	BPF_REG_4 = 4,
	BPF_REG_5 = 5,
	BPF_REG_10 = 10
};

enum { BPF_F_INDEX_MASK = 0xffffffffu, BPF_F_CURRENT_CPU = 0xffffffffu };

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_NO_COMMON_LRU = 2,
	BPF_F_NUMA_NODE = 4,
	BPF_F_RDONLY = 0x8,
	BPF_F_WRONLY = 0x10,
	BPF_F_ZERO_SEED = 0x40,
	BPF_F_RDONLY_PROG = 0x80,
	BPF_F_WRONLY_PROG = 0x100,
	BPF_F_MMAPABLE = 0x400,
	BPF_F_PRESERVE_ELEMS = 0x800,
	BPF_F_INNER_MAP = 0x1000
};

enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };

enum bpf_link_type { BPF_LINK_TYPE_RAW_TRACEPOINT = 1, BPF_LINK_TYPE_PERF_EVENT = 7 };

enum { BPF_F_GET_BRANCH_RECORDS_SIZE = 1 };

enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_EXIST = 2, BPF_F_LOCK = 4 };

enum bpf_prog_type {
	BPF_PROG_TYPE_SOCKET_FILTER = 1,
	BPF_PROG_TYPE_KPROBE = 2,
	BPF_PROG_TYPE_TRACEPOINT = 5,
	BPF_PROG_TYPE_PERF_EVENT = 7,
	BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
	BPF_PROG_TYPE_TRACING = 26
};

enum bpf_attach_type { BPF_TRACE_RAW_TP = 23, BPF_PERF_EVENT = 41 };

enum { BPF_RB_AVAIL_DATA = 0, BPF_RB_RING_SIZE = 1, BPF_RB_CONS_POS = 2, BPF_RB_PROD_POS = 3 };

struct bpf_insn {
	__u8 code;
	__u8 dst_reg : 4, src_reg : 4;
	__s16 off;
	__s32 imm;
};

union bpf_attr {
	struct { /* BPF_MAP_CREATE */
		__u32 map_type, key_size, value_size, max_entries, map_flags;
		__u32 inner_map_fd, numa_node;
		char map_name[BPF_OBJ_NAME_LEN];
		__u32 map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id;
		__u32 btf_vmlinux_value_type_id;
		__u64 map_extra;
	};
	struct { /* an element of a map */
		__u32 map_fd;
		__u64 key;
		union {
			__u64 value, next_key;
		};
		__u64 flags;
	};
	struct {
		__u64 in_batch, out_batch, keys, values;
		__u32 count, map_fd;
		__u64 elem_flags, flags;
	} batch;
	struct { /* BPF_PROG_LOAD */
		__u32 prog_type, insn_cnt;
		__u64 insns, license;
		__u32 log_level, log_size;
		__u64 log_buf;
		__u32 kern_version, prog_flags;
		char prog_name[BPF_OBJ_NAME_LEN];
		__u32 prog_ifindex, expected_attach_type, prog_btf_fd, func_info_rec_size;
		__u64 func_info;
		__u32 func_info_cnt, line_info_rec_size;
		__u64 line_info;
		__u32 line_info_cnt, attach_btf_id;
		union {
			__u32 attach_prog_fd, attach_btf_obj_fd;
		};
		__u32 core_relo_cnt;
		__u64 fd_array, core_relos;
		__u32 core_relo_rec_size;
	};
	struct { /* BPF_OBJ_PIN, BPF_OBJ_GET */
		__u64 pathname;
		__u32 bpf_fd, file_flags;
	};
	struct { /* a search by id */
		union {
			__u32 start_id, prog_id, map_id, btf_id, link_id;
		};
		__u32 next_id, open_flags;
	};
	struct {
		__u32 bpf_fd, info_len;
		__u64 info;
	} info;
	struct {
		__u64 name;
		__u32 prog_fd;
	} raw_tracepoint;
	struct { /* BPF_BTF_LOAD */
		__u64 btf, btf_log_buf;
		__u32 btf_size, btf_log_size, btf_log_level;
	};
	struct {
		__u32 pid, fd, flags, buf_len;
		__u64 buf;
		__u32 prog_id, fd_type;
		__u64 probe_offset, probe_addr;
	} task_fd_query;
	struct {
		__u32 prog_fd;
		union {
			__u32 target_fd, target_ifindex;
		};
		__u32 attach_type, flags;
		union {
			struct {
				__u64 bpf_cookie;
			} perf_event;
			struct {
				__u32 flags, cnt;
				__u64 syms, addrs, cookies;
			} kprobe_multi;
		};
	} link_create;
	struct {
		__u32 link_fd, new_prog_fd, flags, old_prog_fd;
	} link_update;
	struct {
		__u32 link_fd;
	} link_detach;
};

struct bpf_map_info {
	__u32 type, id, key_size, value_size, max_entries, map_flags;
	char name[BPF_OBJ_NAME_LEN];
	__u32 ifindex, btf_vmlinux_value_type_id;
	__u64 netns_dev, netns_ino;
	__u32 btf_id, btf_key_type_id, btf_value_type_id;
	__u64 map_extra;
};

struct bpf_prog_info {
	__u32 type, id;
	__u8 tag[8];
	__u32 jited_prog_len, xlated_prog_len;
	__u64 jited_prog_insns, xlated_prog_insns, load_time;
	__u32 created_by_uid, nr_map_ids;
	__u64 map_ids;
	char name[BPF_OBJ_NAME_LEN];
	__u32 ifindex;
	__u32 gpl_compatible : 1;
	__u64 netns_dev, netns_ino;
	__u32 nr_jited_ksyms, nr_jited_func_lens;
	__u64 jited_ksyms, jited_func_lens;
	__u32 btf_id, func_info_rec_size;
	__u64 func_info;
	__u32 nr_func_info, nr_line_info;
	__u64 line_info, jited_line_info;
	__u32 nr_jited_line_info, line_info_rec_size, jited_line_info_rec_size, nr_prog_tags;
	__u64 prog_tags, run_time_ns, run_cnt, recursion_misses;
	__u32 verified_insns, attach_btf_obj_id, attach_btf_id;
};

struct bpf_btf_info {
	__u64 btf;
	__u32 btf_size, id;
	__u64 name;
	__u32 name_len, kernel_btf;
};

struct bpf_link_info {
	__u32 type, id, prog_id;
	union {
		struct {
			__u64 tp_name;
			__u32 tp_name_len;
		} raw_tracepoint;
		struct {
			__u64 target_name;
			__u32 target_name_len;
			union {
				struct {
					__u32 map_id;
				} map;
			};
			union {
				struct {
					__u64 cgroup_id;
					__u32 order;
				} cgroup;
			};
		} iter;
	};
};

struct bpf_perf_event_value {
	__u64 counter, enabled, running;
};

#endif
