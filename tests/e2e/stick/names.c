/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /out whose names are alike to FAT, and files deep below; the contents are all different.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned made;

static void put(const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file)
		return;
	fprintf(file, "%u %.*s\n", made, (int)(50 - made),
		"..................................................");
	if (!fclose(file))
		made++;
}

static void put_deep(const char *directory, unsigned levels)
{
	while (levels--)
		if (mkdir(directory, 0755) || chdir(directory))
			return;
		else
			put("file");
}

int main(void)
{
	static const char *const alike[] = {
	    "Result", "result", "x:y", "x-y", "caf\303\251", "caf\303\250", "end.",
	    "end",    "a",      "A/b", "A/c", "Dir/file",    "dir/File"};
	char name[256];

	if (chdir("/out") || mkdir("A", 0755) || mkdir("Dir", 0755) || mkdir("dir", 0755))
		return 1;
	for (unsigned i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		put(alike[i]);
	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	for (char last = '1'; last <= '3'; last++) {
		name[254] = last;
		put(name);
	}
	put_deep("dddddddddd", 20);
	name[200] = '\0';
	put_deep(name, 4);
	printf("%u\n", made);
	return 0;
}
