/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PVH entry point: QEMU's -kernel starts the visor, which moves to the top of memory and starts
 * the bundle's kernel the same way. Xen's public/arch-x86/hvm/start_info.h: the state at the entry.
 */
#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/image.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/base/memory_map.h"
#include "emulator/visor/exit/exits.h"
#include "emulator/visor/start/bios.h"
#include "emulator/visor/start/bundle.h"
#include "emulator/visor/start/guest_elf.h"
#include "emulator/visor/start/guest_image.h"
#include "emulator/visor/start/main.h"
#include "emulator/visor/start/wake.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/processors.h"
#include "emulator/visor/vcpu/startup.h"

#define LOW_END (4ull << 30)
/* Memory that a kernel may use before it has tables of its own (Linux after its PVH entry: 1
 * GiB). */
#define EARLY_END (1ull << 30)

/* The guest's boot information, outside of the visor's memory, which the guest cannot read. */
struct guest_info {
	struct pvh_start_info start;
	struct pvh_module initrd;
	struct pvh_region regions[MAP_REGIONS];
	char cmdline[CMDLINE_SIZE];
	uint8_t room[GUEST_ROOM] __attribute__((aligned(16)));
};

#define INFO_BYTES ((sizeof(struct guest_info) + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1))

/* QEMU's boot information, copied into the image before anything moves. */
static struct door {
	struct memory_map map;
	char cmdline[CMDLINE_SIZE];
	struct blob bundle;
	uint64_t rsdp;
	uint64_t linked; /* the address that the image was linked for */
	unsigned nr_processors;
	uint8_t apic_ids[MAX_PROCESSORS];
	struct visor_memory memory; /* where the visor goes */
	struct range info;          /* and the guest_info */
} door;

extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
__attribute__((noreturn)) void pvh_main(const struct pvh_start_info *start);
__attribute__((noreturn)) void pvh_moved(void);
__attribute__((noreturn)) void jump_to(uint64_t code, uint64_t stack); /* pvh_entry.asm */

static void copy_start_info(const struct pvh_start_info *start)
{
	const struct pvh_module *modules = (const struct pvh_module *)start->modules;
	const char *cmdline = (const char *)start->command_line;

	if (start->magic != PVH_MAGIC || start->version < 1)
		fail("not started by PVH (start_info version 1)");
	if (cmdline && strlen(cmdline) >= CMDLINE_SIZE)
		fail("the command line is longer than %u bytes", CMDLINE_SIZE - 1);
	if (cmdline)
		memcpy(door.cmdline, cmdline, strlen(cmdline) + 1);
	if (start->nr_regions > MAP_REGIONS)
		fail("the memory map has more than %u entries", MAP_REGIONS);
	memcpy(door.map.regions, (const void *)start->memory_map,
	       start->nr_regions * sizeof(door.map.regions[0]));
	door.map.nr = start->nr_regions;
	door.rsdp = start->rsdp;
	if (start->nr_modules)
		door.bundle = (struct blob){(uint8_t *)modules[0].base, modules[0].bytes};
}

static uint64_t image_bytes(void)
{
	return (uint64_t)image_end - (uint64_t)image_start;
}

static void choose_places(void)
{
	uint64_t room = visor_bytes(image_bytes(), door.nr_processors);
	struct range taken[] = {
	    {(uint64_t)image_start, image_bytes()},
	    {(uint64_t)door.bundle.data, door.bundle.bytes},
	    {0, room},
	};

	taken[2].base = map_find_high(&door.map, room, LARGE_PAGE_SIZE, LOW_END, taken, 2);
	door.info.bytes = INFO_BYTES;
	door.info.base = map_find_high(&door.map, INFO_BYTES, PAGE_SIZE, EARLY_END, taken, 3);
	if (!taken[2].base || !door.info.base)
		fail("not enough memory");
	door.memory = visor_lay_out(taken[2].base, image_bytes(), door.nr_processors);
}

/* Runs at the address to which QEMU loaded the image, before relocation: no pointer in a constant
 * may be used. */
void pvh_main(const struct pvh_start_info *start)
{
	uint64_t to;

	copy_start_info(start);
	stop_by(door.cmdline);
	host_check();
	door.nr_processors = wake_find(door.rsdp, door.apic_ids);
	choose_places();
	door.linked = (uint64_t)image_start;
	to = door.memory.base - door.linked;
	memcpy((void *)door.memory.base, image_start, image_bytes());
	image_relocate(door.memory.base, door.linked, _DYNAMIC + to);
	jump_to((uint64_t)pvh_moved + to, visor_stack(&door.memory, 0));
}

static struct blob open_bundle(const char *name)
{
	struct blob member;

	if (!door.bundle.data)
		fail("there is no bundle: give QEMU -initrd with a cpio archive (newc) of "
		     "\"kernel\" and \"initrd\"");
	member = bundle_member(door.bundle, name);
	return member;
}

/* Modules start on a page: the part of the bundle before the initrd is not needed any more. */
static struct pvh_module place_initrd(void)
{
	struct blob initrd = open_bundle("initrd");
	uint64_t base = (uint64_t)initrd.data & ~(PAGE_SIZE - 1);

	if (base < (uint64_t)door.bundle.data)
		base = (uint64_t)initrd.data;
	if (base != (uint64_t)initrd.data)
		memmove((void *)base, initrd.data, initrd.bytes);
	return (struct pvh_module){.base = initrd.bytes ? base : 0, .bytes = initrd.bytes};
}

static void fill_info(struct guest_info *info, const char *cmdline, struct pvh_module initrd)
{
	memset(info, 0, sizeof(*info));
	memcpy(info->cmdline, cmdline, strlen(cmdline) + 1);
	memcpy(info->regions, door.map.regions, sizeof(info->regions));
	info->initrd = initrd;
	info->start = (struct pvh_start_info){
	    .magic = PVH_MAGIC,
	    .version = 1,
	    .nr_modules = initrd.base ? 1 : 0,
	    .modules = (uint64_t)&info->initrd,
	    .command_line = (uint64_t)info->cmdline,
	    .rsdp = door.rsdp,
	    .memory_map = (uint64_t)info->regions,
	    .nr_regions = door.map.nr,
	};
}

#define CODE32     0xc9b
#define DATA32     0xc93
#define TSS_LIMIT  0x67
#define LDT_ABSENT 0x002
#define ENTRY_CODE 0x10 /* Linux's; they mean nothing before the kernel loads its own tables */
#define ENTRY_DATA 0x18

static void set_entry_state(struct vcpu *vcpu, struct guest_entry entry)
{
	struct vmcb *vmcb = vcpu->vmcb;
	struct vmcb_segment data = {.selector = ENTRY_DATA, .attributes = DATA32, .limit = ~0u};

	memset(vcpu->gpr, 0, sizeof(vcpu->gpr));
	vcpu->gpr[RBX] = entry.rbx;
	vcpu->gpr[RSI] = entry.rsi;
	cpu_vmsave((uint64_t)vmcb);
	vmcb->cs =
	    (struct vmcb_segment){.selector = ENTRY_CODE, .attributes = CODE32, .limit = ~0u};
	vmcb->ds = vmcb->es = vmcb->ss = vmcb->fs = vmcb->gs = data;
	vmcb->tr = (struct vmcb_segment){.attributes = TSS32_BUSY, .limit = TSS_LIMIT};
	vmcb->ldtr = (struct vmcb_segment){.attributes = LDT_ABSENT};
	cpu_vmload((uint64_t)vmcb);
	vmcb->gdtr = vmcb->idtr = (struct vmcb_segment){0};
	vmcb->cpl = 0;
	vmcb->cr0 = CR0_PE | CR0_ET;
	vmcb->cr3 = vmcb->cr4 = 0;
	vmcb->efer = EFER_SVME;
	vmcb->dr6 = DR6_RESET;
	vmcb->dr7 = DR7_RESET;
	vmcb->rflags = RFLAGS_FIXED;
	vmcb->rip = entry.rip;
	vmcb->rax = entry.rax;
	vmcb->rsp = entry.rsp;
}

#define REAL_CODE  0x09b
#define REAL_DATA  0x093
#define REAL_LIMIT 0xffff
#define IVT_LIMIT  0x3ff

static struct vmcb_segment real_segment(uint16_t selector, uint16_t attributes)
{
	return (struct vmcb_segment){.selector = selector,
				     .attributes = attributes,
				     .limit = REAL_LIMIT,
				     .base = (uint64_t)selector << 4};
}

/* Sets the processor's state as a boot loader leaves it that the BIOS has started. */
static void set_real_mode(struct vcpu *vcpu, const struct guest_entry *entry)
{
	struct vmcb *vmcb = vcpu->vmcb;

	vmcb->ds = vmcb->es = vmcb->ss = real_segment(entry->segment, REAL_DATA);
	vmcb->cs = real_segment(entry->code_segment, REAL_CODE);
	cpu_vmsave((uint64_t)vmcb);
	vmcb->fs = vmcb->gs = vmcb->ds;
	cpu_vmload((uint64_t)vmcb);
	vmcb->idtr = (struct vmcb_segment){.limit = IVT_LIMIT};
	vmcb->cr0 = CR0_ET;
}

/* Returns the name of a member's file, from a member of its own; by default the member's name. */
static struct blob name_of(const char *member, const char *teller)
{
	struct blob name = open_bundle(teller);

	return name.data ? name : (struct blob){(uint8_t *)member, strlen(member)};
}

/* Loads the kernel, of any format, and passes its boot information. */
static struct guest_entry load_kernel(struct blob kernel, const char *cmdline)
{
	struct range taken = {(uint64_t)door.bundle.data, door.bundle.bytes};
	struct guest_info *info = (struct guest_info *)door.info.base;
	struct guest_facts facts = {
	    .map = &door.map,
	    .cmdline = info->cmdline,
	    .kernel_name = name_of("kernel", "kernel.name"),
	    .initrd_name = name_of("initrd", "initrd.name"),
	    .rsdp = door.rsdp,
	    .room = info->room,
	};
	bool bzimage = bzimage_is(kernel), multiboot = !bzimage && multiboot_is(kernel);
	struct elf_entries entries = {0};

	if (bzimage)
		entries.header = bzimage_load(kernel, &door.map, taken);
	else
		entries = guest_elf_load(kernel, &door.map, taken);
	fill_info(info, cmdline, place_initrd());
	facts.initrd = info->initrd;
	if (bzimage)
		return bzimage_enter(kernel, entries.header, &facts);
	if (entries.pvh)
		return (struct guest_entry){.rip = entries.pvh, .rbx = (uint32_t)(uint64_t)info};
	if (!multiboot)
		fail("the kernel has neither a PVH entry (XEN_ELFNOTE_PHYS32_ENTRY) nor a "
		     "multiboot header");
	return multiboot_enter(entries.header, &facts);
}

/* Runs at the final address. */
void pvh_moved(void)
{
	struct options options;
	const char *cmdline = options_parse(&options, door.cmdline);
	struct blob kernel = open_bundle("kernel");
	struct guest_entry entry;
	struct vcpu *vcpu;

	if (!kernel.data)
		fail("the bundle has no member \"kernel\"");
	if (!map_reserve(&door.map, (struct range){door.memory.base, door.memory.bytes}) ||
	    !bios_answer_by(&door.map))
		fail("the memory map is full");
	vcpu = visor_setup(&options, &door.memory, door.rsdp);
	wake_all(&door.memory, door.apic_ids);
	entry = load_kernel(kernel, cmdline);
	set_entry_state(vcpu, entry);
	if (entry.real_mode)
		set_real_mode(vcpu, &entry);
	visor_loop(vcpu);
}
