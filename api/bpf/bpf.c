/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2): copies arguments between ring 3 and bpf/, which does the work. bpf_maps.c has the
 * commands for maps. */
#include "api/bpf/bpf.h"
#include "api/bpf/init.h"
#include "api/calls.h"
#include "api/perf/perf.h"
#include "api/versioned.h"
#include "bpf/attach.h"
#include "bpf/bpf.h"
#include "bpf/object/bpffs.h"
#include "bpf/object/btf.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "trace/base/program.h"

#define LOG_MAX (1u << 20) /* bytes of a log that are made */

bool bpf_name_valid(const char name[BPF_OBJ_NAME_LEN])
{
	unsigned i = 0;

	for (; i < BPF_OBJ_NAME_LEN && name[i]; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
		      (name[i] >= '0' && name[i] <= '9') || name[i] == '_' || name[i] == '.'))
			return false;
	return i < BPF_OBJ_NAME_LEN && is_zero((const uint8_t *)name + i, BPF_OBJ_NAME_LEN - i);
}

/* ---- logs ---- */

int bpf_log_begin(struct bpf_log *log, uint32_t level, uint64_t user, uint32_t size)
{
	uint32_t bytes = size < LOG_MAX ? size : LOG_MAX;

	*log = (struct bpf_log){.user = user, .size = size};
	if (!level)
		return !user && !size ? 0 : -EINVAL;
	if (!bytes || !user)
		return -EINVAL;
	log->buffer = kalloc(bytes);
	if (!log->buffer)
		return -ENOMEM;
	text_init(&log->text, log->buffer, bytes);
	return 0;
}

int bpf_log_end(struct bpf_log *log, int result)
{
	uint64_t bytes = log->text.length < log->size - 1 ? log->text.length : log->size - 1;
	char end = 0;

	if (!log->buffer)
		return result;
	if (copy_to_user(log->user, log->buffer, bytes) || copy_to_user(log->user + bytes, &end, 1))
		result = -EFAULT;
	else if (log->text.length >= log->size)
		result = -ENOSPC;
	kfree(log->buffer);
	return result;
}

/* ---- programs ---- */

#define LOAD_FLAGS (BPF_F_STRICT_ALIGNMENT | BPF_F_ANY_ALIGNMENT | BPF_F_TEST_STATE_FREQ)

/* Keeps the types that function and line information refer to: *btf is referenced; NULL: none were
 * given. */
static int find_types(const union bpf_attr *attr, struct btf **btf)
{
	int err = 0;

	*btf = NULL;
	if (!attr->func_info_cnt && !attr->line_info_cnt)
		return 0;
	*btf = bpf_btf_of_fd((int)attr->prog_btf_fd, &err);
	if (*btf && (*btf)->kernel) {
		btf_put(*btf);
		*btf = NULL;
		return -EACCES;
	}
	return *btf ? 0 : err;
}

/* Copies the instructions, which then belong to the program. */
static int load(const union bpf_attr *attr, struct text *log, struct bpf_program **program)
{
	struct bpf_insn *insns = kalloc(attr->insn_cnt * sizeof(*insns));
	int err = 0;

	if (!insns)
		return -ENOMEM;
	if (copy_from_user(insns, attr->insns, attr->insn_cnt * sizeof(*insns))) {
		kfree(insns);
		return -EFAULT;
	}
	*program = program_load(attr, insns, log, &err);
	return err;
}

static int load_logged(const union bpf_attr *attr, struct bpf_program **program)
{
	struct bpf_log log;
	struct btf *btf;
	int err = find_types(attr, &btf);

	if (err)
		return err;
	err = bpf_log_begin(&log, attr->log_level, attr->log_buf, attr->log_size);
	if (!err)
		err = bpf_log_end(&log, load(attr, log.buffer ? &log.text : NULL, program));
	if (err && *program)
		program_put(*program);
	if (err)
		btf_put(btf);
	else
		(*program)->btf = btf;
	return err;
}

static int prog_load(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program = NULL;
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
	err = load_logged(attr, &program);
	return err ? err : bpf_fd(&program->object, 0);
}

/* ---- the call ---- */

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
    [BPF_LINK_GET_NEXT_ID] = link_get_next_id,
    [BPF_LINK_GET_FD_BY_ID] = link_get_fd_by_id,
    [BPF_LINK_UPDATE] = link_update,
    [BPF_LINK_DETACH] = link_detach,
    [BPF_TASK_FD_QUERY] = task_fd_query,
    [BPF_PROG_QUERY] = prog_query,
    [BPF_OBJ_PIN] = obj_pin,
    [BPF_OBJ_GET] = obj_get,
    [BPF_BTF_LOAD] = btf_load,
    [BPF_BTF_GET_NEXT_ID] = btf_get_next_id,
    [BPF_BTF_GET_FD_BY_ID] = btf_get_fd_by_id,
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

/* PERF_EVENT_IOC_QUERY_BPF: lists the programs at the event's trace event. */
static int query_programs(struct perf_event *event, uint64_t user)
{
	uint32_t ids[TRACE_PROGRAMS_MAX], most, nr;

	if (!perf_privileged())
		return -EPERM;
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return -EINVAL;
	if (copy_from_user(&most, user, sizeof(most)))
		return -EFAULT;
	if (most > TRACE_PROGRAMS_MAX)
		return -E2BIG;
	nr = programs_at(event->hw.trace, ids, most);
	if (copy_to_user(user + sizeof(most), &nr, sizeof(nr)) ||
	    copy_to_user(user + 2 * sizeof(most), ids, (nr < most ? nr : most) * sizeof(ids[0])))
		return -EFAULT;
	return most && nr > most ? -ENOSPC : 0;
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
	perf_query_programs = query_programs;
	bpffs_init();
}
