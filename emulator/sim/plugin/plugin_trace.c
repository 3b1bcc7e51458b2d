/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace's view of one of QEMU's processors: guest memory, address space and mode,
 * interrupt frames. */
#include <string.h>

#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/plugin_cpu.h"
#include "emulator/sim/plugin/plugin_state.h"
#include "emulator/sim/plugin/qemu/stop.h"

static unsigned number_of(const void *who)
{
	return (unsigned)((const struct processor *)who - plugin.processors);
}

/* Excludes the visor's memory. */
static uint8_t *memory(void *who, uint64_t physical)
{
	uint8_t *at = plugin_page(physical);

	(void)who;
	return at && !is_visors(at) ? at : NULL;
}

static void place(void *who, uint64_t *cr3, uint8_t *mode)
{
	*cr3 = 0;
	*mode = PT_MODE_64;
	plugin_space(number_of(who), cr3, mode);
}

static bool frame(void *who, uint64_t *ip)
{
	uint64_t vaddr, physical;

	if (!plugin_frame(number_of(who), &vaddr) ||
	    !plugin_physical(number_of(who), vaddr, &physical))
		return false;
	memcpy(ip, plugin_ram() + physical, sizeof(*ip));
	return true;
}

static void plugin_trace_stop(void *who)
{
	struct processor *p = who;

	if (plugin_stop(number_of(who)))
		p->page->stops++;
}

void plugin_trace_state(struct processor *p)
{
	core_trace_by(p->core, &(struct trace_machine){p, memory, place, frame, plugin_trace_stop});
}
