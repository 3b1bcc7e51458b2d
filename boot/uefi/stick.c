/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a stick's jobs one after another, each in a fresh kernel; stores their results on the
 * loader's volume; then ends as the job file says. */
#include "abi/machine_report.h"
#include "boot/uefi/jobs.h"
#include "boot/uefi/sampling.h"
#include "boot/uefi/send.h"

#define JOBS_PATH     L"\\barepmu\\jobs.toml"
#define MACHINE_CHARS 64
#define LINES_OF_OURS 9 /* on the screen, after a job's own */

/* State that is constant from job to job. */
static struct {
	const struct source *source;
	const struct parts *parts;
	const struct kernel *kernel;
	UINT64 root, initrd; /* where the kernel's copy of the initrd goes */
	struct boot_info *info, fresh;
	EFI_FILE *volume; /* NULL: none that we can write to */
	char machine[MACHINE_CHARS];
} stick;

static struct jobs jobs;

static EFI_STATUS prepare_memory(void)
{
	struct boot_info *info = stick.info;
	EFI_STATUS status;

	uefi_give(info, info->kernel_base, stick.kernel->taken);
	status = uefi_take_part(info, stick.parts->initrd.bytes, &stick.initrd);
	if (status == EFI_SUCCESS)
		status = uefi_take_memory(info);
	info->initrd_base = stick.initrd;
	CopyMem(&stick.fresh, info, sizeof stick.fresh);
	return status;
}

static void show_mistakes(void)
{
	for (UINTN i = 0; i < jobs.nr_mistakes; i++)
		Print(L"barepmu: " JOBS_PATH L", line %d: %a\n", jobs.mistake[i].line,
		      jobs.mistake[i].what);
}

/* Reads the job file, if there is one; else makes one job from the initrd. A mistake in it makes
 * the stick wait at its end, so that the user sees it. */
static EFI_STATUS read_jobs(const struct source *source)
{
	struct blob file = {0};
	EFI_STATUS status = uefi_find(source, ".jobs", JOBS_PATH, &file);

	if (status != EFI_SUCCESS)
		return uefi_fail(L"cannot read " JOBS_PATH, status);
	jobs_parse(&jobs, file.data, file.bytes);
	show_mistakes();
	if (jobs.nr_mistakes)
		jobs.end = JOBS_WAIT;
	else if (!jobs.nr)
		jobs.job[jobs.nr++] = (struct job){.name = "program"};
	return EFI_SUCCESS;
}

/* Adds the machine's name to the program's environment, if there is room. */
static void add_machine(struct boot_info *info)
{
	static const char variable[] = "E" REPORT_BOARD_VARIABLE "=";
	UINTN bytes = sizeof variable - 1, name = strlena((CHAR8 *)stick.machine) + 1;

	if (!info->run_bytes || bytes + name > sizeof info->run - info->run_bytes)
		return;
	CopyMem(info->run + info->run_bytes, (void *)variable, bytes);
	CopyMem(info->run + info->run_bytes + bytes, stick.machine, name);
	info->run_bytes += (UINT32)(bytes + name);
}

/* Adds the job's time limit, in seconds, to the kernel's command line, if there is room. */
static void add_limit(struct boot_info *info, const char *seconds)
{
	static const char word[] = " timeout=";
	UINTN at = strlena((CHAR8 *)info->cmdline), bytes = strlena((CHAR8 *)seconds);

	if (!bytes || at + sizeof word + bytes > sizeof info->cmdline)
		return;
	CopyMem(info->cmdline + at, (void *)word, sizeof word - 1);
	CopyMem(info->cmdline + at + sizeof word - 1, (void *)seconds, bytes + 1);
}

/* Runs a job in a kernel as fresh as the first one. */
static const struct boot_kept *run_job(const struct job *job)
{
	CopyMem(stick.info, &stick.fresh, sizeof stick.fresh);
	stick.info->entry_tsc = __builtin_ia32_rdtsc();
	stick.info->run_bytes = job->run_bytes;
	CopyMem(stick.info->run, (void *)job->run, job->run_bytes);
	add_machine(stick.info);
	add_limit(stick.info, job->timeout);
	uefi_place_kernel(&stick.parts->elf, stick.kernel, stick.info);
	CopyMem((void *)stick.initrd, stick.parts->initrd.data, stick.parts->initrd.bytes);
	return uefi_visit_kernel(stick.root, stick.kernel->entry, stick.info);
}

/* True for a byte that prints a character or ends a line. *sequence: the byte before was of an
 * escape sequence that has not ended. */
static BOOLEAN is_shown(UINT8 c, BOOLEAN *sequence)
{
	if (c == 0x1b || *sequence) {
		*sequence = c == 0x1b || c == '[' || c < '@';
		return FALSE;
	}
	return c != '\r' && (c & 0xc0) != 0x80;
}

/* Returns how many rows of the screen a line takes, from `at` to before `end`. */
static UINTN rows_of(const struct boot_kept *kept, UINT64 at, UINT64 end, UINTN columns)
{
	BOOLEAN sequence = FALSE;
	UINTN width = 0;

	for (; at < end; at++) {
		UINT8 c = (UINT8)kept->shown[at % sizeof kept->shown];

		width += is_shown(c, &sequence) && c != '\n';
	}
	return width / columns + 1;
}

/* Returns the position in `shown` where the lines start that fill the last `rows` rows. */
static UINT64 last_lines(const struct boot_kept *kept, UINTN rows, UINTN columns)
{
	UINT64 room = sizeof kept->shown, end = kept->shown_written;
	UINT64 first = end > room ? end - room : 0, start = end;

	for (UINT64 at = end; at > first; at--) {
		UINTN taken;

		if (at - 1 != first && kept->shown[(at - 2) % room] != '\n')
			continue;
		taken = rows_of(kept, at - 1, end, columns);
		if (taken > rows)
			break;
		rows -= taken;
		end = start = at - 1;
	}
	return start;
}

/* Returns the firmware's console on the screen alone: ConOut also writes to serial lines. NULL:
 * none. */
static SIMPLE_TEXT_OUTPUT_INTERFACE *find_screen(void)
{
	EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_GUID text = SIMPLE_TEXT_OUTPUT_PROTOCOL;
	SIMPLE_TEXT_OUTPUT_INTERFACE *screen = NULL;
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0;
	void *unused;

	if (BS->LocateHandleBuffer(ByProtocol, &graphics, NULL, &nr, &handles) != EFI_SUCCESS)
		return NULL;
	for (UINTN i = 0; i < nr && !screen; i++)
		if (handles[i] == ST->ConsoleOutHandle ||
		    BS->HandleProtocol(handles[i], &graphics, &unused) != EFI_SUCCESS ||
		    BS->HandleProtocol(handles[i], &text, (void **)&screen) != EFI_SUCCESS)
			screen = NULL;
	BS->FreePool(handles);
	return screen;
}

/* Prints the last lines again, in ASCII and without colours: the kernel has drawn over the screen,
 * and the firmware's console would scroll part of it. A serial line has had them. */
static void show_again(const struct boot_kept *kept)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *screen = find_screen();
	UINTN columns, rows;
	BOOLEAN sequence = FALSE;
	CHAR16 text[3] = {0};

	Print(L"\n");
	if (!screen || !kept || kept->magic != BOOT_KEPT_MAGIC ||
	    screen->QueryMode(screen, (UINTN)screen->Mode->Mode, &columns, &rows) != EFI_SUCCESS ||
	    rows <= LINES_OF_OURS)
		return;
	screen->ClearScreen(screen);
	for (UINT64 at = last_lines(kept, rows - LINES_OF_OURS, columns); at < kept->shown_written;
	     at++) {
		UINT8 c = (UINT8)kept->shown[at % sizeof kept->shown];

		if (!is_shown(c, &sequence))
			continue;
		text[0] = c == '\n' ? '\r' : c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
		text[1] = c == '\n' ? '\n' : 0;
		screen->OutputString(screen, text);
	}
}

/* As snprintf(), with the conversions of gnu-efi: %a is a string of ASCII. */
static void print_ascii(char *to, UINTN room, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	AsciiVSPrint((CHAR8 *)to, room, (const CHAR8 *)format, arguments);
	va_end(arguments);
}

static EFI_STATUS write_text(struct directory *directory, const char *name, const char *text)
{
	EFI_STATUS status;
	void *file = NULL;

	status = directory->sink.open(&directory->sink, name, &file);
	if (status == EFI_SUCCESS)
		status = directory->sink.write(file, text, strlena((CHAR8 *)text));
	if (file)
		directory->sink.close(file);
	return status;
}

/* Makes the directory for a job's results, with a file that says that the job has begun: it is
 * there if the power fails. Without a volume directory->root is NULL. */
static EFI_STATUS make_home(const char *name, UINTN index, struct directory *directory)
{
	static char text[64];
	EFI_STATUS status = EFI_SUCCESS;

	SetMem(directory, sizeof *directory, 0);
	if (stick.volume)
		status = directory_make(directory, stick.volume, stick.machine, name);
	print_ascii(text, sizeof text, "job %d of %d has begun\n", index + 1, jobs.nr);
	if (status == EFI_SUCCESS && stick.volume)
		return write_text(directory, "began.txt", text);
	directory->root = NULL;
	return status;
}

/* Stores all results on the volume, if there is one. */
static EFI_STATUS bring_home(const struct boot_kept *kept, struct outcome *outcome,
			     struct directory *directory)
{
	EFI_STATUS status = results_write(kept, directory->root ? &directory->sink : NULL, outcome);

	return status == EFI_SUCCESS && directory->root ? directory_finish(directory) : status;
}

static void report_home(EFI_STATUS status, const struct outcome *outcome,
			const struct directory *directory)
{
	if (status != EFI_SUCCESS)
		Print(L"barepmu: its results could not be written (%r)\n", status);
	else if (!directory->root)
		Print(L"barepmu: no volume to write its results to\n");
	else
		Print(L"barepmu: %ld files, %ld bytes in \\barepmu\\results\\%a\\%s\n",
		      outcome->files, outcome->bytes, stick.machine, directory->name);
}

/* Sends the results to a server, under a name that includes the machine. */
static void send_home(const struct boot_kept *kept, const char *name)
{
	char full[MACHINE_CHARS + NAME_NOW + JOB_NAME_BYTES + 2];

	full[0] = 0;
	name_add(full, sizeof full, stick.machine);
	name_add(full, sizeof full, "_");
	name_add(full, sizeof full, name);
	send_results(kept, &jobs.upload, full);
}

/* Reports how a job ended; stores and sends what it left. */
static void report_end(const struct boot_kept *kept, UINTN index, const char *name, EFI_STATUS made,
		       struct directory *directory)
{
	struct outcome outcome;
	EFI_STATUS status = bring_home(kept, &outcome, directory);

	Print(L"barepmu: job %d of %d: %a ended with status %d%a%a\n", index + 1, jobs.nr,
	      jobs.job[index].name, outcome.status, outcome.line[0] ? ": " : "", outcome.line);
	if (outcome.lost)
		Print(L"barepmu: %ld pieces of output found no memory\n", outcome.lost);
	report_home(made == EFI_SUCCESS ? status : made, &outcome, directory);
	if (jobs.upload.wanted)
		send_home(kept, name);
}

/* Runs an EFI program under the PMU, and stores its samples. */
static void run_firmware(const struct job *job, struct directory *directory)
{
	struct firmware_outcome outcome;
	const char *wrong =
	    firmware_job(stick.source, job, directory->root ? &directory->sink : NULL, &outcome);
	EFI_STATUS status = outcome.written;

	if (wrong)
		Print(L"barepmu: %a: %a (%r)\n", job->name, wrong, outcome.ended);
	else
		Print(L"barepmu: %a ended with %r, %ld samples\n", job->name, outcome.ended,
		      outcome.samples);
	if (!wrong && directory->root && status == EFI_SUCCESS)
		status = directory_finish(directory);
	if (status != EFI_SUCCESS)
		Print(L"barepmu: its results could not be written (%r)\n", status);
}

/* False: the power button was pressed. */
static BOOLEAN run_and_report(UINTN index)
{
	const struct job *job = &jobs.job[index];
	char name[NAME_NOW + JOB_NAME_BYTES + 1];
	const struct boot_kept *kept;
	struct directory directory;
	EFI_STATUS made;

	Print(L"barepmu: job %d of %d: %a\n", index + 1, jobs.nr, job->name);
	name_now(name);
	name_add(name, sizeof name, "_");
	name_add(name, sizeof name, job->name);
	made = make_home(name, index, &directory);
	if (job->firmware[0]) {
		run_firmware(job, &directory);
		return TRUE;
	}
	kept = run_job(job);
	show_again(kept);
	report_end(kept, index, name, made, &directory);
	return !(kept && kept->magic == BOOT_KEPT_MAGIC && kept->stop);
}

/* Appends "jobs.toml, line N: WHAT". */
static void add_line(char *lines, UINTN room, const struct jobs_mistake *mistake)
{
	UINTN at = strlena((CHAR8 *)lines);

	print_ascii(lines + at, room - at, "jobs.toml, line %d: %a\n", mistake->line,
		    mistake->what);
}

/* Writes what is wrong with the job file to the volume, as results of their own. */
static void write_mistakes(void)
{
	char name[NAME_NOW + 16];
	struct directory directory;
	static char lines[JOBS_MISTAKES_MAX * 128];
	EFI_STATUS status;

	if (!jobs.nr_mistakes || !stick.volume)
		return;
	for (UINTN i = 0; i < jobs.nr_mistakes; i++)
		add_line(lines, sizeof lines, &jobs.mistake[i]);
	name_now(name);
	name_add(name, sizeof name, "_job-file");
	status = directory_make(&directory, stick.volume, stick.machine, name);
	if (status == EFI_SUCCESS)
		status = write_text(&directory, "mistakes.txt", lines);
	if (status == EFI_SUCCESS)
		status = directory_finish(&directory);
	if (status != EFI_SUCCESS)
		Print(L"barepmu: this could not be written to the volume (%r)\n", status);
}

static void wait_for_key(void)
{
	EFI_INPUT_KEY key;
	UINTN index;

	Print(L"barepmu: r reboots, p switches off\n");
	for (;;) {
		BS->WaitForEvent(1, &ST->ConIn->WaitForKey, &index);
		if (ST->ConIn->ReadKeyStroke(ST->ConIn, &key) != EFI_SUCCESS)
			continue;
		if ((key.UnicodeChar | 0x20) == 'r')
			RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
		if ((key.UnicodeChar | 0x20) == 'p')
			RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	}
}

static void end(void)
{
	Print(L"barepmu: the end\n");
	if (jobs.end == JOBS_REBOOT)
		RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	if (jobs.end == JOBS_POWEROFF)
		RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	wait_for_key();
}

/* Firmware connects only the device that it boots from; this connects drivers to all devices. */
static void connect_all(void)
{
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0;

	if (BS->LocateHandleBuffer(AllHandles, NULL, NULL, &nr, &handles) != EFI_SUCCESS)
		return;
	for (UINTN i = 0; i < nr; i++)
		BS->ConnectController(handles[i], NULL, NULL, TRUE);
	BS->FreePool(handles);
}

static BOOLEAN has_directory(EFI_FILE *root)
{
	EFI_FILE *directory;

	if (root->Open(root, &directory, L"\\barepmu", EFI_FILE_MODE_READ, 0) != EFI_SUCCESS)
		return FALSE;
	directory->Close(directory);
	return TRUE;
}

/* After a network boot: returns a disk with a directory \barepmu, for the results. NULL: there is
 * none. */
static EFI_FILE *find_volume(void)
{
	EFI_GUID guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
	EFI_HANDLE *handles = NULL;
	EFI_FILE *found = NULL;
	UINTN nr = 0;

	if (BS->LocateHandleBuffer(ByProtocol, &guid, NULL, &nr, &handles) != EFI_SUCCESS)
		return NULL;
	for (UINTN i = 0; i < nr && !found; i++) {
		EFI_FILE_IO_INTERFACE *volume;
		EFI_FILE *root;

		if (BS->HandleProtocol(handles[i], &guid, (void **)&volume) != EFI_SUCCESS ||
		    volume->OpenVolume(volume, &root) != EFI_SUCCESS)
			continue;
		if (has_directory(root))
			found = root;
		else
			root->Close(root);
	}
	BS->FreePool(handles);
	return found;
}

/* Chooses where results are stored. iPXE also provides a volume, of the files that it has
 * fetched. */
static void choose_places(const struct source *source)
{
	BOOLEAN own = source->root && has_directory(source->root);

	if (!own || jobs.upload.wanted)
		connect_all();
	stick.volume = own ? source->root : find_volume();
}

EFI_STATUS stick_run(const struct source *source, const struct parts *parts,
		     const struct kernel *kernel, UINT64 root, struct boot_info *info)
{
	EFI_STATUS status;

	stick.source = source;
	stick.parts = parts;
	stick.kernel = kernel;
	stick.root = root;
	stick.info = info;
	name_machine(ST, stick.machine, sizeof stick.machine);
	Print(L"barepmu on %a\n", stick.machine);
	status = read_jobs(source);
	if (status == EFI_SUCCESS) {
		choose_places(source);
		write_mistakes();
		status = prepare_memory();
		if (status != EFI_SUCCESS)
			return uefi_fail(L"not enough memory", status);
		for (UINTN i = 0; i < jobs.nr; i++) {
			if (run_and_report(i))
				continue;
			Print(L"barepmu: the power button ends it all\n");
			jobs.end = JOBS_POWEROFF;
			break;
		}
	}
	end();
	return status;
}
