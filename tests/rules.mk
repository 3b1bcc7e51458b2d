# SPDX-License-Identifier: BSD-2-Clause
# The products of the tests: host programs, programs for the image (with both C libraries), the visor's guest.

# Programs are named by their files alone: prerequisites look for the room.
.SECONDEXPANSION:
-include tests/fuzz/rules.mk tests/host/rules.mk tests/sim/rules.mk tests/bare/rules.mk tests/diff/rules.mk \
	tests/efi/rules.mk
-include tests/harness/rules.mk

MUSL_CC := musl-gcc
# <linux/perf_event.h> is not in musl's own directory.
MUSL_KERNEL_HEADERS := -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
-include tests/accuracy/*.mk tests/speed/speed.mk
GUEST_CFLAGS := -std=gnu11 -O2 -g $(WARN) -I. -fno-omit-frame-pointer
GUEST_SRC := $(call sources,tests/guest,c)
guest_source = $(filter %/$1.c,$(GUEST_SRC))
GUEST_NAMES := $(basename $(notdir $(GUEST_SRC)))
# Programs that tests/run.sh runs with glibc: of directories where the library has a part, and one of four processors.
GLIBC_ROOMS := task ptrace memory files border
GLIBC_NAMES := $(basename $(notdir $(foreach room,$(GLIBC_ROOMS),$(wildcard tests/guest/$(room)/*.c)))) bpf_smp
GUEST_PROGRAMS := $(GUEST_NAMES:%=$B/tests/guest/%-musl) $(GLIBC_NAMES:%=$B/tests/guest/%-glibc)

FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$B/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
# Programs of the debug kernel; a program may have further files: NAME_*.c.
DEBUG_PROGRAMS := $(patsubst tests/debug/%.c,$B/tests/debug/%,$(shell ls tests/debug/*.c | grep -v _))
ORACLE_SRC := $(wildcard tests/oracle/*.c)
ORACLE_PROGRAMS := $(ORACLE_SRC:%.c=$B/%)

.PHONY: tests guest-tests oracle-programs
tests: host-san guest-tests oracle-programs debug
oracle-programs: $(ORACLE_PROGRAMS)
guest-tests: $(GUEST_PROGRAMS) $(FUZZ_PROGRAMS) $(DEBUG_PROGRAMS)

$B/tests/guest/%-musl: $$(call guest_source,$$*) $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@ -lm -lpthread

$B/tests/guest/%-glibc: $$(call guest_source,$$*) $B/flags
	$(begin)
	gcc -static $(GUEST_CFLAGS) -MMD -MP $< -o $@ -lm -lpthread

# Hostile programs: what they ask of the kernel does not depend on the C library.
$B/tests/fuzz/%: tests/fuzz/%.c $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@

# Every call of the kernel's table, for pointers.c.
$B/tests/debug/calls.inc: api/table.c tests/debug/table.awk
	$(begin)
	awk -f tests/debug/table.awk $< >$@

$B/tests/debug/pointers: $B/tests/debug/calls.inc
$B/tests/debug/%: tests/debug/%.c $$(wildcard tests/debug/$$*_*.c tests/debug/*.h) kernel/debug/control.h \
	tests/fuzz/fuzz.h $B/flags
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) -I$B $(MUSL_KERNEL_HEADERS) $(filter %.c,$^) -o $@

$B/tests/oracle/%: tests/oracle/%.c $B/flags
	$(begin)
	$(MUSL_CC) -static -Wl,--build-id=sha1 $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@

# The compiler writes these; no program rule is to try. A dependency on a source that has moved since must not stop
# make.
$B/%.d: ;
tests/guest/%.c: ;

-include $(GUEST_PROGRAMS:=.d) $(ORACLE_PROGRAMS:=.d) $(FUZZ_PROGRAMS:=.d)
