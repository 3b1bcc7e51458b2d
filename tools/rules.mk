# SPDX-License-Identifier: BSD-2-Clause
# Documents that are made from tables in the tree.

# The table of all system calls, from the kernel's.
docs/tables/abi.md: tools/abi.awk abi/asm/unistd.h api/table.c
	awk -f $^ > $@

docs/tables/conformance.md: tools/conformance.awk tests/conformance
	awk -f tools/conformance.awk tests/conformance > $@

docs/tables/events.md: $B/host/event_coverage
	$B/host/event_coverage > $@

docs/tables/processors.md: $B/host/processor_table
	$B/host/processor_table > $@
