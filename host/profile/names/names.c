/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of images, from their debug directories, the firmware's log, and its file. */
#include "host/profile/names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/text.h"
#include "host/profile/names/volume.h"

#define SETUP_MAGIC_AT 0x202 /* Linux: Documentation/arch/x86/boot.rst */

/* Keeps the last part of a path, without what compilers and EDK2 append. */
static void shorten(char name[PROFILE_NAME])
{
	static const char *const endings[] = {".debug", ".dll", ".pdb", ".efi",
					      ".so",    ".exe", ".map"};
	char *start = name;

	for (char *at = name; *at; at++)
		if ((*at == '/' || *at == '\\') && at[1])
			start = at + 1;
	memmove(name, start, strlen(start) + 1);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t length = strlen(name), ending = strlen(endings[i]);

		if (length > ending && !strcmp(name + length - ending, endings[i]))
			name[length - ending] = '\0';
	}
}

/* EDK2's log: "Loading driver at 0x0007E8F000 EntryPoint=0x0007E90D6C FooDxe.efi". */
static void take_log_line(struct profile *profile, const struct profile_line *line)
{
	char text[PROFILE_TEXT + 1], *at, *name;
	uint64_t base;

	memcpy(text, line->text, line->bytes);
	text[line->bytes] = '\0';
	at = strstr(text, " at 0x");
	name = strstr(text, "EntryPoint=0x");
	if (strncmp(text, "Loading ", 8) || !at || !name || !(name = strchr(name, ' ')) || !name[1])
		return;
	base = strtoull(at + 4, NULL, 16);
	for (uint32_t i = 0; i < profile->nr_images; i++) {
		struct image *image = &profile->images[i];

		if (image->record && image->record->base == base && !*image->name)
			snprintf(image->name, sizeof(image->name), "%s", name + 1);
	}
}

/* A bzImage is also an EFI program. */
static void name_kernel(struct image *image)
{
	if (image->record && !*image->name && image->record->header_bytes > SETUP_MAGIC_AT + 4 &&
	    !memcmp(image->header + SETUP_MAGIC_AT, "HdrS", 4))
		strcpy(image->name, "bzImage");
}

void names_of_images(struct profile *profile, const struct words *firmware)
{
	for (size_t i = 0; i < profile->nr_lines; i++)
		take_log_line(profile, profile->lines[i]);
	for (uint32_t i = 0; i < profile->nr_images; i++)
		shorten(profile->images[i].name);
	for (uint32_t i = 0; i < profile->nr_images; i++)
		name_kernel(&profile->images[i]);
	for (int i = 0; i < firmware->nr; i++) {
		struct buffer file = read_file(firmware->word[i]);

		volume_name_images(profile, file.bytes, file.size);
		free(file.bytes);
	}
}
