/* SPDX-License-Identifier: BSD-2-Clause */
/* Data for a loader that keeps the firmware: frames in blocks of memory, the log in a ring; and the
 * return to it. */
#include "abi/boot_info.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/apic/power_button.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/start/leave.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/console.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/base/uart.h"
#include "kernel/host/keep.h"
#include "kernel/host/keyboard.h"
#include "kernel/mem/memory.h"

#define BLOCK_BYTES 0x20000ul
#define BLOCK_ROOM  (BLOCK_BYTES - sizeof(struct boot_kept_block))
#define LOG_BYTES   0x40000ul
#define LAST_BYTES  1024 /* for the last frame, when there is no more memory */

static struct boot_kept *kept; /* NULL: no such loader */
static struct boot_kept_block *block;
static char *log_ring;

/* Writes into the ring. */
static void keep_log(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		log_ring[kept->log_written++ % LOG_BYTES] = text[i];
}

static void keep_shown(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		kept->shown[kept->shown_written++ % sizeof(kept->shown)] = text[i];
}

void keep_init(void)
{
	if (!boot_info.back_root)
		return;
	_Static_assert(sizeof(*kept) <= PAGE_SIZE, "it has a page");
	block = pages_alloc(BLOCK_BYTES);
	log_ring = pages_alloc(LOG_BYTES);
	kept = page_alloc();
	if (!block || !log_ring || !kept)
		panic("no memory to keep results: the machine needs more");
	*kept = (struct boot_kept){.magic = BOOT_KEPT_MAGIC,
				   .frames = page_phys(block),
				   .log = page_phys(log_ring),
				   .log_room = LOG_BYTES};
	log_keep_in(keep_log);
	console_keep_in(keep_shown);
}

bool keep_is_on(void)
{
	return kept;
}

void keep_stop_after(void)
{
	kept->stop = 1;
}

/* Makes room for `bytes` bytes. */
static bool make_room(size_t bytes, bool last)
{
	size_t left = BLOCK_ROOM - block->bytes;
	struct boot_kept_block *next;

	if (left >= bytes + (last ? 0 : LAST_BYTES))
		return true;
	next = last ? NULL : pages_alloc(BLOCK_BYTES);
	if (!next)
		return false;
	block->next = page_phys(next);
	block = next;
	return true;
}

static void keep_put(const void *bytes, size_t size)
{
	memcpy(block->data + block->bytes, bytes, size);
	block->bytes += size;
}

void keep_frame(const struct boot_frame *header, const char *name, const void *payload)
{
	size_t bytes = sizeof(*header) + header->name_bytes + header->payload_bytes;

	if (!make_room(bytes, header->type == 'X')) {
		kept->lost++;
		return;
	}
	keep_put(header, sizeof(*header));
	keep_put(name, header->name_bytes);
	keep_put(payload, header->payload_bytes);
}

/* On the first processor. */
static _Noreturn void leave_machine(void)
{
	for (uint32_t i = 1; i < nr_cpus; i++)
		apic_init_ipi(cpus[i]->apic_id);
	uart_quiet(UART_COM1);
	keyboard_close();
	power_button_close();
	ioapic_silence();
	irq_drain();
	ioapic_restore();
	apic_restore();
	leave_kernel(boot_info.back_root, boot_info.back_entry, page_phys(kept));
}

_Noreturn void keep_end(void)
{
	irq_disable();
	remote_end_on_first(leave_machine);
}
