# SPDX-License-Identifier: BSD-2-Clause
# Caches compared with cachegrind's: the programs, the driver of a trace, the table.

ACCURACY_PROGRAMS := $(patsubst tests/accuracy/programs/%.c,$B/tests/accuracy/%, \
	$(filter-out %/strings.c,$(wildcard tests/accuracy/programs/*.c)))
# On libraries of Debian's; those two packages are for `make accuracy` alone.
ACCURACY_LIBRARIES := $B/tests/accuracy/sqlite $B/tests/accuracy/lua

.PHONY: accuracy accuracy-programs
tests: accuracy-programs
accuracy-programs: $(ACCURACY_PROGRAMS) $B/tests/accuracy/trace

# No function of the compiler's choice in place of a loop: the C library's use REP (strings.c).
ACCURACY_CFLAGS := -std=gnu11 -O2 -g $(WARN) -I. -fno-builtin -fno-tree-loop-distribute-patterns
$(ACCURACY_PROGRAMS): $B/tests/accuracy/%: tests/accuracy/programs/%.c tests/accuracy/programs/strings.c \
	tests/accuracy/programs/program.h
	$(begin)
	$(MUSL_CC) -static $(ACCURACY_CFLAGS) $< tests/accuracy/programs/strings.c -o $@

$B/tests/accuracy/sqlite: LIBRARY := libsqlite3.a
$B/tests/accuracy/lua: LIBRARY := liblua5.4.a
# Headers of glibc are searched after musl's.
LIBRARY_CFLAGS := $(foreach dir,/usr/include /usr/include/lua5.4 /usr/include/x86_64-linux-gnu,-idirafter $(dir))
$(ACCURACY_LIBRARIES): $B/tests/accuracy/%: tests/accuracy/libraries/%.c tests/accuracy/libraries/arena.c \
	tests/accuracy/libraries/arena.h tests/accuracy/libraries/glibc.c tests/accuracy/programs/strings.c \
	tests/accuracy/programs/program.h | accuracy-packages
	$(begin)
	$(MUSL_CC) -static $(ACCURACY_CFLAGS) $(LIBRARY_CFLAGS) $(filter %.c,$^) \
		$$($(HOSTCC) -print-file-name=$(LIBRARY)) -o $@ -lm

.PHONY: accuracy-packages
accuracy-packages:
	@tools/setup.sh accuracy $(YES)

$B/tests/accuracy/trace: tests/accuracy/trace.c $B/sim/libsim.a
	$(begin)
	$(HOSTCC) $(CORE_CFLAGS) $^ -o $@ -lZydis

# Prints what differs from other simulators, and fails when it is too much.
accuracy: all accuracy-programs $(ACCURACY_LIBRARIES)
	tests/accuracy/caches.sh $B
	tests/accuracy/caches.sh $B 32K/8,32K/8,2M/8
	tests/accuracy/caches.sh $B 32K/8,48K/12,32M/16
	tests/accuracy/branches.sh $B
