/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF type format. */
#ifndef ABI_LINUX_BTF_H
#define ABI_LINUX_BTF_H

#include <linux/types.h>

#define BTF_INT_SIGNED 0x1
#define BTF_VERSION    1
#define BTF_INT_BOOL   0x4
#define BTF_MAGIC      0xeb9f

#define BTF_INFO_KIND(info) (((info) >> 24) & 0x1f)
#define BTF_INFO_VLEN(info) ((info)&0xffff)
#define BTF_INT_BITS(VAL)   ((VAL)&0x000000ff)
#define BTF_INT_OFFSET(VAL) (((VAL)&0x00ff0000) >> 16)

enum {
	BTF_KIND_UNKN = 0,
	BTF_KIND_INT = 1,
	BTF_KIND_PTR = 2,
	BTF_KIND_ARRAY = 3,
	BTF_KIND_STRUCT = 4,
	BTF_KIND_UNION = 5,
	BTF_KIND_ENUM = 6,
	BTF_KIND_FWD = 7,
	BTF_KIND_TYPEDEF = 8,
	BTF_KIND_VOLATILE = 9,
	BTF_KIND_CONST = 10,
	BTF_KIND_RESTRICT = 11,
	BTF_KIND_FUNC = 12,
	BTF_KIND_FUNC_PROTO = 13,
	BTF_KIND_VAR = 14,
	BTF_KIND_DATASEC = 15,
	BTF_KIND_FLOAT = 16,
	BTF_KIND_DECL_TAG = 17,
	BTF_KIND_TYPE_TAG = 18,
	BTF_KIND_ENUM64 = 19
};

struct btf_header {
	__u16 magic;
	__u8 version, flags;
	__u32 hdr_len, type_off, type_len, str_off, str_len;
};

struct btf_type {
	__u32 name_off, info;
	union {
		__u32 size, type;
	};
};

struct btf_enum {
	__u32 name_off;
	__s32 val;
};

struct btf_enum64 {
	__u32 name_off, val_lo32, val_hi32;
};

struct btf_array {
	__u32 type, index_type, nelems;
};

struct btf_member {
	__u32 name_off, type, offset;
};

struct btf_param {
	__u32 name_off, type;
};

struct btf_var_secinfo {
	__u32 type, offset, size;
};

#endif
