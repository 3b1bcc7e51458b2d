/* SPDX-License-Identifier: BSD-2-Clause */
/* Common parts of System V's shared memory, semaphores and message queues: ids, keys, owners. */
#ifndef KERNEL_SYSV_H
#define KERNEL_SYSV_H

#include <linux/ipc.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/tree.h"

struct process;
struct text;

/* The first member of each kind's objects. */
struct sysv_object {
	uint32_t refs; /* the table, sleepers, and mappings */
	bool removed;
	int id, key;
	struct tree_node by_key; /* in the tree of objects that have a key */
	uint32_t uid, gid, creator_uid, creator_gid;
	uint32_t mode; /* permissions, and bits of the kind's own */
	uint32_t charged_uid;
	uint64_t charged;  /* bytes on that user's account */
	int64_t changed_s; /* real time */
};

struct sysv_table {
	unsigned most;                            /* objects */
	void (*free)(struct sysv_object *object); /* the last reference is gone */
	struct tree keys;                         /* .before: sysv_key_before */
	struct sysv_object **slots;               /* by the number's low bits */
	unsigned nr_slots, used, next; /* next: where the search for a free slot begins */
	uint32_t round; /* the number's high bits: so that it is not soon another's */
};

/* Rights of owner, group and others. */
#define SYSV_READ    0444u
#define SYSV_WRITE   0222u
#define SYSV_EXECUTE 0111u

/* For SHM_STAT and similar commands, which identify an object by its slot. */
#define SYSV_SLOT_BITS 15u

/* Context of all: task. */

/* Returns a new object of `bytes`, charged to the current task's user, with one reference and in no
 * table; NULL: -ENOMEM, or the user's limit is reached. */
struct sysv_object *sysv_new(uint64_t bytes, int key, uint32_t mode);
/* The order of a table's `keys`. */
bool sysv_key_before(const struct tree_node *a, const struct tree_node *b);
/* Charges `bytes` more to the object, or less: false if the user's limit is reached. */
bool sysv_charge(struct sysv_object *object, uint64_t bytes);
void sysv_discharge(struct sysv_object *object, uint64_t bytes);
/* Adds the object to the table, which takes the reference: returns its id, -ENOSPC or -ENOMEM (the
 * caller keeps the reference). */
int sysv_add(struct sysv_table *table, struct sysv_object *object);
/* Finds an object for a *get call by key: returns its id, -ENOENT or -EEXIST by `flags`, or
 * -EACCES. `check` (NULL: none) is called first, with `value`: 0 or a negative errno. Returns
 * -ENODATA if the object must be made. */
int sysv_get(struct sysv_table *table, int key, uint32_t flags,
	     int (*check)(const struct sysv_object *object, uint64_t value), uint64_t value);
/* Finds an object by its id, without a reference: 0 or -EINVAL. */
int sysv_find(struct sysv_table *table, int id, struct sysv_object **object);
/* As sysv_find(), and checks that the current task has all rights of `mode` (SYSV_*): -EACCES. */
int sysv_find_for(struct sysv_table *table, int id, uint32_t mode, struct sysv_object **object);
/* Returns the object of a slot, or NULL; returns the highest slot that was used, at least 0. */
struct sysv_object *sysv_slot(const struct sysv_table *table, unsigned slot);
int sysv_highest(const struct sysv_table *table);
/* Checks the current task's rights: 0 or -EACCES. */
int sysv_permission(const struct sysv_object *object, uint32_t mode);
/* Checks that the current task owns or created it, or is privileged: 0 or -EPERM. */
int sysv_owned(const struct sysv_object *object);
/* As sysv_find(), with the check of sysv_owned(). */
int sysv_find_owned(struct sysv_table *table, int id, struct sysv_object **object);
/* Removes its key from the table. */
void sysv_hide(struct sysv_table *table, struct sysv_object *object);
/* Removes its id and key from the table, and drops the table's reference. */
void sysv_remove(struct sysv_table *table, struct sysv_object *object);
void sysv_hold(struct sysv_object *object);
void sysv_put(const struct sysv_table *table, struct sysv_object *object);

/* The common part of IPC_STAT and IPC_SET. sysv_set(): 0, and the object's time of change is now;
 * or -EINVAL for an invalid id. */
void sysv_describe(const struct sysv_object *object, struct ipc64_perm *perm);
int sysv_set(struct sysv_object *object, const struct ipc64_perm *perm);
/* Real time, in seconds. */
int64_t sysv_now(void);
/* Adds the leading columns of a line of /proc/sysvipc, and the columns of owners. */
void sysv_text_begin(struct text *out, const struct sysv_object *object);
void sysv_text_owners(struct text *out, const struct sysv_object *object);

/* The system calls; addresses are the user's, `command` is IPC_* or specific. They return values or
 * a negative errno. */
long shm_get(int key, uint64_t bytes, uint32_t flags);
long shm_attach(int id, uint64_t address, uint32_t flags);
long shm_detach(uint64_t address);
long shm_control(int id, int command, uint64_t user);
long sem_get(int key, int count, uint32_t flags);
/* `deadline_ns` is on clock_ns(). */
long sem_operate(int id, uint64_t user, uint64_t count, uint64_t deadline_ns);
long sem_control(int id, int number, int command, uint64_t argument);
/* The process ends: undoes its SEM_UNDO operations. */
void sem_process_exit(struct process *process);
long msg_get(int key, uint32_t flags);
long msg_send(int id, uint64_t user, uint64_t bytes, uint32_t flags);
long msg_receive(int id, uint64_t user, uint64_t bytes, int64_t type, uint32_t flags);
long msg_control(int id, int command, uint64_t user);

/* Makes /proc/sysvipc. Context: start. */
void sysv_init(void);
/* Contents of its files. `id` is not used. Context: task. */
void shm_text(struct text *out, uint64_t id);
void sem_text(struct text *out, uint64_t id);
void msg_text(struct text *out, uint64_t id);

/* The limits, which are also in /proc/sys/kernel. */
#define SHM_SEGMENTS_MAX 4096
#define SHM_BYTES_MAX    (UINT64_MAX - (1ul << 24))
#define SEM_SETS_MAX     32000
#define SEM_IN_SET_MAX   32000
#define SEM_ALL_MAX      1024000000
#define SEM_AT_ONCE_MAX  500
#define SEMVMX           32767
#define MSG_QUEUES_MAX   32000
#define MSG_BYTES_MAX    8192
#define MSG_QUEUE_BYTES  16384

#endif
