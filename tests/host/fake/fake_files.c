/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of host tests: one that programs map, and the files of /sys. */
#include "tests/host/fake/fake_files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/proc.h"

#define MOST_FILES 128

struct fake_file fake_file;

static struct {
	char path[96];
	const struct synthetic *file;
	uint64_t id;
} files[MOST_FILES];
static unsigned nr_files;

size_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t bytes)
{
	(void)inode;
	if (offset >= fake_file.bytes)
		return 0;
	if (bytes > fake_file.bytes - offset)
		bytes = fake_file.bytes - offset;
	memcpy(to, (const char *)fake_file.data + offset, bytes);
	return bytes;
}

void synthetic_add_at(const char *path, const struct synthetic *file, uint64_t id)
{
	assert_true(nr_files < MOST_FILES && strlen(path) < sizeof(files[0].path));
	strcpy(files[nr_files].path, path);
	files[nr_files].file = file;
	files[nr_files++].id = id;
}

/* Nothing reads the state of power. */
void proc_add_power(const char *device)
{
	(void)device;
}

/* Links are not followed. */
void synthetic_link(const char *path, const char *target, const char *rest)
{
	(void)path, (void)target, (void)rest;
}

void fake_files_start(void)
{
	nr_files = 0;
	fake_file = (struct fake_file){0};
}

static unsigned find(const char *path)
{
	unsigned i = 0;

	while (i < nr_files && strcmp(files[i].path, path) != 0)
		i++;
	return i;
}

const char *fake_sys_read(const char *path)
{
	static char buffer[256];
	unsigned i = find(path);
	struct text text;

	if (i == nr_files)
		return NULL;
	text_init(&text, buffer, sizeof(buffer));
	synthetic_make(files[i].file, &text, files[i].id);
	return buffer;
}

int fake_sys_write(const char *path, const char *text)
{
	unsigned i = find(path);

	assert_true(i < nr_files);
	return files[i].file->store(text, files[i].id);
}
