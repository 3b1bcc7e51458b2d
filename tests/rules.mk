# SPDX-License-Identifier: BSD-2-Clause
# What the tests build: host programs, programs for the image (with both C libraries), the visor's guest.

-include tests/fuzz/rules.mk tests/host/rules.mk tests/core/rules.mk tests/bare/rules.mk tests/diff/rules.mk tests/efi/rules.mk

MUSL_CC := musl-gcc
# <linux/perf_event.h> is not in musl's own folder.
MUSL_KERNEL_HEADERS := -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
-include tests/accuracy/*.mk
GUEST_CFLAGS := -std=gnu11 -O2 -g $(WARN) -fno-omit-frame-pointer
GUEST_SRC := $(wildcard tests/guest/*.c)
GUEST_PROGRAMS := $(patsubst tests/guest/%.c,$B/tests/guest/%-musl,$(GUEST_SRC)) \
	$(patsubst tests/guest/%.c,$B/tests/guest/%-glibc,$(GUEST_SRC))

FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$B/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
# Of the debug kernel; a program may have further files: NAME_*.c.
DEBUG_PROGRAMS := $(patsubst tests/debug/%.c,$B/tests/debug/%,$(shell ls tests/debug/*.c | grep -v _))
# tests/oracle/init.c is the first process of `barepmu linux` (tools/rules.mk).
ORACLE_PROGRAMS := $(patsubst tests/oracle/%.c,$B/tests/oracle/%,$(filter-out %/init.c,$(wildcard tests/oracle/*.c)))

.PHONY: tests guest-tests oracle-programs
tests: host-programs guest-tests oracle-programs debug
oracle-programs: $(ORACLE_PROGRAMS)
guest-tests: $(GUEST_PROGRAMS) $(FUZZ_PROGRAMS) $(DEBUG_PROGRAMS)

$B/tests/guest/%-musl: tests/guest/%.c $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@ -lm -lpthread

$B/tests/guest/%-glibc: tests/guest/%.c $B/flags
	$(begin)
	gcc -static $(GUEST_CFLAGS) -MMD -MP $< -o $@ -lm -lpthread

# Hostile programs: what they ask of the kernel does not depend on the C library.
$B/tests/fuzz/%: tests/fuzz/%.c $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) -I. $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@

# Every call of the kernel's table, for pointers.c.
$B/tests/debug/calls.inc: api/table.c tests/debug/table.awk
	$(begin)
	awk -f tests/debug/table.awk $< >$@

.SECONDEXPANSION:
$B/tests/debug/pointers: $B/tests/debug/calls.inc
$B/tests/debug/%: tests/debug/%.c $$(wildcard tests/debug/$$*_*.c tests/debug/*.h) debug/control.h tests/fuzz/fuzz.h $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) -I. -I$B $(MUSL_KERNEL_HEADERS) $(filter %.c,$^) -o $@

$B/tests/oracle/%: tests/oracle/%.c $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@

-include $(GUEST_PROGRAMS:=.d) $(ORACLE_PROGRAMS:=.d) $(FUZZ_PROGRAMS:=.d)
