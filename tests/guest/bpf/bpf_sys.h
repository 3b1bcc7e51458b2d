/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of bpf(2), which return -errno; for programs of any library. */
#ifndef TESTS_GUEST_BPF_SYS_H
#define TESTS_GUEST_BPF_SYS_H

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long bpf(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

/* `inner`: a map like its elements, where these are maps. */
static inline long map_create_of(uint32_t type, uint32_t key, uint32_t value, uint32_t entries,
				 uint32_t flags, int inner)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key;
	attr.value_size = value;
	attr.max_entries = entries;
	attr.map_flags = flags;
	attr.inner_map_fd = (uint32_t)inner;
	return bpf(BPF_MAP_CREATE, &attr);
}

static inline long map_create(uint32_t type, uint32_t key, uint32_t value, uint32_t entries,
			      uint32_t flags)
{
	return map_create_of(type, key, value, entries, flags, 0);
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

/* Reads the kernel's information about a map, a program, a link, types. */
static inline long object_info(int fd, void *info, uint32_t bytes)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = bytes;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* Returns the attr that loads a program and keeps the kernel's messages in `log`. */
static inline union bpf_attr prog_attr(uint32_t type, const struct bpf_insn *insns, uint32_t nr,
				       char *log, uint32_t bytes)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = nr;
	attr.license = (uintptr_t) "GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = bytes;
	attr.log_level = 1;
	log[0] = 0;
	return attr;
}

static inline long prog_load_logged(uint32_t type, const struct bpf_insn *insns, uint32_t nr,
				    char *log, uint32_t bytes)
{
	union bpf_attr attr = prog_attr(type, insns, nr, log, bytes);

	return bpf(BPF_PROG_LOAD, &attr);
}

static inline long prog_load(uint32_t type, const struct bpf_insn *insns, uint32_t nr)
{
	static char log[65536];

	return prog_load_logged(type, insns, nr, log, sizeof(log));
}

#define PROG(type, ...)                                                           \
	({                                                                        \
		const struct bpf_insn insns_[] = {__VA_ARGS__};                   \
		(int)prog_load(type, insns_, sizeof(insns_) / sizeof(insns_[0])); \
	})

#endif
