/* SPDX-License-Identifier: BSD-2-Clause */
/* The command new: a project for barepmu.h. */
#include "host/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

static void copy_into(const char *folder, const char *from, const char *name)
{
	struct buffer content = read_file(home_file(from));
	char *path = format_text("%s/%s", folder, name);
	FILE *file = fopen(path, "wxe");

	if (!file || fwrite(content.bytes, content.size, 1, file) != 1 || fclose(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	free(content.bytes);
	free(path);
}

int new_project(char **arguments)
{
	static const char *const files[][2] = {{"sdk/barepmu.h", "barepmu.h"},
					       {"sdk/template/main.c", "main.c"},
					       {"sdk/template/Makefile", "Makefile"}};
	const char *folder = arguments[0];

	if (!folder || *folder == '-' || arguments[1])
		die(STATUS_OURS, "new wants one folder: barepmu new DIR");
	if (mkdir(folder, 0777))
		die(STATUS_OURS, "cannot make '%s': %s", folder, strerror(errno));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		copy_into(folder, files[i][0], files[i][1]);
	printf("%s: make -C %s run\n", folder, folder);
	return 0;
}
