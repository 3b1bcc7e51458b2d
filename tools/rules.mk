# SPDX-License-Identifier: BSD-2-Clause
# The host command, and the scripts that it needs beside itself. It knows the PMUs from their model.

TOOLCFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARN) -I. -MMD -MP
TOOLOBJ := $(patsubst %.c,$B/tool/%.o,$(call sources,tools,c) apps/lib/closest.c apps/lib/event_names.c \
	apps/lib/event_parse.c \
	apps/lib/bench_options.c 	$(call sources,visor/model,c) $(wildcard core/config*.c core/cores/*.c \
		core/pipe/timings_*.c))

# What programs of users include, and what `barepmu new` copies.
SDK := $(patsubst %,$B/%,$(wildcard sdk/*.h sdk/*.pc sdk/template/*))

all: $B/barepmu $B/mkimage.sh $B/linux-init $(SDK)

$B/sdk/%: sdk/%
	$(begin)
	cp $< $@

$B/tool/%.o: %.c $B/flags
	$(begin)
	$(HOSTCC) $(TOOLCFLAGS) -c $< -o $@

$B/barepmu: $(TOOLOBJ)
	$(HOSTCC) $(TOOLCFLAGS) $^ -o $@ -lm

$B/mkimage.sh: tools/mkimage.sh
	install -m 755 $< $@

# The first process on stock Linux, for `barepmu linux`.
$B/linux-init: tests/oracle/init.c $B/flags
	musl-gcc -std=gnu11 -static -O2 $(WARN) -MMD -MP -MF $@.d $< -o $@

# The table of all system calls, from the kernel's.
UNISTD := /usr/include/x86_64-linux-gnu/asm/unistd_64.h
docs/abi.md: tools/abi.awk api/table.c
	awk -f tools/abi.awk $(UNISTD) api/table.c > $@

-include $B/linux-init.d $(TOOLOBJ:.o=.d)
