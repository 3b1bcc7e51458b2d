/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of samples: libdwfl (elfutils, libdwfl.h) reads each file's .eh_frame, and asks here for
 * registers and for words of the stack. */
#include "host/report/unwind.h"

#include <asm/perf_regs.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apps/report/places/places.h"

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>

#define THREAD 1 /* the only thread that libdwfl sees */

/* The files of one process, and the sample that is being unwound. */
struct process {
	struct places *places;
	uint32_t pid;
	unsigned execs;
	bool attached;
	Dwfl *dwfl;
	const struct perfdata_sample *sample;
	uint64_t *frames;
	unsigned nr, max;
};

static void *processes; /* of tsearch(3) */

/* DWARF's numbers of registers (System V ABI for AMD64, figure 3.36) and perf's. */
static const unsigned char perf_register[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};

#define NR_REGISTERS (sizeof(perf_register) / sizeof(perf_register[0]))

static uint64_t register_of(const struct perfdata_sample *sample, unsigned perf)
{
	uint64_t below = sample->register_mask & ((UINT64_C(1) << perf) - 1);

	return sample->register_mask >> perf & 1 ? sample->registers[__builtin_popcountll(below)]
						 : 0;
}

static pid_t next_thread(Dwfl *dwfl, void *process, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = process;
	return THREAD;
}

static bool read_stack(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *of)
{
	const struct process *process = of;
	uint64_t stack = register_of(process->sample, PERF_REG_X86_SP);
	uint64_t size = process->sample->stack_bytes;

	(void)dwfl;
	if (address < stack || address - stack > size || size - (address - stack) < sizeof(*result))
		return false;
	memcpy(result, process->sample->stack + (address - stack), sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *of)
{
	const struct process *process = of;
	Dwarf_Word values[NR_REGISTERS];

	for (size_t i = 0; i < NR_REGISTERS; i++)
		values[i] = register_of(process->sample, perf_register[i]);
	return dwfl_thread_state_registers(thread, 0, NR_REGISTERS, values);
}

/* Debug files are not needed: .eh_frame is in the file itself. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)path;
	return -1;
}

/* Shows libdwfl the file that is mapped at the address, once. */
static bool show_file(struct process *process, uint64_t address)
{
	struct place_map map;

	if (dwfl_addrmodule(process->dwfl, address))
		return true;
	return places_map(process->places, process->pid, address, &map) && *map.path == '/' &&
	       dwfl_report_elf(process->dwfl, map.path, map.path, -1, map.start - map.offset,
			       false) != NULL;
}

static int take_frame(Dwfl_Frame *state, void *of)
{
	struct process *process = of;
	Dwarf_Addr pc;

	if (process->nr == process->max || !dwfl_frame_pc(state, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	process->frames[process->nr++] = pc;
	return show_file(process, pc - (process->nr > 1)) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static int by_process(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	if (a->places != b->places)
		return a->places < b->places ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Returns the process; NULL: no memory. */
static struct process *process_of(struct places *places, uint32_t pid)
{
	struct process wanted = {.places = places, .pid = pid}, *process,
		       **found = tfind(&wanted, &processes, by_process);

	if (found)
		return *found;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	*process = wanted;
	found = tsearch(process, &processes, by_process);
	if (!found)
		free(process);
	return found ? *found : NULL;
}

/* Returns the process, with no files after it has replaced its program; NULL: no memory. */
static struct process *find_process(struct places *places, uint32_t pid, unsigned execs)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
						 .find_debuginfo = no_debug_file,
						 .section_address = dwfl_offline_section_address};
	struct process *p = process_of(places, pid);

	if (!p)
		return NULL;
	if (p->dwfl && p->execs != execs) {
		dwfl_end(p->dwfl);
		p->dwfl = NULL;
		p->attached = false;
	}
	p->execs = execs;
	if (!p->dwfl)
		p->dwfl = dwfl_begin(&callbacks);
	return p->dwfl ? p : NULL;
}

/* Lets libdwfl use the functions above; it needs a file before. */
static bool attach(struct process *process)
{
	static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
							.memory_read = read_stack,
							.set_initial_registers = set_registers};

	process->attached = process->attached ||
			    dwfl_attach_state(process->dwfl, NULL, THREAD, &callbacks, process);
	return process->attached;
}

unsigned unwind_stack(struct places *places, const struct perfdata_sample *sample, uint64_t *frames,
		      unsigned max)
{
	uint64_t ip = register_of(sample, PERF_REG_X86_IP);
	struct process *process;
	struct place_map map;

	if (!max || !places_map(places, sample->pid, ip, &map))
		return 0;
	process = find_process(places, sample->pid, map.execs);
	if (!process)
		return 0;
	process->sample = sample;
	process->frames = frames;
	process->nr = 0;
	process->max = max;
	if (show_file(process, ip) && attach(process))
		dwfl_getthread_frames(process->dwfl, THREAD, take_frame, process);
	if (!process->nr)
		frames[process->nr++] = ip;
	return process->nr;
}
#else
unsigned unwind_stack(struct places *places, const struct perfdata_sample *sample, uint64_t *frames,
		      unsigned max)
{
	(void)places, (void)sample, (void)frames, (void)max;
	return 0;
}
#endif
