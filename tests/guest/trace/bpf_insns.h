/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF instructions as C writes them, and the calls that the programs which test BPF share. */
#ifndef TESTS_GUEST_BPF_INSNS_H
#define TESTS_GUEST_BPF_INSNS_H

#include "tests/guest/perf.h"
#include <linux/bpf.h>

#define INSN(op, dst, src, offset, value) \
	((struct bpf_insn){               \
	    .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (value)})
#define MOV(dst, src)                    INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOVI(dst, value)                 INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADDI(dst, value)                 INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define LOAD(size, dst, src, offset)     INSN(BPF_LDX | BPF_MEM | (size), dst, src, offset, 0)
#define STORE(size, dst, offset, src)    INSN(BPF_STX | BPF_MEM | (size), dst, src, offset, 0)
#define STOREI(size, dst, offset, value) INSN(BPF_ST | BPF_MEM | (size), dst, 0, offset, value)
#define ADD_ATOMIC(dst, offset, src)     INSN(BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, offset, BPF_ADD)
#define JUMPI(op, dst, value, offset)    INSN(BPF_JMP | (op) | BPF_K, dst, 0, offset, value)
#define CALL(function)                   INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define EXIT()                           INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define MAP(dst, fd) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define WIDE(dst, value)                                              \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (int32_t)(value)), \
	    INSN(0, 0, 0, 0, (int32_t)((uint64_t)(value) >> 32))

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

static inline long bpf(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

static inline long map_create(uint32_t type, uint32_t key, uint32_t value, uint32_t entries,
			      uint32_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key;
	attr.value_size = value;
	attr.max_entries = entries;
	attr.map_flags = flags;
	return bpf(BPF_MAP_CREATE, &attr);
}

static inline long map_command(int command, int fd, const void *key, const void *value,
			       uint64_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	attr.flags = flags;
	return bpf(command, &attr);
}

static inline uint64_t map_value(int fd, uint32_t key)
{
	uint64_t value = 0;

	map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0);
	return value;
}

static inline long prog_load(uint32_t type, const struct bpf_insn *insns, uint32_t nr)
{
	static char log[65536];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = nr;
	attr.license = (uintptr_t) "GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = sizeof(log);
	attr.log_level = 1;
	log[0] = 0;
	return bpf(BPF_PROG_LOAD, &attr);
}

#define PROG(type, ...)                                                           \
	({                                                                        \
		const struct bpf_insn insns_[] = {__VA_ARGS__};                   \
		(int)prog_load(type, insns_, sizeof(insns_) / sizeof(insns_[0])); \
	})

#endif
