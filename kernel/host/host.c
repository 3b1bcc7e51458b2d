/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames to the host command, in memory that it shares or on COM2, and the end of the machine. */
#include <linux/stat.h>
#include "abi/boot_info.h"
#include "abi/boot_kept.h"
#include "abi/debug_exit.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/base/uart.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/tree_walk.h"
#include "kernel/host/crc32.h"
#include "kernel/host/host.h"
#include "kernel/host/keep.h"
#include "kernel/host/link.h"
#include "kernel/mem/memory.h"

#define STATUS_PANIC 125
#define LINE_LONGEST 512

extern char image_start[]; /* linker.ld */

struct exit_payload {
	uint32_t status, reason;
	char line[LINE_LONGEST];
};

static bool listens, linked;
static uint32_t sequence;
static uint8_t buffer[HOST_PAYLOAD];

void host_init(void)
{
	bool turns = cmdline_is("host", "turns"), link = turns || cmdline_is("host", "link");
	uint64_t where;

	if (!link && !cmdline_is("host", "com2"))
		return;
	listens = uart_init(UART_COM2);
	if (!listens)
		log_error("host=, but nothing answers at COM2");
	where = listens && link ? link_open(turns) : 0;
	if (!where)
		return;
	host_send(HOST_LINK, 0, "", &where, sizeof(where));
	linked = true;
}

bool host_is_linked(void)
{
	return linked;
}

bool host_listens(void)
{
	return listens;
}

void *host_buffer(void)
{
	return buffer;
}

/* Returns the buffer's physical pages. */
static const struct link_pages *buffer_pages(void)
{
	static struct link_pages pages;
	uint64_t phys = boot_info.kernel_base + ((uint64_t)buffer - (uint64_t)image_start);

	pages.offset = phys % PAGE_SIZE;
	for (unsigned i = 0; i <= HOST_PAYLOAD / PAGE_SIZE; i++)
		pages.phys[i] = (phys & -PAGE_SIZE) + i * PAGE_SIZE;
	return &pages;
}

/* Shared memory needs no checksum. */
static void send_by_link(struct boot_frame *header, const char *name, size_t length,
			 const struct link_part *payload)
{
	struct link_part part[3] = {
	    {header, sizeof(*header), NULL},
	    {name, length, NULL},
	    *payload,
	};

	if (header->type == HOST_EXIT)
		link_send_last(part, &header->sequence, &sequence);
	else
		link_send(part, &header->sequence, &sequence);
}

/* The number is assigned at sending: an interrupt's frame may precede it. */
static struct boot_frame frame_header(enum host_frame type, uint8_t flags, size_t length,
				      size_t bytes)
{
	return (struct boot_frame){.magic = {'B', 'P', 'M', 'U'},
				   .type = (uint8_t)type,
				   .flags = flags,
				   .name_bytes = (uint16_t)length,
				   .payload_bytes = (uint32_t)bytes};
}

void host_show(enum host_frame type, const struct link_pages *pages, size_t bytes)
{
	struct boot_frame header = frame_header(type, 0, 0, bytes);
	struct link_part payload = {NULL, bytes, pages};

	send_by_link(&header, "", 0, &payload);
}

/* A key's echo, sent by an interrupt, must not be inserted into the frame. */
static void keep(enum host_frame type, uint8_t flags, const char *name, const void *payload,
		 size_t bytes)
{
	uint64_t irq_flags = irq_save();
	struct boot_frame header = frame_header(type, flags, strlen(name), bytes);

	header.sequence = sequence++;
	keep_frame(&header, name, payload);
	irq_restore(irq_flags);
}

void host_send(enum host_frame type, uint8_t flags, const char *name, const void *payload,
	       size_t bytes)
{
	size_t length = strlen(name);
	struct boot_frame header;
	bool in_place = payload == buffer && bytes >= HOST_IN_PLACE;
	struct link_part part = {payload, bytes, in_place ? buffer_pages() : NULL};

	if (keep_is_on()) {
		keep(type, flags, name, payload, bytes);
		return;
	}
	header = frame_header(type, flags, length, bytes);
	if (!listens)
		return;
	if (linked) {
		send_by_link(&header, name, length, &part);
		return;
	}
	header.sequence = sequence++;
	header.crc = crc32(crc32(crc32(0, &header, sizeof(header)), name, length), payload, bytes);
	uart_write(UART_COM2, &header, sizeof(header));
	uart_write(UART_COM2, name, length);
	uart_write(UART_COM2, payload, bytes);
}

/* An empty file is sent as one empty piece. */
void host_send_file(struct inode *inode, uint8_t flags, const char *name)
{
	uint64_t offset = 0;
	size_t bytes;

	do {
		bytes = inode_read(inode, offset, buffer, HOST_PAYLOAD);
		offset += bytes;
		host_send(HOST_FILE, flags | (offset >= inode->size ? FILE_LAST : 0), name, buffer,
			  bytes);
	} while (offset < inode->size);
}

/* Sends the files of the directory and of those below it. */
static void send_directory(struct inode *dir)
{
	static char path[PATH_SIZE];
	struct tree_walk walk;
	enum tree_step step;

	tree_walk_begin(&walk, dir, path);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		if (step != TREE_ENTRY)
			continue;
		if (S_ISREG(walk.entry->inode->mode))
			host_send_file(walk.entry->inode, 0, path);
		else if (S_ISDIR(walk.entry->inode->mode))
			tree_walk_enter(&walk);
	}
	if (walk.skipped)
		log_warn("/out: %lu names are lost: their paths are too long", walk.skipped);
}

void host_send_files(void)
{
	const struct dirent *out = dir_find(root_inode, "out", 3);

	/* Regardless of the permissions of the program that ends. */
	if ((listens || keep_is_on()) && out && S_ISDIR(out->inode->mode))
		send_directory(out->inode);
}

static void send_exit(uint32_t status, enum host_reason reason, const char *line)
{
	struct exit_payload payload = {.status = status, .reason = reason};
	size_t length = line ? strlcpy(payload.line, line, LINE_LONGEST) : 0;

	if (length >= LINE_LONGEST)
		length = LINE_LONGEST - 1;
	host_send(HOST_EXIT, 0, "", &payload, sizeof(payload) - LINE_LONGEST + length);
}

void host_exit(uint32_t status, enum host_reason reason, const char *line)
{
	irq_disable();
	remote_stop_others();
	send_exit(status, reason, line);
	if (keep_is_on())
		keep_end();
	if (cmdline_is("exit", "debug"))
		outl(DEBUG_EXIT_PORT, DEBUG_EXIT_DONE);
	for (;;)
		halt();
}

void host_panic(const char *line)
{
	send_exit(STATUS_PANIC, HOST_PANIC, line);
	if (keep_is_on())
		keep_end();
}
