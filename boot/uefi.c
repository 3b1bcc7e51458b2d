/* SPDX-License-Identifier: BSD-2-Clause */
/* BOOTX64.EFI: fills in boot_info, loads the kernel, exits boot services (or keeps them:
 * uefi/stick.c) and enters the kernel. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"
#include "boot/uefi.h"
#include "boot/uefi/stick.h"

EFI_STATUS uefi_fail(CHAR16 *what, EFI_STATUS status)
{
	Print(L"barepmu: %s (%r)\n", what, status);
	return status;
}

static void *find_table(const EFI_SYSTEM_TABLE *table, EFI_GUID guid)
{
	for (UINTN i = 0; i < table->NumberOfTableEntries; i++)
		if (CompareGuid(&table->ConfigurationTable[i].VendorGuid, &guid) == 0)
			return table->ConfigurationTable[i].VendorTable;
	return NULL;
}

/* Returns the newer of two versions if both exist. */
static UINT64 find_either(const EFI_SYSTEM_TABLE *table, EFI_GUID newer, EFI_GUID older)
{
	void *found = find_table(table, newer);

	return (UINT64)(found ? found : find_table(table, older));
}

static int is_text(const CHAR16 *text, UINTN length)
{
	for (UINTN i = 0; i < length && text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return 0;
	return length && text[0];
}

/* The EFI shell passes the program's name first: skips a first word that ends in ".efi". */
static UINTN skip_program(const CHAR16 *text, UINTN length)
{
	UINTN end = 0;

	while (end < length && text[end] && text[end] != ' ')
		end++;
	if (end < 4 || text[end - 4] != '.' || (text[end - 3] | 32) != 'e' ||
	    (text[end - 2] | 32) != 'f' || (text[end - 1] | 32) != 'i')
		return 0;
	return end < length && text[end] == ' ' ? end + 1 : end;
}

/* Appends a byte to the command line; returns the new length. */
static UINTN add_byte(char *cmdline, UINTN at, char c)
{
	if (at < BOOT_CMDLINE_SIZE - 1)
		cmdline[at++] = c;
	return at;
}

/* Appends load options, whose words so count more than equal ones before. Options that are not text
 * (some firmware stores its own data there) are ignored. */
static void add_options(const EFI_LOADED_IMAGE *image, char *cmdline, UINTN at)
{
	const CHAR16 *text = image->LoadOptions;
	UINTN length = image->LoadOptionsSize / sizeof *text, skipped;

	if (!text || !is_text(text, length))
		return;
	skipped = skip_program(text, length);
	if (at && skipped < length && text[skipped])
		at = add_byte(cmdline, at, ' ');
	for (UINTN i = skipped; i < length && text[i]; i++)
		at = add_byte(cmdline, at, (char)text[i]);
}

/* The words of the image's own file come first. */
static EFI_STATUS find_cmdline(const struct source *source, struct boot_info *info)
{
	struct blob file = {0};
	EFI_STATUS status = uefi_find(source, ".cmdline", L"\\barepmu\\cmdline", &file);
	UINTN at = 0;

	for (UINTN i = 0; i < file.bytes && ((char *)file.data)[i]; i++) {
		char c = ((char *)file.data)[i];

		at = add_byte(info->cmdline, at, c == '\n' || c == '\r' ? ' ' : c);
	}
	add_options(source->image, info->cmdline, at);
	return status;
}

static struct source open_source(EFI_HANDLE handle)
{
	struct source source = {.handle = handle};
	EFI_FILE_IO_INTERFACE *volume;
	EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL, volume_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;

	BS->HandleProtocol(handle, &image_guid, (void **)&source.image);
	if (BS->HandleProtocol(source.image->DeviceHandle, &volume_guid, (void **)&volume) ==
		EFI_SUCCESS &&
	    volume->OpenVolume(volume, &source.root) != EFI_SUCCESS)
		source.root = NULL;
	return source;
}

static EFI_STATUS load_parts(const struct source *source, UINT64 top, struct boot_info *info,
			     struct parts *parts, struct kernel *kernel)
{
	EFI_STATUS status = uefi_find(source, ".kernel", L"\\barepmu\\kernel.elf", &parts->elf);

	if (status != EFI_SUCCESS || !parts->elf.data)
		return uefi_fail(L"cannot read \\barepmu\\kernel.elf: is the image complete?",
				 status == EFI_SUCCESS ? EFI_NOT_FOUND : status);
	status = uefi_load_kernel(&parts->elf, top, info, kernel);
	if (status != EFI_SUCCESS)
		return uefi_fail(status == EFI_LOAD_ERROR
				     ? L"kernel.elf is damaged: write the image again"
				     : L"not enough memory below 4 GiB for the kernel",
				 status);
	status = uefi_find(source, ".initrd", L"\\barepmu\\initrd.cpio", &parts->initrd);
	if (status != EFI_SUCCESS)
		return uefi_fail(L"cannot read \\barepmu\\initrd.cpio", status);
	info->initrd_base = (UINT64)parts->initrd.data;
	info->initrd_bytes = parts->initrd.bytes;
	status = find_cmdline(source, info);
	return status == EFI_SUCCESS ? status
				     : uefi_fail(L"cannot read \\barepmu\\cmdline", status);
}

/* True if an option of the command line requests that the firmware writes the results. */
static int keeps_firmware(const char *cmdline)
{
	static const char word[] = "host=firmware";

	for (UINTN i = 0; cmdline[i]; i++)
		if ((!i || cmdline[i - 1] == ' ') &&
		    !strncmpa((CHAR8 *)cmdline + i, (CHAR8 *)word, sizeof word - 1))
			return 1;
	return 0;
}

EFI_STATUS efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	UINT64 entry_tsc = __builtin_ia32_rdtsc(), root, top;
	EFI_PHYSICAL_ADDRESS page = 0xffffffff;
	struct boot_info *info;
	struct parts parts = {0};
	struct kernel kernel;
	struct source source;
	EFI_STATUS status;

	InitializeLib(handle, table);
	BS->SetWatchdogTimer(0, 0, 0, NULL);
	if (read_cr4() & CR4_LA57)
		return uefi_fail(
		    L"the firmware uses page tables of five levels: switch that off in its setup",
		    EFI_UNSUPPORTED);
	if (BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, EFI_SIZE_TO_PAGES(sizeof *info),
			      &page) != EFI_SUCCESS)
		return uefi_fail(L"not enough memory", EFI_OUT_OF_RESOURCES);
	info = (struct boot_info *)page;
	SetMem(info, sizeof *info, 0);
	info->magic = BOOT_INFO_MAGIC;
	info->by_uefi = 1;
	info->entry_tsc = entry_tsc;
	info->rsdp = find_either(table, (EFI_GUID)ACPI_20_TABLE_GUID, (EFI_GUID)ACPI_TABLE_GUID);
	info->smbios =
	    find_either(table, (EFI_GUID)SMBIOS3_TABLE_GUID, (EFI_GUID)SMBIOS_TABLE_GUID);
	uefi_framebuffer(&info->framebuffer);

	status = uefi_memory_top(&top);
	if (status != EFI_SUCCESS)
		return uefi_fail(L"the firmware reports no memory map", status);
	source = open_source(handle);
	status = load_parts(&source, top, info, &parts, &kernel);
	if (status != EFI_SUCCESS)
		return status;
	root = uefi_page_tables(top, info, &kernel);
	if (!root)
		return uefi_fail(L"not enough memory for page tables", EFI_OUT_OF_RESOURCES);
	if (keeps_firmware(info->cmdline))
		return stick_run(&source, &parts, &kernel, root, info);
	status = uefi_exit(handle, info);
	if (status != EFI_SUCCESS)
		return uefi_fail(L"the firmware does not let go of the machine", status);
	uefi_enter(root, kernel.entry, DIRECT_MAP + (UINT64)info);
}
