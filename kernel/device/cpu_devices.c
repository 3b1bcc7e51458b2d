/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/cpu/N/msr (MSRs by their number as the offset, for CAP_SYS_RAWIO) and /dev/cpu/N/cpuid (leaf
 * and subleaf as the offset's halves), as msr(4) and cpuid(4) describe them.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/device/cpu_devices.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"

#define MSR_MAJOR   202
#define CPUID_MAJOR 203
#define MSR_BYTES   sizeof(uint64_t)
#define CPUID_BYTES sizeof(struct cpuid_regs)

/* A request that runs on the target processor. */
struct request {
	uint32_t msr;
	uint64_t value;
	bool write, done;
	uint32_t leaf, subleaf;
	struct cpuid_regs registers;
};

static void access_msr(void *argument)
{
	struct request *r = argument;

	r->done = r->write ? wrmsr_safe(r->msr, r->value) : rdmsr_safe(r->msr, &r->value);
}

static void query_cpuid(void *argument)
{
	struct request *r = argument;

	r->registers = cpuid(r->leaf, r->subleaf);
}

static uint32_t processor_of(const struct file *file)
{
	return file->inode->minor;
}

/* As Linux: each 8 bytes are the same register, at the same offset. */
static long msr_transfer(struct file *file, uint64_t buffer, size_t bytes, uint64_t offset,
			 bool write)
{
	size_t moved = 0;

	if (bytes % MSR_BYTES)
		return -EINVAL;
	for (; moved < bytes; moved += MSR_BYTES) {
		struct request r = {.msr = (uint32_t)offset, .write = write};

		if (write && copy_from_user(&r.value, buffer + moved, MSR_BYTES))
			return moved ? (long)moved : -EFAULT;
		remote_call(processor_of(file), access_msr, &r);
		if (!r.done)
			return moved ? (long)moved : -EIO;
		if (!write && copy_to_user(buffer + moved, &r.value, MSR_BYTES))
			return moved ? (long)moved : -EFAULT;
	}
	return (long)moved;
}

static long msr_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	return msr_transfer(file, buffer, bytes, *offset, false);
}

static long msr_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	return msr_transfer(file, buffer, bytes, *offset, true);
}

static long cpuid_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	size_t moved = 0;

	if (bytes % CPUID_BYTES)
		return -EINVAL;
	for (; moved < bytes; moved += CPUID_BYTES, ++*offset) {
		struct request r = {.leaf = (uint32_t)*offset,
				    .subleaf = (uint32_t)(*offset >> 32)};

		remote_call(processor_of(file), query_cpuid, &r);
		if (copy_to_user(buffer + moved, &r.registers, CPUID_BYTES))
			return moved ? (long)moved : -EFAULT;
	}
	return (long)moved;
}

long device_seek(struct file *file, int64_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += (int64_t)file->offset;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	file->offset = (uint64_t)offset;
	return offset;
}

static int open_msr(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

static const struct file_ops msr_ops = {
    .read = msr_read, .write = msr_write, .in_pieces = true, .seek = device_seek};
static const struct file_ops cpuid_ops = {
    .read = cpuid_read, .in_pieces = true, .seek = device_seek};
static const struct inode_ops msr_inode_ops = {.open = open_msr};

static const struct {
	const char *name;
	uint32_t major, mode;
	const struct file_ops *fops;
	const struct inode_ops *ops;
} nodes[] = {
    {"msr", MSR_MAJOR, S_IFCHR | 0600, &msr_ops, &msr_inode_ops},
    {"cpuid", CPUID_MAJOR, S_IFCHR | 0444, &cpuid_ops, NULL},
};

/* Adds an entry to the directory, which holds the only reference. */
static struct inode *add(struct inode *directory, const char *name, uint32_t mode)
{
	struct inode *inode = inode_new(mode);

	if (!inode || dir_link(directory, name, strlen(name), inode))
		panic("no memory for /dev/cpu: give the machine more");
	inode_put(inode);
	return inode;
}

static void add_processor(struct inode *directory, uint32_t cpu)
{
	char name[12];
	struct text text;
	struct inode *own;

	text_init(&text, name, sizeof(name));
	text_print(&text, "%u", cpu);
	own = add(directory, name, S_IFDIR | 0755);
	for (unsigned i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct inode *inode = add(own, nodes[i].name, nodes[i].mode);

		inode->major = nodes[i].major;
		inode->minor = cpu;
		inode->fops = nodes[i].fops;
		inode->ops = nodes[i].ops;
	}
}

void cpu_devices_init(struct inode *dev)
{
	struct inode *directory = add(dev, "cpu", S_IFDIR | 0755);

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		add_processor(directory, cpu);
}
