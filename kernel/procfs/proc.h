/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of /proc and /sys. */
#ifndef KERNEL_PROC_H
#define KERNEL_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"
#include "kernel/fs/synthetic.h"

struct file;
struct inode;
struct namespace;
struct task;
struct uts;

/* Makes /proc and /sys with all additions. Context: start. */
void proc_init(void);
/* Adds /proc/interrupts. Context: start. */
void proc_interrupts_init(void);

/*
 * The id of a task's files and directories is its number; with this bit they describe the thread
 * alone (/proc/PID/task/TID).
 */
#define PROC_THREAD (1ul << 32)

#define NS_PER_TICK 10000000ul /* the unit of times in /proc: USER_HZ is 100 */

/* Adds /proc/PID, /proc/self and /proc/thread-self. Context: start. */
void proc_tasks_init(void);
/* Adds /sys/devices/system/cpu and /sys/devices/system/node. Context: start. */
void proc_processors_init(void);
void proc_nodes_init(void);
/* Adds the files about huge pages. Context: start. */
void proc_huge_init(void);
/* Adds the lines about huge pages of /proc/meminfo to `out`. Context: task. */
void proc_add_huge(struct text *out);
/* Adds /sys/firmware/dmi/tables where firmware left any. Context: start. */
void proc_firmware_init(void);
/* Adds the directory `power` of the device with this path in /sys. Context: start. */
void proc_add_power(const char *device);
/* Adds a mask of processors in hexadecimal words, and the end of the line. Context: task. */
void proc_add_processor_mask(struct text *out, const struct cpu_mask *mask);
/* /proc/cpuinfo. */
extern const struct synthetic proc_cpuinfo;

/* The files of a task, by name; tasks look them up here. Ended by a NULL path. */
extern const struct synthetic proc_task_files[];

/* Returns the task of an id, with a reference, or NULL. Context: task, as all below. */
struct task *proc_task(uint64_t id);
/* Returns the process of a directory /proc/PID, referenced; NULL: another inode, or it ended. */
struct task *proc_process_of(const struct inode *inode);
/* Checks that the current task may inspect it: 0, -EACCES, or -ESRCH if it has ended. */
int proc_inspect(uint64_t id);

/* Makes the targets of the links of /proc/PID/ns. Context: start. */
void proc_namespaces_init(void);
/* Returns a new directory /proc/PID/ns with one reference, or NULL. */
struct inode *proc_ns_directory(uint64_t id);
/* Returns the kind of namespace of a file of /proc/PID/ns, or NULL. Context: task. */
const struct namespace *namespace_of_file(const struct file *file);
/* Returns the UTS namespace of such a file, or NULL for another kind. Context: task. */
struct uts *uts_of_file(const struct file *file);
/* Returns a new inode of /proc/kcore with one reference, or NULL. */
struct inode *proc_kcore_inode(void);
/* Returns a new inode of /proc/PID/mem, or of pagemap, with one reference, or NULL. */
struct inode *proc_mem_inode(uint64_t id, bool pagemap);

/* Parses the name as a decimal number, or returns -1. */
long proc_number(const char *name, size_t length);

#endif
