/* SPDX-License-Identifier: BSD-2-Clause */
/* Types in BTF with any bytes: what the check lets through can be walked, and nothing is left. */
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include "bpf/object/btf.h"
#include "kernel/mem/memory.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"
#include "trace/btf.h"

/* The kernel's own are not asked for. */
const void *kernel_btf(uint32_t *bytes)
{
	*bytes = 0;
	return NULL;
}

/* Most inputs have a header that fits, so that the types are reached. */
static uint8_t *copy(const uint8_t *data, size_t size)
{
	struct btf_header header = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = 24};
	uint8_t *bytes = kalloc(size + 1);

	memcpy(bytes, data, size);
	if (size > sizeof(header) && data[0] & 1) {
		uint32_t room = (uint32_t)(size - sizeof(header));

		header.type_len = (data[1] * 4u) % (room + 1) & ~3u;
		header.str_off = header.type_len;
		header.str_len = room - header.type_len;
		memcpy(bytes, &header, sizeof(header));
		bytes[size - 1] = 0;
		bytes[sizeof(header) + header.str_off] = 0;
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned held = fake_open_objects;
	struct btf *btf;
	int error;

	if (size > 4096)
		return 0;
	btf = btf_new(copy(data, size), (uint32_t)size, NULL, &error);
	if (!btf != !!error)
		abort();
	for (uint32_t i = 0; btf && i <= btf->nr_types + 1; i++) {
		uint32_t bytes;

		if (btf_size(btf, i, &bytes) && btf_kind(btf, i) == BTF_KIND_UNKN)
			abort();
	}
	btf_put(btf);
	if (fake_open_objects != held)
		abort();
	return 0;
}
