# SPDX-License-Identifier: BSD-2-Clause
# Caches compared with cachegrind's: the programs, the driver of a trace, the table.

ACCURACY_PROGRAMS := $(patsubst tests/accuracy/programs/%.c,$B/tests/accuracy/%, \
	$(filter-out %/strings.c,$(wildcard tests/accuracy/programs/*.c)))

.PHONY: accuracy accuracy-programs
tests: accuracy-programs
accuracy-programs: $(ACCURACY_PROGRAMS) $B/tests/accuracy/trace

# No function of the compiler's choice in place of a loop: the C library's use REP (strings.c).
ACCURACY_CFLAGS := -std=gnu11 -O2 -g $(WARN) -I. -fno-builtin -fno-tree-loop-distribute-patterns
$(ACCURACY_PROGRAMS): $B/tests/accuracy/%: tests/accuracy/programs/%.c tests/accuracy/programs/strings.c \
	tests/accuracy/programs/program.h
	$(begin)
	$(MUSL_CC) -static $(ACCURACY_CFLAGS) $< tests/accuracy/programs/strings.c -o $@

$B/tests/accuracy/trace: tests/accuracy/trace.c $B/core/libcore.a
	$(begin)
	$(HOSTCC) $(CORE_CFLAGS) $^ -o $@ -lZydis

# Prints what differs from other simulators, and fails when it is too much.
accuracy: all accuracy-programs
	tests/accuracy/caches.sh $B
	tests/accuracy/branches.sh $B
