/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of two functions, of which the first hands the other to a helper. */
#ifndef TESTS_GUEST_BPF_FUNCTIONS_H
#define TESTS_GUEST_BPF_FUNCTIONS_H

#include <linux/btf.h>
#include <stdio.h>
#include "tests/guest/bpf/bpf_sys.h"

/* Types of two functions without arguments, which Linux wants to know of. */
static inline long function_types(void)
{
	static const struct {
		struct btf_header header;
		uint32_t types[4 + 3 + 3 + 3];
		char names[16];
	} btf = {{BTF_MAGIC, BTF_VERSION, 0, sizeof(btf.header), 0, sizeof(btf.types),
		  sizeof(btf.types), sizeof(btf.names)},
		 {1, BTF_KIND_INT << 24, 4, BTF_INT_SIGNED << 24 | 32, /* 1: int */
		  0, BTF_KIND_FUNC_PROTO << 24, 1,                     /* 2: int () */
		  5, BTF_KIND_FUNC << 24, 2,                           /* 3: main */
		  10, BTF_KIND_FUNC << 24, 2},                         /* 4: each */
		 "\0int\0main\0each"};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&btf;
	attr.btf_size = sizeof(btf);
	return bpf(BPF_BTF_LOAD, &attr);
}

/* A program whose second function begins at that instruction. */
static inline long prog_load_two(const struct bpf_insn *insns, uint32_t nr, uint32_t second)
{
	static char log[65536];
	const struct bpf_func_info functions[] = {{0, 3}, {second, 4}};
	long types = function_types(), prog;
	union bpf_attr attr = prog_attr(BPF_PROG_TYPE_TRACEPOINT, insns, nr, log, sizeof(log));

	attr.prog_btf_fd = (uint32_t)types;
	attr.func_info = (uintptr_t)functions;
	attr.func_info_cnt = 2;
	attr.func_info_rec_size = sizeof(functions[0]);
	prog = bpf(BPF_PROG_LOAD, &attr);
	if (prog < 0)
		printf("# types %ld, program %ld: %s\n", types, prog, log);
	close((int)types);
	return prog;
}

#endif
