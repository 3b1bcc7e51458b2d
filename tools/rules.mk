# SPDX-License-Identifier: BSD-2-Clause
# Documents that are made from tables in the tree.

# The table of all system calls, from the kernel's.
UNISTD := /usr/include/x86_64-linux-gnu/asm/unistd_64.h
docs/abi.md: tools/abi.awk api/table.c
	awk -f tools/abi.awk $(UNISTD) api/table.c > $@

docs/conformance.md: tools/conformance.awk tests/conformance
	awk -f tools/conformance.awk tests/conformance > $@

docs/events.md: $B/host/event_coverage
	$B/host/event_coverage > $@

docs/processors.md: $B/host/processor_table
	$B/host/processor_table > $@
