/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2): copying at the border; what it does is in bpf/. Maps are in bpf_maps.c. */
#include "api/bpf.h"
#include "api/calls.h"
#include "api/perf.h"
#include "api/versioned.h"
#include "bpf/attach.h"
#include "bpf/bpf.h"
#include "bpf/files.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "pmu/core/core.h"

#define LOG_MOST (1u << 20) /* bytes of a log that are made */

bool bpf_name_valid(const char name[BPF_OBJ_NAME_LEN])
{
	unsigned i = 0;

	for (; i < BPF_OBJ_NAME_LEN && name[i]; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
		      (name[i] >= '0' && name[i] <= '9') || name[i] == '_' || name[i] == '.'))
			return false;
	return i < BPF_OBJ_NAME_LEN && is_zero((const uint8_t *)name + i, BPF_OBJ_NAME_LEN - i);
}

/* ---- programs ---- */

/* The log goes to the user as far as there is room. */
static int write_log(const union bpf_attr *attr, const struct text *log, int result)
{
	uint64_t bytes = log->length < attr->log_size - 1 ? log->length : attr->log_size - 1;
	char end = 0;

	if (copy_to_user(attr->log_buf, log->buffer, bytes) ||
	    copy_to_user(attr->log_buf + bytes, &end, 1))
		return -EFAULT;
	return log->length >= attr->log_size ? -ENOSPC : result;
}

static int load_logged(union bpf_attr *attr, struct bpf_insn *insns, struct bpf_program **program)
{
	uint32_t size = attr->log_size < LOG_MOST ? attr->log_size : LOG_MOST;
	struct text log;
	char *buffer;
	int err = 0;

	if (!attr->log_level) {
		*program = program_load(attr, insns, NULL, &err);
		return err;
	}
	buffer = size ? kalloc(size) : NULL;
	if (!buffer) {
		kfree(insns);
		return size ? -ENOMEM : -EINVAL;
	}
	text_init(&log, buffer, size);
	*program = program_load(attr, insns, &log, &err);
	err = write_log(attr, &log, err);
	kfree(buffer);
	if (err && *program)
		program_put(*program);
	return err;
}

#define LOAD_FLAGS (BPF_F_STRICT_ALIGNMENT | BPF_F_ANY_ALIGNMENT | BPF_F_TEST_STATE_FREQ)

static int prog_load(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program = NULL;
	struct bpf_insn *insns;
	char license;
	int err;

	(void)user;
	CHECK(core_relo_rec_size);
	if (attr->prog_flags & ~(uint32_t)LOAD_FLAGS || !bpf_name_valid(attr->prog_name))
		return -EINVAL;
	if (copy_from_user(&license, attr->license, 1))
		return -EFAULT;
	if (!attr->insn_cnt || attr->insn_cnt > PROGRAM_INSNS)
		return -E2BIG;
	if (!privileged() || !perf_privileged())
		return -EPERM;
	insns = kalloc(attr->insn_cnt * sizeof(*insns));
	if (!insns)
		return -ENOMEM;
	if (copy_from_user(insns, attr->insns, attr->insn_cnt * sizeof(*insns))) {
		kfree(insns);
		return -EFAULT;
	}
	err = load_logged(attr, insns, &program);
	return err ? err : bpf_program_fd(program);
}

static int raw_tracepoint_open(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;
	struct bpf_link *link;
	char name[128];
	long length;
	int err;

	(void)user;
	CHECK(raw_tracepoint.prog_fd);
	program = bpf_program_of_fd((int)attr->raw_tracepoint.prog_fd, &err);
	if (!program)
		return err;
	length = copy_string_from_user(name, attr->raw_tracepoint.name, sizeof(name));
	link = length >= 0 ? link_raw(program, name, &err) : NULL;
	program_put(program);
	if (length < 0)
		return length == -EFAULT ? -EFAULT : -ENOENT;
	return link ? bpf_link_fd(link) : err;
}

static int link_create(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;
	struct perf_event *event;
	struct bpf_link *link;
	struct file *file;
	int err;

	(void)user;
	if (attr->link_create.attach_type != BPF_PERF_EVENT || attr->link_create.flags)
		return -EINVAL;
	program = bpf_program_of_fd((int)attr->link_create.prog_fd, &err);
	if (!program)
		return err;
	event = bpf_perf_event((int)attr->link_create.target_fd, &file);
	link = event
		   ? link_perf(program, event, file, attr->link_create.perf_event.bpf_cookie, &err)
		   : NULL;
	program_put(program);
	if (!event)
		return -EBADF;
	return link ? bpf_link_fd(link) : err;
}

/* ---- what there is ---- */

static int next_id(const union bpf_attr *attr, uint64_t user, uint32_t id)
{
	(void)attr;
	if (!id)
		return -ENOENT;
	return copy_to_user(user + offsetof(union bpf_attr, next_id), &id, sizeof(id));
}

static int prog_get_next_id(union bpf_attr *attr, uint64_t user)
{
	CHECK(next_id);
	return capable(CAP_SYS_ADMIN) ? next_id(attr, user, program_next_id(attr->start_id))
				      : -EPERM;
}

static int map_get_next_id(union bpf_attr *attr, uint64_t user)
{
	CHECK(next_id);
	return capable(CAP_SYS_ADMIN) ? next_id(attr, user, map_next_id(attr->start_id)) : -EPERM;
}

/* There are no links and no types to be found by number. */
static int no_next_id(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	CHECK(next_id);
	return capable(CAP_SYS_ADMIN) ? -ENOENT : -EPERM;
}

static int prog_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;

	(void)user;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	program = program_by_id(attr->prog_id);
	return program ? bpf_program_fd(program) : -ENOENT;
}

static int map_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	struct bpf_map *map;

	(void)user;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	map = map_by_id(attr->map_id);
	return map ? bpf_map_fd(map, attr->open_flags) : -ENOENT;
}

/* The first bytes of a struct that tells, as many as the user has room for. */
static int tell(const union bpf_attr *attr, uint64_t user, const void *info, uint32_t bytes)
{
	uint32_t room = attr->info.info_len < bytes ? attr->info.info_len : bytes;

	if (copy_to_user(attr->info.info, info, room) ||
	    copy_to_user(user + offsetof(union bpf_attr, info.info_len), &room, sizeof(room)))
		return -EFAULT;
	return 0;
}

static int tell_map(const union bpf_attr *attr, uint64_t user, const struct bpf_map *map)
{
	struct bpf_map_info info = {.type = map->type,
				    .id = map->id,
				    .key_size = map->key_size,
				    .value_size = map->value_size,
				    .max_entries = map->max_entries,
				    .map_flags = map->flags,
				    .map_extra = map->map_extra};

	memcpy(info.name, map->name, sizeof(info.name));
	return tell(attr, user, &info, sizeof(info));
}

/* Numbers of maps go where the user said, as far as there is room. */
static int tell_program(const union bpf_attr *attr, uint64_t user,
			const struct bpf_program *program)
{
	struct bpf_prog_info asked = {0}, info = {.type = program->type,
						  .id = program->id,
						  .load_time = program->load_time,
						  .created_by_uid = program->uid,
						  .nr_map_ids = program->nr_maps,
						  .gpl_compatible = 1,
						  .recursion_misses = program->misses};
	uint32_t bytes = attr->info.info_len < sizeof(asked) ? attr->info.info_len : sizeof(asked);

	if (copy_from_user(&asked, attr->info.info, bytes))
		return -EFAULT;
	memcpy(info.name, program->name, sizeof(info.name));
	memcpy(info.tag, program->tag, sizeof(info.tag));
	info.xlated_prog_len = program->nr_insns * (uint32_t)sizeof(struct bpf_insn);
	info.map_ids = asked.map_ids;
	for (uint32_t i = 0; i < program->nr_maps && i < asked.nr_map_ids; i++)
		if (copy_to_user(asked.map_ids + i * sizeof(uint32_t), &program->maps[i]->id,
				 sizeof(uint32_t)))
			return -EFAULT;
	return tell(attr, user, &info, sizeof(info));
}

static int tell_link(const union bpf_attr *attr, uint64_t user, const struct bpf_link *link)
{
	struct bpf_link_info info = {0};

	link_describe(link, &info);
	return tell(attr, user, &info, sizeof(info));
}

static int obj_get_info_by_fd(union bpf_attr *attr, uint64_t user)
{
	int fd = (int)attr->info.bpf_fd, err;
	struct bpf_program *program;
	struct bpf_link *link;
	struct bpf_map *map;
	struct file *file;

	CHECK(info.info);
	if (attr->info.info_len > PAGE_SIZE)
		return -E2BIG;
	if ((map = bpf_map_of_fd(fd, &file, &err))) {
		err = tell_map(attr, user, map);
		map_put(map);
		file_put(file);
	} else if ((program = bpf_program_of_fd(fd, &err))) {
		err = tell_program(attr, user, program);
		program_put(program);
	} else if ((link = bpf_link_of_fd(fd, &file, &err))) {
		err = tell_link(attr, user, link);
		file_put(file);
	}
	return err;
}

static command_fn *const commands[] = {
    [BPF_MAP_CREATE] = map_create,
    [BPF_MAP_LOOKUP_ELEM] = map_lookup_elem,
    [BPF_MAP_UPDATE_ELEM] = map_update_elem,
    [BPF_MAP_DELETE_ELEM] = map_delete_elem,
    [BPF_MAP_GET_NEXT_KEY] = map_get_next_key,
    [BPF_MAP_LOOKUP_AND_DELETE_ELEM] = map_lookup_and_delete,
    [BPF_MAP_LOOKUP_BATCH] = map_lookup_batch,
    [BPF_MAP_LOOKUP_AND_DELETE_BATCH] = map_lookup_and_delete_batch,
    [BPF_MAP_UPDATE_BATCH] = map_update_batch,
    [BPF_MAP_DELETE_BATCH] = map_delete_batch,
    [BPF_MAP_FREEZE] = map_freeze,
    [BPF_MAP_GET_NEXT_ID] = map_get_next_id,
    [BPF_MAP_GET_FD_BY_ID] = map_get_fd_by_id,
    [BPF_PROG_LOAD] = prog_load,
    [BPF_PROG_GET_NEXT_ID] = prog_get_next_id,
    [BPF_PROG_GET_FD_BY_ID] = prog_get_fd_by_id,
    [BPF_OBJ_GET_INFO_BY_FD] = obj_get_info_by_fd,
    [BPF_RAW_TRACEPOINT_OPEN] = raw_tracepoint_open,
    [BPF_LINK_CREATE] = link_create,
    [BPF_LINK_GET_NEXT_ID] = no_next_id,
    [BPF_BTF_GET_NEXT_ID] = no_next_id,
};

long sys_bpf(uint64_t command, uint64_t user, uint64_t size)
{
	union bpf_attr attr;
	uint32_t number = (uint32_t)command;
	int err;

	if (!privileged())
		return -EPERM; /* kernel.unprivileged_bpf_disabled, as Debian has it */
	if ((uint32_t)size > PAGE_SIZE)
		return -E2BIG;
	err = copy_versioned(&attr, sizeof(attr), user, (uint32_t)size);
	if (err)
		return err;
	if (number >= sizeof(commands) / sizeof(commands[0]) || !commands[number])
		return -EINVAL;
	return commands[number](&attr, user);
}

static int set_program(struct perf_event *event, int fd)
{
	int err;
	struct bpf_program *program = bpf_program_of_fd(fd, &err);

	if (!program)
		return err;
	err = program_attach(program, event, 0);
	program_put(program);
	return err;
}

void bpf_init(void)
{
	bpf_perf_event = perf_event_of_fd;
	perf_set_program = set_program;
}
