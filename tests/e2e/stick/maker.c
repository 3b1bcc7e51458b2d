/* SPDX-License-Identifier: BSD-2-Clause */
/* maker FILE KIB: words that repeat nowhere; then an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
int main(int argc, char **argv)
{
	FILE *file = (mkdir("/out/deep", 0755), fopen(argv[1], "w"));
	unsigned long x = 88172645463325252ul, words = strtoul(argv[argc - 1], NULL, 10) * 128;

	while (file && words--) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		fwrite(&x, sizeof(x), 1, file);
	}
	printf("made, with ünïcode: %lx\n", x);
	return file && !fclose(file) ? 3 : 1;
}
