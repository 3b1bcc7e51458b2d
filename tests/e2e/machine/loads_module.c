/* SPDX-License-Identifier: BSD-2-Clause */
/* A first process that works for a while and loads a module, FILE_NAME. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPRESSED 4 /* MODULE_INIT_COMPRESSED_FILE */

__attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned sum = 1;

	while (n--)
		sum = sum * 31 + n;
	return sum;
}

int main(void)
{
	int fd = open(FILE_NAME, O_RDONLY);

	printf("%u\n", spin(1000000));
	return (int)syscall(SYS_finit_module, fd, "", strstr(FILE_NAME, ".xz") ? COMPRESSED : 0);
}
