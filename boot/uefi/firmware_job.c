/* SPDX-License-Identifier: BSD-2-Clause */
/* A job that is an EFI application or driver: it runs with boot services, while the PMU samples it
 * and the firmware that it calls. */
#include "boot/uefi/sampling.h"

#define LINE_BYTES 192

/* The job that runs; in memory of the firmware's. */
static struct {
	struct samples samples;
	struct loaded_images images;
	UINT64 period, status;
} * now;

/* A file's text. */
struct text {
	char *bytes;
	UINTN nr, room;
};

static void add_line(struct text *text, const char *format, ...)
{
	va_list arguments;

	if (text->room - text->nr < LINE_BYTES)
		return;
	va_start(arguments, format);
	AsciiVSPrint((CHAR8 *)text->bytes + text->nr, LINE_BYTES, (const CHAR8 *)format, arguments);
	va_end(arguments);
	for (UINTN at = text->nr; text->bytes[at]; at++)
		if (text->bytes[at] != '\r') /* which the library puts before each newline */
			text->bytes[text->nr++] = text->bytes[at];
}

/* ---- the program ---- */

static void give_options(EFI_HANDLE image, const struct job *job)
{
	static CHAR16 options[sizeof job->run];
	EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
	EFI_LOADED_IMAGE *loaded;
	UINTN at = 0;

	if (!job->run_bytes || BS->HandleProtocol(image, &guid, (void **)&loaded) != EFI_SUCCESS)
		return;
	for (; at < job->run_bytes; at++)
		options[at] = job->run[at] ? (UINT8)job->run[at] : ' ';
	options[at - 1] = 0;
	loaded->LoadOptions = options;
	loaded->LoadOptionsSize = (UINT32)(at * sizeof *options);
}

static EFI_STATUS load_program(const struct source *source, const struct job *job,
			       EFI_HANDLE *image)
{
	CHAR16 path[JOB_PATH_BYTES];
	EFI_DEVICE_PATH *file;
	EFI_STATUS status;
	UINTN at = 0;

	for (; job->firmware[at]; at++)
		path[at] = job->firmware[at] == '/' ? '\\' : (UINT8)job->firmware[at];
	path[at] = 0;
	file = FileDevicePath(source->image->DeviceHandle, path);
	status = file ? BS->LoadImage(FALSE, source->handle, file, NULL, 0, image)
		      : EFI_OUT_OF_RESOURCES;
	if (file)
		BS->FreePool(file);
	return status;
}

static const char *run_program(const struct source *source, const struct job *job,
			       EFI_STATUS *ended)
{
	EFI_HANDLE image = NULL;
	const char *wrong;

	*ended = load_program(source, job, &image);
	if (*ended != EFI_SUCCESS)
		return "the firmware does not load the program: is it there, and signed if it must "
		       "be?";
	give_options(image, job);
	now->images.nr = 0;
	images_collect(&now->images);
	wrong = sampling_start(&now->samples, job->period);
	if (wrong) {
		BS->UnloadImage(image);
		return wrong;
	}
	*ended = BS->StartImage(image, NULL, NULL);
	sampling_stop();
	images_collect(&now->images);
	return NULL;
}

/* ---- its results ---- */

/* Shell sort, with the gaps of Knuth. */
static void sort_samples(struct samples *s)
{
	UINTN gap = 1;

	while (gap < s->nr / 3)
		gap = 3 * gap + 1;
	for (; gap; gap /= 3)
		for (UINTN i = gap; i < s->nr; i++) {
			UINT64 value = s->address[i];
			UINTN at = i;

			for (; at >= gap && s->address[at - gap] > value; at -= gap)
				s->address[at] = s->address[at - gap];
			s->address[at] = value;
		}
}

static void write_samples(struct text *text)
{
	const struct samples *s = &now->samples;

	sort_samples(&now->samples);
	add_line(text, "address,image,offset,samples\n");
	for (UINT64 i = 0, times; i < s->nr; i += times) {
		struct loaded_image *image = images_find(&now->images, s->address[i]);

		for (times = 1; i + times < s->nr && s->address[i + times] == s->address[i];)
			times++;
		if (image)
			image->samples += times;
		add_line(text, "0x%lx,%a,0x%lx,%ld\n", s->address[i], image ? image->name : "",
			 s->address[i] - (image ? image->base : 0), times);
	}
}

static void write_images(struct text *text)
{
	add_line(text, "image,base,bytes,samples\n");
	for (UINTN i = 0; i < now->images.nr; i++) {
		const struct loaded_image *image = &now->images.image[i];

		if (image->samples)
			add_line(text, "%a,0x%lx,%ld,%ld\n", image->name, image->base, image->bytes,
				 image->samples);
	}
}

static void write_status(struct text *text)
{
	const struct samples *s = &now->samples;

	add_line(text, "status = %ld\nperiod = %ld # cycles\nsamples = %ld\n", now->status,
		 now->period, s->nr);
	add_line(text, "lost = %ld\nother_nmis = %ld\n", s->lost, s->others);
}

/* Writes a file of at most `lines` lines. */
static EFI_STATUS write_file(struct sink *sink, const char *name, UINTN lines,
			     void (*write)(struct text *text))
{
	struct text text = {.room = lines * LINE_BYTES};
	void *file = NULL;
	EFI_STATUS status = BS->AllocatePool(EfiLoaderData, text.room, (void **)&text.bytes);

	if (status != EFI_SUCCESS)
		return status;
	write(&text);
	status = sink->open(sink, name, &file);
	if (status == EFI_SUCCESS)
		status = sink->write(file, text.bytes, text.nr);
	if (file)
		sink->close(file);
	BS->FreePool(text.bytes);
	return status;
}

static EFI_STATUS write_results(struct sink *sink)
{
	EFI_STATUS status = write_file(sink, "samples.csv", now->samples.nr + 2, write_samples);

	if (status == EFI_SUCCESS)
		status = write_file(sink, "images.csv", IMAGES_MAX + 2, write_images);
	if (status == EFI_SUCCESS)
		status = write_file(sink, "status.toml", 3, write_status);
	return status;
}

const char *firmware_job(const struct source *source, const struct job *job, struct sink *sink,
			 struct firmware_outcome *outcome)
{
	const char *wrong;

	SetMem(outcome, sizeof *outcome, 0);
	if (BS->AllocatePool(EfiLoaderData, sizeof *now, (void **)&now) != EFI_SUCCESS)
		return "not enough memory for the samples";
	wrong = run_program(source, job, &outcome->ended);
	now->status = outcome->ended & ~EFI_ERROR_MASK;
	now->period = job->period;
	outcome->samples = now->samples.nr;
	if (!wrong && sink)
		outcome->written = write_results(sink);
	BS->FreePool(now);
	return wrong;
}
