/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of bpf(2): elements, batches, errors, and which ways are open. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include <fcntl.h>

static void test_array(void)
{
	int fd = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0);
	uint32_t key = 1, next;
	uint64_t value = 42;

	ok(fd >= 0, "an array");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY), 0, "takes a value");
	is((long)map_value(fd, 1), 42, "gives it back");
	is((long)map_value(fd, 2), 0, "others are 0");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_NOEXIST), -EEXIST,
	   "BPF_NOEXIST of an array's element: EEXIST");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, 8), -EINVAL, "unknown flag: EINVAL");
	is(map_command(BPF_MAP_DELETE_ELEM, fd, &key, NULL, 0), -EINVAL,
	   "an array's element is not deleted: EINVAL");
	key = 3;
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY), -E2BIG,
	   "beyond the end: E2BIG");
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0), -ENOENT,
	   "nothing is there: ENOENT");
	is(map_command(BPF_MAP_GET_NEXT_KEY, fd, NULL, &next, 0), 0, "the first key");
	is(next, 0, "is 0");
	key = 2;
	is(map_command(BPF_MAP_GET_NEXT_KEY, fd, &key, &next, 0), -ENOENT,
	   "an array's last key has no next one: ENOENT");
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, (void *)8, &value, 0), -EFAULT,
	   "a bad pointer: EFAULT");
	is(map_command(BPF_MAP_LOOKUP_ELEM, 900, &key, &value, 0), -EBADF, "no descriptor: EBADF");
	is(map_command(BPF_MAP_LOOKUP_ELEM, 0, &key, &value, 0), -EINVAL, "not of a map: EINVAL");
	close(fd);
}

static void test_hash(uint32_t type, const char *name)
{
	int fd = (int)map_create(type, 8, 8, 4, 0);
	uint64_t key = 7, value = 1, next;

	ok(fd >= 0, "%s: a map", name);
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0), -ENOENT, "nothing is there");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_EXIST), -ENOENT,
	   "nothing to change: ENOENT");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_NOEXIST), 0, "a new key");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_NOEXIST), -EEXIST,
	   "BPF_NOEXIST of a present key: EEXIST");
	is(map_command(BPF_MAP_GET_NEXT_KEY, fd, NULL, &next, 0), 0, "the first key");
	is((long)next, 7, "is the only one");
	for (key = 8; key < 11; key++)
		map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY);
	if (type == BPF_MAP_TYPE_HASH)
		is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY), -E2BIG,
		   "a full hash: E2BIG");
	key = 7;
	is(map_command(BPF_MAP_DELETE_ELEM, fd, &key, NULL, 0), 0, "a key goes");
	is(map_command(BPF_MAP_DELETE_ELEM, fd, &key, NULL, 0), -ENOENT, "once");
	close(fd);
}

/* A map that forgets takes more than it has room for. */
static void test_lru(void)
{
	int fd = (int)map_create(BPF_MAP_TYPE_LRU_HASH, 8, 8, 1024, 0), failed = 0;
	uint64_t key, value = 1;

	for (key = 0; key < 4096; key++)
		failed += map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, BPF_ANY) != 0;
	is(failed, 0, "an LRU map takes all keys");
	key = 4095;
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0), 0, "the last is there");
	close(fd);
}

static void test_batch(void)
{
	int fd = (int)map_create(BPF_MAP_TYPE_HASH, 4, 4, 8, 0);
	uint32_t keys[8] = {1, 2, 3, 4, 5}, values[8] = {10, 20, 30, 40, 50}, seen = 0, position;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)fd;
	attr.batch.keys = (uintptr_t)keys;
	attr.batch.values = (uintptr_t)values;
	attr.batch.count = 5;
	is(bpf(BPF_MAP_UPDATE_BATCH, &attr), 0, "a batch goes in");
	memset(keys, 0, sizeof(keys));
	attr.batch.count = 8;
	attr.batch.out_batch = (uintptr_t)&position;
	is(bpf(BPF_MAP_LOOKUP_BATCH, &attr), -ENOENT,
	   "BPF_MAP_LOOKUP_BATCH of all elements: ENOENT");
	is(attr.batch.count, 5, "BPF_MAP_LOOKUP_BATCH returns all elements");
	for (unsigned i = 0; i < 5; i++)
		seen |= values[i] == 10 * keys[i] ? 1u << keys[i] : 0;
	is(seen, 0x3e, "BPF_MAP_LOOKUP_BATCH returns each key with its value");
	close(fd);
}

static void test_map_errors(void)
{
	static const struct {
		const char *what;
		uint32_t type, key, value, entries, flags;
		int error;
	} rows[] = {
	    {"no such type", 200, 4, 4, 1, 0, -EINVAL},
	    {"an array's key of 8 bytes", BPF_MAP_TYPE_ARRAY, 8, 4, 1, 0, -EINVAL},
	    {"an array of nothing", BPF_MAP_TYPE_ARRAY, 4, 0, 1, 0, -EINVAL},
	    {"an array without elements", BPF_MAP_TYPE_ARRAY, 4, 4, 0, 0, -EINVAL},
	    {"an array with BPF_F_NO_PREALLOC", BPF_MAP_TYPE_ARRAY, 4, 4, 1, BPF_F_NO_PREALLOC,
	     -EINVAL},
	    {"a hash without keys", BPF_MAP_TYPE_HASH, 0, 4, 1, 0, -EINVAL},
	    {"a hash of stack traces' flags", BPF_MAP_TYPE_HASH, 4, 4, 1, BPF_F_STACK_BUILD_ID,
	     -EINVAL},
	    {"both ways forbidden", BPF_MAP_TYPE_HASH, 4, 4, 1, BPF_F_RDONLY | BPF_F_WRONLY,
	     -EINVAL},
	    {"a perf array's value of 8 bytes", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8, 1, 0, -EINVAL},
	    {"a ring that is no power of two", BPF_MAP_TYPE_RINGBUF, 0, 0, 12288, 0, -EINVAL},
	    {"a ring with keys", BPF_MAP_TYPE_RINGBUF, 4, 0, 4096, 0, -EINVAL},
	    {"a ring of less than a page", BPF_MAP_TYPE_RINGBUF, 0, 0, 2048, 0, -EINVAL},
	    {"stacks that are too deep", BPF_MAP_TYPE_STACK_TRACE, 4, 128 * 8, 16, 0, -EINVAL},
	    {"stacks of odd size", BPF_MAP_TYPE_STACK_TRACE, 4, 12, 16, 0, -EINVAL},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is(map_create(rows[i].type, rows[i].key, rows[i].value, rows[i].entries,
			      rows[i].flags),
		   rows[i].error, rows[i].what);
}

#define MAX_STACK "/proc/sys/kernel/perf_event_max_stack"
#define LOOKS     60000 /* a millisecond apart: Linux frees a map a while later */

static long set_max_stack(const char *frames)
{
	int fd = open(MAX_STACK, O_WRONLY);
	long err = write(fd, frames, strlen(frames)) < 0 ? -errno : 0;

	close(fd);
	return err;
}

/* Stacks are as deep as call chains may be, and that stays while there is a map of them. */
static void test_depth(void)
{
	long err = -EBUSY;
	int fd;

	is(set_max_stack("64"), 0, "call chains of 64 frames");
	is(map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 65 * 8, 1, 0), -EINVAL, "no deeper stacks");
	fd = (int)map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 64 * 8, 1, 0);
	ok(fd >= 0, "a stack map as deep as allowed");
	is(set_max_stack("127"), -EBUSY, "then the depth stays: EBUSY");
	close(fd);
	for (int i = 0; i < LOOKS && err == -EBUSY; i++) {
		err = set_max_stack("127");
		usleep(1000);
	}
	is(err, 0, "the setting changes when the map is gone");
}

static void test_ways(void)
{
	int fd = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY);
	uint32_t key = 0;
	uint64_t value = 1;
	union bpf_attr attr;

	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, 0), -EPERM,
	   "BPF_F_RDONLY: no writing");
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0), 0,
	   "BPF_F_WRONLY_PROG's map is read");
	close(fd);
	fd = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_WRONLY);
	is(map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0), -EPERM,
	   "BPF_F_WRONLY: no reading");
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	is(bpf(BPF_MAP_FREEZE, &attr), 0, "a map is frozen");
	is(bpf(BPF_MAP_FREEZE, &attr), -EBUSY, "once: EBUSY");
	is(map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &value, 0), -EPERM, "then nobody writes");
	close(fd);
}

/* Returns the result of deleting an event from an array after the descriptor that put it there
 * is closed, while another one of the array is open. */
static long deleted_later(uint32_t flags)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .sample_type = PERF_SAMPLE_RAW};
	int fd = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1, flags), other;
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	struct bpf_map_info info;
	union bpf_attr ask;
	uint32_t key = 0;
	long result;

	memset(&info, 0, sizeof(info));
	object_info(fd, &info, sizeof(info));
	memset(&ask, 0, sizeof(ask));
	ask.map_id = info.id;
	other = (int)bpf(BPF_MAP_GET_FD_BY_ID, &ask);
	map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &event, BPF_ANY);
	close(fd);
	result = map_command(BPF_MAP_DELETE_ELEM, other, &key, NULL, 0);
	close(other);
	close(event);
	return result;
}

static void test_preserve(void)
{
	is(deleted_later(0), -ENOENT, "an event goes with the descriptor that put it in");
	is(deleted_later(BPF_F_PRESERVE_ELEMS), 0, "BPF_F_PRESERVE_ELEMS: it stays");
}

int main(void)
{
	test_array();
	test_hash(BPF_MAP_TYPE_HASH, "hash");
	test_hash(BPF_MAP_TYPE_LRU_HASH, "LRU hash");
	test_lru();
	test_batch();
	test_map_errors();
	test_depth();
	test_ways();
	test_preserve();
	return tap_end();
}
