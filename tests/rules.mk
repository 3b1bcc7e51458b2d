# SPDX-License-Identifier: BSD-2-Clause
# What the tests build: host programs, programs for the image (with both C libraries), the visor's guest.

-include tests/host/rules.mk tests/bare/rules.mk

MUSL_CC := musl-gcc
# <linux/perf_event.h> is not in musl's own folder.
MUSL_KERNEL_HEADERS := -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
GUEST_CFLAGS := -std=gnu11 -O2 -g $(WARN) -fno-omit-frame-pointer
GUEST_SRC := $(wildcard tests/guest/*.c)
GUEST_PROGRAMS := $(patsubst tests/guest/%.c,$B/tests/guest/%-musl,$(GUEST_SRC)) \
	$(patsubst tests/guest/%.c,$B/tests/guest/%-glibc,$(GUEST_SRC))

.PHONY: tests guest-tests
tests: host-programs guest-tests
guest-tests: $(GUEST_PROGRAMS)

$B/tests/guest/%-musl: tests/guest/%.c
	$(begin)
	$(MUSL_CC) -static $(GUEST_CFLAGS) $(MUSL_KERNEL_HEADERS) -MMD -MP $< -o $@ -lm -lpthread

$B/tests/guest/%-glibc: tests/guest/%.c
	$(begin)
	gcc -static $(GUEST_CFLAGS) -MMD -MP $< -o $@ -lm -lpthread

-include $(GUEST_PROGRAMS:=.d)
