/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are written to files, and words of commands: what Linux takes for one. Context of
 * all: any. */
#ifndef KERNEL_NUMBER_H
#define KERNEL_NUMBER_H

#include <stdint.h>

/* The value of a digit of up to base 16; more than 15: it is none. */
unsigned number_digit(char character);

/* Reads digits of `base`, before which 0x may stand in base 16; base 0 takes it from the number: 16
 * after 0x, 8 after another 0, else 10. *at moves past them all. Returns 0, -EINVAL when there is
 * no digit, or -ERANGE when 64 bits do not hold it. */
int number_digits(const char **at, unsigned base, uint64_t *value);

/* A number that is all of a text, but for a + before it and one newline after it: Linux's
 * kstrtoull(), of most files of /sys. Returns 0, -EINVAL, or -ERANGE above `most`. */
int number_read(const char *text, unsigned base, uint64_t most, uint64_t *value);

/* The same with blanks around it, of files of cgroups. */
int number_read_stripped(const char *text, unsigned base, uint64_t most, uint64_t *value);

/* A file of /proc/sys: a number in C's way, which may be negative, with blanks before it; what
 * follows it after a blank does not count. Returns 0, or -EINVAL, also outside of least...most. */
int number_read_sysctl(const char *text, int64_t least, int64_t most, int64_t *value);

#endif
