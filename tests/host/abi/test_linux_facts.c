/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the numbers and layouts of abi/linux/ and abi/asm/ with the build machine's headers,
 * which may be Linux's later ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/host/abi/facts.h"

/* True for names whose values later versions of Linux enlarge: limits, and sizes of structs that
 * have a size field. */
static bool may_grow(const char *name)
{
	static const char *const names[] = {
	    "sizeof struct perf_event_attr", "sizeof union bpf_attr",
	    "sizeof struct bpf_btf_info",    "sizeof struct bpf_link_info",
	    "sizeof struct bpf_map_info",    "sizeof struct bpf_prog_info",
	    "sizeof struct clone_args",      "sizeof struct mount_attr",
	    "sizeof struct sched_attr",      "CAP_LAST_CAP",
	};
	size_t length = strlen(name);

	if (length > 4 && !strcmp(name + length - 4, "_MAX"))
		return true;
	if (length > 10 && !strcmp(name + length - 10, "_MAX_SHIFT"))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void headers_agree(void **state)
{
	size_t nr_ours, nr_host, wrong = 0;
	const struct fact *ours = facts_ours(&nr_ours), *host = facts_host(&nr_host);

	(void)state;
	assert_int_equal(nr_ours, nr_host);
	assert_true(nr_ours > 2000);
	for (size_t i = 0; i < nr_ours; i++) {
		assert_string_equal(ours[i].name, host[i].name);
		if (ours[i].value == host[i].value ||
		    (may_grow(ours[i].name) && ours[i].value < host[i].value))
			continue;
		print_error("%s: ours is %#llx, the build machine's %#llx\n", ours[i].name,
			    (unsigned long long)ours[i].value, (unsigned long long)host[i].value);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(headers_agree)};

	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
