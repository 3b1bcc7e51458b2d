/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The UEFI entry point: the visor installs itself in reserved memory, becomes the hypervisor of the
 * running firmware on each of its processors, and starts the boot loader of another volume. UEFI
 * specification 2.9, 7.2 (memory), 7.4 (images), 13.4 (files); PI specification, volume 2, 13.3
 * (processors).
 */
#include <efi.h>
#include <efilib.h>

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/image.h"
#include "emulator/visor/exit/exits.h"
#include "emulator/visor/start/efi_mp.h"
#include "emulator/visor/start/main.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/hpet.h"
#include "emulator/visor/vcpu/processors.h"

#define CONFIG_PATH L"\\visor.cfg"
#define LOADER_PATH L"\\EFI\\BOOT\\BOOTX64.EFI"
#define BESIDE_PATH L"\\barepmu\\loader.efi" /* on the visor's own volume */
#define CONFIG_SIZE 1024
#define LOW_LAST    0xffffffffull

#define AP_PATIENCE_US 20000000

#define DESCRIPTOR_GRANULAR 55

extern const char ImageBase[], _DYNAMIC[];

/* Parameters of the relocated copy, and the firmware's state that it continues with. */
struct install {
	const char *config;
	struct visor_memory memory;
	unsigned index; /* of the processor */
	uint64_t rsdp;  /* ACPI's root, or 0 */
	struct table_register gdt, idt;
	uint64_t cr0, cr3, cr4, efer;
	uint16_t cs, ds, es, ss;
};

static EFI_STATUS read_config(EFI_HANDLE device, char config[CONFIG_SIZE])
{
	EFI_FILE_IO_INTERFACE *volume;
	EFI_FILE *root, *file;
	UINTN bytes = CONFIG_SIZE - 1;
	EFI_STATUS status = BS->HandleProtocol(device, &FileSystemProtocol, (void **)&volume);

	if (EFI_ERROR(status))
		return status;
	status = volume->OpenVolume(volume, &root);
	if (EFI_ERROR(status))
		return status;
	status = root->Open(root, &file, CONFIG_PATH, EFI_FILE_MODE_READ, 0);
	if (!EFI_ERROR(status)) {
		status = file->Read(file, &bytes, config);
		file->Close(file);
		config[EFI_ERROR(status) ? 0 : bytes] = 0;
	}
	root->Close(root);
	return status;
}

/* Reserves memory that the guest will not use, in whole large pages below 4 GiB; frees the rest of
 * the alignment. */
static uint64_t reserve(uint64_t bytes)
{
	EFI_PHYSICAL_ADDRESS all = LOW_LAST;
	UINTN pages = (bytes + LARGE_PAGE_SIZE) / PAGE_SIZE;
	uint64_t base, before;

	if (EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiUnusableMemory, pages, &all)))
		fail("not enough memory");
	base = (all + LARGE_PAGE_SIZE - 1) & ~(LARGE_PAGE_SIZE - 1);
	before = (base - all) / PAGE_SIZE;
	if (before)
		BS->FreePages(all, before);
	if (pages - before > bytes / PAGE_SIZE)
		BS->FreePages(base + bytes, pages - before - bytes / PAGE_SIZE);
	return base;
}

/* Converts a descriptor to the VMCB's format of a segment. AMD APM vol. 2, 4.7 and 15.5.1 (VMCB
 * format). */
static struct vmcb_segment segment(const struct table_register *gdt, uint16_t selector)
{
	uint64_t descriptor = *(const uint64_t *)(gdt->base + (selector & ~7u));
	/* Bits 0 to 15 and 48 to 51; of pages where it is granular. */
	uint32_t limit = (uint32_t)((descriptor & 0xffff) | (descriptor >> 32 & 0xf0000));

	if (!(selector & ~3u))
		return (struct vmcb_segment){0};
	if (descriptor >> DESCRIPTOR_GRANULAR & 1)
		limit = limit << 12 | 0xfff;
	return (struct vmcb_segment){
	    .selector = selector,
	    .attributes = (uint16_t)((descriptor >> 40 & 0xff) | (descriptor >> 44 & 0xf00)),
	    .limit = limit,
	    .base = (descriptor >> 16 & 0xffffff) | (descriptor >> 32 & 0xff000000),
	};
}

static void set_firmware_state(struct vcpu *vcpu, const struct install *from,
			       const struct guest_start *start)
{
	struct vmcb *vmcb = vcpu->vmcb;

	vmcb->cs = segment(&from->gdt, from->cs);
	vmcb->ds = segment(&from->gdt, from->ds);
	vmcb->es = segment(&from->gdt, from->es);
	vmcb->ss = segment(&from->gdt, from->ss);
	vmcb->gdtr = (struct vmcb_segment){.limit = from->gdt.limit, .base = from->gdt.base};
	vmcb->idtr = (struct vmcb_segment){.limit = from->idt.limit, .base = from->idt.base};
	vmcb->cpl = 0;
	vmcb->cr0 = from->cr0;
	vmcb->cr3 = from->cr3;
	vmcb->cr4 = from->cr4;
	vmcb->efer = from->efer | EFER_SVME;
	vcpu->syscall_enabled = from->efer & EFER_SCE;
	vmcb->dr6 = DR6_RESET;
	vmcb->dr7 = DR7_RESET;
	vmcb->rflags = RFLAGS_FIXED;
	vmcb->rip = start->rip;
	vmcb->rsp = start->rsp;
}

/* Runs in the copy, on its stack: the firmware becomes the guest. */
static void install(void *argument, const struct guest_start *start)
{
	const struct install *from = argument;
	struct options options;
	struct vcpu *vcpu;

	stop_by(from->config);
	options_parse(&options, from->config);
	vcpu = visor_setup(&options, &from->memory, from->rsdp);
	set_firmware_state(vcpu, from, start);
	visor_loop(vcpu);
}

/* As install(), on a further processor. */
static void install_other(void *argument, const struct guest_start *start)
{
	const struct install *from = argument;
	struct vcpu *vcpu = visor_setup_other(from->index);

	set_firmware_state(vcpu, from, start);
	visor_loop(vcpu);
}

static void capture(struct install *state)
{
	cpu_sgdt(&state->gdt);
	cpu_sidt(&state->idt);
	state->cr0 = read_cr0();
	state->cr3 = read_cr3();
	state->cr4 = read_cr4();
	state->efer = rdmsr(MSR_EFER);
	state->cs = cpu_read_cs();
	state->ds = cpu_read_ds();
	state->es = cpu_read_es();
	state->ss = cpu_read_ss();
}

/* The firmware calls this on a further processor, which returns as the visor's guest. */
static void EFIAPI take_over(void *argument)
{
	struct install *state = argument;
	uint64_t offset = state->memory.base - (uint64_t)ImageBase;

	capture(state);
	become_guest((become_host *)((uint64_t)install_other + offset),
		     visor_stack(&state->memory, state->index), state);
}

static struct efi_mp_services *find_mp_services(UINTN *nr)
{
	static EFI_GUID guid = EFI_MP_SERVICES_GUID;
	struct efi_mp_services *mp;
	UINTN enabled;

	*nr = 1;
	if (EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&mp)) ||
	    EFI_ERROR(mp->get_number_of_processors(mp, nr, &enabled)))
		return NULL;
	if (*nr > MAX_PROCESSORS)
		fail("more than %u processors", MAX_PROCESSORS);
	return mp;
}

/* The first processor is a guest already: its INIT and SIPI reach the ones that are not. */
static void take_others(struct efi_mp_services *mp, UINTN nr, struct install *state)
{
	UINTN own;

	if (nr < 2 || EFI_ERROR(mp->who_am_i(mp, &own)))
		return;
	state->index = 0;
	for (UINTN i = 0; i < nr; i++) {
		if (i == own)
			continue;
		state->index++;
		if (EFI_ERROR(
			mp->startup_this_ap(mp, take_over, i, NULL, AP_PATIENCE_US, state, NULL)))
			fail("the firmware cannot start processor %u", (unsigned)i);
	}
}

/* The firmware's pointer to ACPI. */
static uint64_t find_rsdp(void)
{
	static EFI_GUID guid = ACPI_20_TABLE_GUID;

	for (UINTN i = 0; i < ST->NumberOfTableEntries; i++)
		if (!CompareGuid(&ST->ConfigurationTable[i].VendorGuid, &guid))
			return (uint64_t)ST->ConfigurationTable[i].VendorTable;
	return 0;
}

/* Shows a message of the visor on the firmware's console, for a user who has only the screen. Must
 * not be called once the firmware is the visor's guest. */
static void show_line(const char *line)
{
	CHAR16 text[2] = {0};

	for (; *line; line++) {
		text[0] = (CHAR16)*line;
		ST->ConOut->OutputString(ST->ConOut, text);
	}
}

static void go_under(const EFI_LOADED_IMAGE *image, const char *config)
{
	static struct install state;
	UINTN nr;
	struct efi_mp_services *mp = find_mp_services(&nr);
	uint64_t offset, base = reserve(visor_bytes(image->ImageSize, (unsigned)nr));

	hpet_check((unsigned)nr - 1);
	console_print_on(NULL);
	state.config = config;
	state.rsdp = find_rsdp();
	state.memory = visor_lay_out(base, image->ImageSize, (unsigned)nr);
	offset = base - (uint64_t)ImageBase;
	CopyMem((void *)base, (void *)ImageBase, image->ImageSize);
	image_relocate(base, 0, _DYNAMIC + offset);
	capture(&state);
	become_guest((become_host *)((uint64_t)install + offset), visor_stack(&state.memory, 0),
		     &state);
	take_others(mp, nr, &state);
}

/* Sets the guest's load options, in UEFI's form for a boot loader: Linux takes its command line
 * from them. */
static void set_load_options(EFI_HANDLE loader, const char *words)
{
	static CHAR16 text[CONFIG_SIZE];
	EFI_LOADED_IMAGE *image;
	UINTN nr = 0;

	if (!*words || EFI_ERROR(BS->HandleProtocol(loader, &LoadedImageProtocol, (void **)&image)))
		return;
	for (; words[nr] && words[nr] != '\n'; nr++)
		text[nr] = (CHAR16)words[nr];
	image->LoadOptions = text;
	image->LoadOptionsSize = (UINT32)((nr + 1) * sizeof(text[0]));
}

/* Starts the boot loader at `file` of `volume`. True: it existed, and returned *status. */
static bool start_loader(EFI_HANDLE self, EFI_HANDLE volume, CHAR16 *file, const char *words,
			 EFI_STATUS *status)
{
	EFI_DEVICE_PATH *path = FileDevicePath(volume, file);
	EFI_HANDLE loader;

	if (EFI_ERROR(BS->LoadImage(FALSE, self, path, NULL, 0, &loader)))
		return false;
	set_load_options(loader, words);
	*status = BS->StartImage(loader, NULL, NULL);
	return true;
}

static bool start_other_volume(EFI_HANDLE self, EFI_HANDLE own, const char *words,
			       EFI_STATUS *status)
{
	EFI_HANDLE *volumes;
	UINTN nr;

	if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &FileSystemProtocol, NULL, &nr, &volumes)))
		return false;
	for (UINTN i = 0; i < nr; i++)
		if (volumes[i] != own && start_loader(self, volumes[i], LOADER_PATH, words, status))
			return true;
	return false;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static char config[CONFIG_SIZE];
	struct options options;
	const char *words;
	EFI_LOADED_IMAGE *image;
	EFI_STATUS status;

	InitializeLib(self, table);
	BS->SetWatchdogTimer(0, 0, 0, NULL);
	console_print_on(show_line);
	if (EFI_ERROR(BS->HandleProtocol(self, &LoadedImageProtocol, (void **)&image)))
		fail("the firmware does not say where the image is");
	if (EFI_ERROR(read_config(image->DeviceHandle, config)))
		fail("\\visor.cfg cannot be read");
	stop_by(config);
	words = options_parse(&options, config);
	host_check();
	go_under(image, config);
	if (start_loader(self, image->DeviceHandle, BESIDE_PATH, words, &status))
		return status;
	if (start_other_volume(self, image->DeviceHandle, words, &status))
		return status; /* the firmware tries what it has besides, under the visor */
	fail("no other volume has a boot loader \\EFI\\BOOT\\BOOTX64.EFI that starts");
}
