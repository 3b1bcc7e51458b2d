/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers written to files, and words of commands, as Linux parses them. Context of all: any. */
#ifndef KERNEL_NUMBER_H
#define KERNEL_NUMBER_H

#include <stdint.h>

/* Returns the value of a digit in bases up to 16; above 15: not a digit. */
unsigned number_digit(char character);

/* Reads digits of `base`; a 0x prefix is allowed in base 16. Base 0 derives the base from the
 * prefix: 0x is 16, another 0 is 8, else 10. Moves *at past the number. Returns 0, -EINVAL if there
 * is no digit, or -ERANGE if 64 bits cannot hold it. */
int number_digits(const char **at, unsigned base, uint64_t *value);

/* Reads a number that fills `text`, except an optional + before it and one newline after it
 * (Linux's kstrtoull(), used by most files of /sys). Returns 0, -EINVAL, or -ERANGE above
 * `most`. */
int number_read(const char *text, unsigned base, uint64_t most, uint64_t *value);

/* As number_read(), but blanks around the number are allowed: for cgroup files. */
int number_read_stripped(const char *text, unsigned base, uint64_t most, uint64_t *value);

/* Reads a file of /proc/sys: a C number, possibly negative, with blanks before it; text after a
 * following blank is ignored. Returns 0, or -EINVAL, also outside of least...most. */
int number_read_sysctl(const char *text, int64_t least, int64_t most, int64_t *value);

#endif
