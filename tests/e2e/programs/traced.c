/* SPDX-License-Identifier: BSD-2-Clause */
/* A program for debuggers: three functions, one below the other. */
#include <stdio.h>

__attribute__((noinline)) int inner(int n)
{
	return n * 3;
}

__attribute__((noinline)) int middle(int n)
{
	int result = inner(n) + 1;

	return result;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += middle(i);
	printf("result %d\n", sum);
	return 0;
}
