/* SPDX-License-Identifier: BSD-2-Clause */
/* System V IPC: tables of objects by number and by key, and their permissions: sysvipc(7). */
#include <linux/errno.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/synthetic.h"
#include "kernel/ipc/sysv.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"

/* At least this number of slots is used in turn, as on Linux. */
#define SLOTS_LEAST 64u
#define ROUND_MASK  0xffffu

int64_t sysv_now(void)
{
	return clock_real_ns() / NS_PER_SEC;
}

/* A user's objects may take 1/32 of memory. */
static uint64_t charge_most(void)
{
	return memory_total_pages() / 32 * PAGE_SIZE;
}

bool sysv_charge(struct sysv_object *object, uint64_t bytes)
{
	if (!account_take(object->charged_uid, ACCOUNT_IPC, bytes, charge_most()))
		return false;
	object->charged += bytes;
	return true;
}

void sysv_discharge(struct sysv_object *object, uint64_t bytes)
{
	account_give(object->charged_uid, ACCOUNT_IPC, bytes);
	object->charged -= bytes;
}

struct sysv_object *sysv_new(uint64_t bytes, int key, uint32_t mode)
{
	const struct cred *cred = &current_task()->cred;
	struct sysv_object *object = kalloc(bytes);

	if (!object)
		return NULL;
	object->refs = 1;
	object->key = key;
	object->mode = mode & 0777;
	object->uid = object->creator_uid = cred->uid.effective;
	object->gid = object->creator_gid = cred->gid.effective;
	object->charged_uid = cred->uid.real;
	object->changed_s = sysv_now();
	if (!sysv_charge(object, bytes)) {
		kfree(object);
		return NULL;
	}
	return object;
}

void sysv_hold(struct sysv_object *object)
{
	object->refs++;
}

void sysv_put(const struct sysv_table *table, struct sysv_object *object)
{
	KASSERT(object->refs > 0);
	if (--object->refs)
		return;
	table->free(object);
	sysv_discharge(object, object->charged);
	kfree(object);
}

/* Makes room for one more slot: 0 or -ENOMEM. */
static int grow(struct sysv_table *table)
{
	unsigned size = table->nr_slots ? table->nr_slots * 2 : SLOTS_LEAST;
	struct sysv_object **slots = kalloc(size * sizeof(struct sysv_object *));

	if (!slots)
		return -ENOMEM;
	if (table->slots)
		memcpy(slots, table->slots, table->nr_slots * sizeof(struct sysv_object *));
	kfree(table->slots);
	table->slots = slots;
	table->nr_slots = size;
	return 0;
}

/* Returns the first free slot after the last one used, then from 0, where the id's high bits
 * change. */
static unsigned free_slot(struct sysv_table *table)
{
	unsigned slot = table->next;

	while (slot < table->nr_slots && table->slots[slot])
		slot++;
	if (slot < table->nr_slots)
		return slot;
	table->round = (table->round + 1) & ROUND_MASK;
	for (slot = 0; table->slots[slot];)
		slot++;
	return slot;
}

int sysv_add(struct sysv_table *table, struct sysv_object *object)
{
	unsigned slot;

	if (table->used >= table->most)
		return -ENOSPC;
	if (table->used + table->used / 2 >= table->nr_slots && grow(table))
		return -ENOMEM;
	slot = free_slot(table);
	object->id = (int)(table->round << SYSV_SLOT_BITS | slot);
	table->slots[slot] = object;
	table->next = slot + 1;
	table->used++;
	if (object->key != IPC_PRIVATE)
		tree_insert(&table->keys, &object->by_key);
	return object->id;
}

int sysv_permission(const struct sysv_object *object, uint32_t mode)
{
	const struct cred *cred = &current_task()->cred;
	uint32_t wanted = (mode >> 6 | mode >> 3 | mode) & 7, granted = object->mode;

	if (cred->uid.effective == object->uid || cred->uid.effective == object->creator_uid)
		granted >>= 6;
	else if (cred_in_group(object->gid) || cred_in_group(object->creator_gid))
		granted >>= 3;
	return wanted & ~granted && !capable(CAP_IPC_OWNER) ? -EACCES : 0;
}

int sysv_owned(const struct sysv_object *object)
{
	uint32_t uid = current_task()->cred.uid.effective;

	return uid == object->uid || uid == object->creator_uid || capable(CAP_SYS_ADMIN) ? 0
											  : -EPERM;
}

static int key_of(const struct tree_node *node)
{
	return container_of(node, struct sysv_object, by_key)->key;
}

bool sysv_key_before(const struct tree_node *a, const struct tree_node *b)
{
	return key_of(a) < key_of(b);
}

static struct sysv_object *find_key(const struct sysv_table *table, int key)
{
	struct tree_node *node = table->keys.root;

	while (node && key_of(node) != key)
		node = key < key_of(node) ? node->left : node->right;
	return node ? container_of(node, struct sysv_object, by_key) : NULL;
}

static void forget_key(struct sysv_table *table, struct sysv_object *object)
{
	if (tree_holds(&object->by_key))
		tree_remove(&table->keys, &object->by_key);
}

void sysv_hide(struct sysv_table *table, struct sysv_object *object)
{
	forget_key(table, object);
	object->key = IPC_PRIVATE;
}

int sysv_get(struct sysv_table *table, int key, uint32_t flags,
	     int (*check)(const struct sysv_object *object, uint64_t value), uint64_t value)
{
	const struct sysv_object *object = key == IPC_PRIVATE ? NULL : find_key(table, key);
	int err;

	if (!object)
		return key == IPC_PRIVATE || flags & IPC_CREAT ? -ENODATA : -ENOENT;
	if (flags & IPC_CREAT && flags & IPC_EXCL)
		return -EEXIST;
	err = check ? check(object, value) : 0;
	if (!err)
		err = sysv_permission(object, flags);
	return err ? err : object->id;
}

struct sysv_object *sysv_slot(const struct sysv_table *table, unsigned slot)
{
	return slot < table->nr_slots ? table->slots[slot] : NULL;
}

int sysv_highest(const struct sysv_table *table)
{
	unsigned slot = table->nr_slots;

	while (slot && !table->slots[slot - 1])
		slot--;
	return slot ? (int)slot - 1 : 0;
}

int sysv_find(struct sysv_table *table, int id, struct sysv_object **object)
{
	*object = id < 0 ? NULL : sysv_slot(table, (unsigned)id & ((1u << SYSV_SLOT_BITS) - 1));
	if (!*object)
		return -EINVAL;
	return (*object)->id == id ? 0 : -EINVAL;
}

int sysv_find_for(struct sysv_table *table, int id, uint32_t mode, struct sysv_object **object)
{
	int err = sysv_find(table, id, object);

	return err ? err : sysv_permission(*object, mode);
}

int sysv_find_owned(struct sysv_table *table, int id, struct sysv_object **object)
{
	int err = sysv_find(table, id, object);

	return err ? err : sysv_owned(*object);
}

void sysv_remove(struct sysv_table *table, struct sysv_object *object)
{
	forget_key(table, object);
	table->slots[(unsigned)object->id & ((1u << SYSV_SLOT_BITS) - 1)] = NULL;
	table->used--;
	object->removed = true;
	sysv_put(table, object);
}

void sysv_describe(const struct sysv_object *object, struct ipc64_perm *perm)
{
	memset(perm, 0, sizeof(*perm));
	perm->key = object->key;
	perm->uid = object->uid;
	perm->gid = object->gid;
	perm->cuid = object->creator_uid;
	perm->cgid = object->creator_gid;
	perm->mode = object->mode;
	perm->seq = (unsigned short)((unsigned)object->id >> SYSV_SLOT_BITS);
}

int sysv_set(struct sysv_object *object, const struct ipc64_perm *perm)
{
	if (perm->uid == UINT32_MAX || perm->gid == UINT32_MAX)
		return -EINVAL;
	object->uid = perm->uid;
	object->gid = perm->gid;
	object->mode = (object->mode & ~0777u) | (perm->mode & 0777);
	object->changed_s = sysv_now();
	return 0;
}

/* Returns a number whose decimal digits are the octal digits of `value`. */
static unsigned octal(uint32_t value)
{
	return value < 8 ? value : octal(value / 8) * 10 + value % 8;
}

void sysv_text_begin(struct text *out, const struct sysv_object *object)
{
	text_print(out, "%10d %10d  %4u ", object->key, object->id, octal(object->mode));
}

void sysv_text_owners(struct text *out, const struct sysv_object *object)
{
	text_print(out, "%5u %5u %5u %5u ", object->uid, object->gid, object->creator_uid,
		   object->creator_gid);
}

#define NUMBER_FILE(name, value)                               \
	static void make_##name(struct text *out, uint64_t id) \
	{                                                      \
		(void)id;                                      \
		text_print(out, "%lu\n", (uint64_t)(value));   \
	}

NUMBER_FILE(shmmax, SHM_BYTES_MAX)
NUMBER_FILE(shmall, SHM_BYTES_MAX)
NUMBER_FILE(shmmni, SHM_SEGMENTS_MAX)
NUMBER_FILE(msgmax, MSG_BYTES_MAX)
NUMBER_FILE(msgmnb, MSG_QUEUE_BYTES)
NUMBER_FILE(msgmni, MSG_QUEUES_MAX)

static void make_sem(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%u\t%u\t%u\t%u\n", SEM_IN_SET_MAX, SEM_ALL_MAX, SEM_AT_ONCE_MAX,
		   SEM_SETS_MAX);
}

static const struct synthetic objects[] = {
    {.path = "shm", .make = shm_text},
    {.path = "sem", .make = sem_text},
    {.path = "msg", .make = msg_text},
};

static const struct synthetic limits[] = {
    {.path = "shmmax", .make = make_shmmax}, {.path = "shmall", .make = make_shmall},
    {.path = "shmmni", .make = make_shmmni}, {.path = "msgmax", .make = make_msgmax},
    {.path = "msgmnb", .make = make_msgmnb}, {.path = "msgmni", .make = make_msgmni},
    {.path = "sem", .make = make_sem},
};

void sysv_init(void)
{
	synthetic_add_all("/proc/sysvipc", objects, sizeof(objects) / sizeof(objects[0]), 0);
	synthetic_add_all("/proc/sys/kernel", limits, sizeof(limits) / sizeof(limits[0]), 0);
}
