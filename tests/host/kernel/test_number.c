/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are written to files: what kstrtoull(), strstrip() before it, and /proc/sys of Linux
 * 6.1 make of each text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernel/base/number.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	unsigned base;
	uint64_t most;
	int file, stripped; /* results of a file of /sys, and of one of cgroups */
	uint64_t value;
} numbers[] = {
    {"0", 0, 9, 0, 0, 0},
    {"7\n", 0, 9, 0, 0, 7},
    {"+7", 0, 9, 0, 0, 7},
    {"0x1f", 0, 99, 0, 0, 31},
    {"0X1F", 16, 99, 0, 0, 31},
    {"1f", 16, 99, 0, 0, 31},
    {"017", 0, 99, 0, 0, 15},
    {"017", 10, 99, 0, 0, 17},
    {"08", 0, 99, -EINVAL, -EINVAL, 0},
    {"0x", 0, 99, -EINVAL, -EINVAL, 0},
    {"0x1", 10, 99, -EINVAL, -EINVAL, 0},
    {"1f", 0, 99, -EINVAL, -EINVAL, 0},
    {"", 0, 9, -EINVAL, -EINVAL, 0},
    {"+", 0, 9, -EINVAL, -EINVAL, 0},
    {"-1", 0, 9, -EINVAL, -EINVAL, 0},
    {"\n", 0, 9, -EINVAL, -EINVAL, 0},
    {" 7", 0, 9, -EINVAL, 0, 7},
    {"7 ", 0, 9, -EINVAL, 0, 7},
    {"7\n\n", 0, 9, -EINVAL, 0, 7},
    {"\t7\r\n", 0, 9, -EINVAL, 0, 7},
    {"7 7", 0, 99, -EINVAL, -EINVAL, 0},
    {"10", 0, 9, -ERANGE, -ERANGE, 0},
    {"18446744073709551615", 0, UINT64_MAX, 0, 0, UINT64_MAX},
    {"18446744073709551616", 0, UINT64_MAX, -ERANGE, -ERANGE, 0},
    {"0xffffffffffffffff", 0, UINT64_MAX, 0, 0, UINT64_MAX},
    {"99999999999999999999x", 0, UINT64_MAX, -ERANGE, -ERANGE, 0},
};

static void files_of_sys_and_cgroups(void **state)
{
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < COUNT(numbers); i++) {
		print_message("# '%s' in base %u\n", numbers[i].text, numbers[i].base);
		assert_int_equal(
		    number_read(numbers[i].text, numbers[i].base, numbers[i].most, &value),
		    numbers[i].file);
		if (!numbers[i].file)
			assert_int_equal(value, numbers[i].value);
		assert_int_equal(
		    number_read_stripped(numbers[i].text, numbers[i].base, numbers[i].most, &value),
		    numbers[i].stripped);
		if (!numbers[i].stripped)
			assert_int_equal(value, numbers[i].value);
	}
}

static const struct {
	const char *text;
	int64_t least, most;
	int result;
	int64_t value;
} sysctls[] = {
    {"5", 0, 9, 0, 5},
    {"5\n", 0, 9, 0, 5},
    {" \t5 \n", 0, 9, 0, 5},
    {"-1\n", -1, 9, 0, -1},
    {"0x10", 0, 99, 0, 16},
    {"010", 0, 99, 0, 8},
    {"5 x", 0, 9, 0, 5},
    {"5x", 0, 9, -EINVAL, 0},
    {"+5", 0, 9, -EINVAL, 0},
    {"", 0, 9, -EINVAL, 0},
    {" ", 0, 9, -EINVAL, 0},
    {"-", 0, 9, -EINVAL, 0},
    {"- 5", -9, 9, -EINVAL, 0},
    {"10", 0, 9, -EINVAL, 0},
    {"-1", 0, 9, -EINVAL, 0},
    {"9223372036854775807", 0, INT64_MAX, 0, INT64_MAX},
    {"9223372036854775808", 0, INT64_MAX, -EINVAL, 0},
};

static void files_of_sysctls(void **state)
{
	int64_t value;

	(void)state;
	for (unsigned i = 0; i < COUNT(sysctls); i++) {
		print_message("# '%s'\n", sysctls[i].text);
		assert_int_equal(
		    number_read_sysctl(sysctls[i].text, sysctls[i].least, sysctls[i].most, &value),
		    sysctls[i].result);
		if (!sysctls[i].result)
			assert_int_equal(value, sysctls[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_of_sys_and_cgroups),
	    cmocka_unit_test(files_of_sysctls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
