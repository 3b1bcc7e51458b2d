/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF instructions as C writes them. */
#ifndef TESTS_GUEST_BPF_INSNS_H
#define TESTS_GUEST_BPF_INSNS_H

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
/* Loads the address of an array's first element. */
#define VALUE(dst, fd) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, 0)
#define WIDE(dst, value)                                              \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (int32_t)(value)), \
	    INSN(0, 0, 0, 0, (int32_t)((uint64_t)(value) >> 32))

/* Puts R6 into element `index` of an array. */
#define KEEP_R6(map, index)                                                                     \
	STOREI(BPF_W, R10, -4, index), STORE(BPF_DW, R10, -16, R6), MAP(R1, map), MOV(R2, R10), \
	    ADDI(R2, -4), MOV(R3, R10), ADDI(R3, -16), MOVI(R4, 0), CALL(BPF_FUNC_map_update_elem)
/* Stores the result of the helper before it in the array's element `index`. */
#define KEEP(map, index) MOV(R6, R0), KEEP_R6(map, index)

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

#endif
