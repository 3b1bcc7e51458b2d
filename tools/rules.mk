# SPDX-License-Identifier: BSD-2-Clause
# The host command, and the scripts that it needs beside itself. It knows the PMUs from their model.

TOOLCFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARN) -I. -MMD -MP
TOOLOBJ := $(patsubst %.c,$B/tool/%.o,$(call sources,tools,c) apps/lib/closest.c apps/lib/event/event_names.c \
	apps/lib/event/event_parse.c boot/uefi/upload.c \
	apps/lib/app_options.c apps/lib/bench_options.c apps/lib/symbols.c apps/lib/slurp.c \
	$(call sources,visor/model,c) $(wildcard core/cores/*.c core/words/*.c \
		core/pipe/timings/*.c))

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
	musl-gcc -std=gnu11 -static -O2 $(WARN) -I. -MMD -MP -MF $@.d $< -o $@

# Into DESTDIR and prefix: the command, what it needs in lib/barepmu, the header for programs, the manual page and
# completion.
prefix ?= /usr/local
INSTALLED := $(DESTDIR)$(prefix)
PARTS := kernel.elf visor.elf visor.efi BOOTX64.EFI core.so
.PHONY: install
install: all
	install -d $(addprefix $(INSTALLED)/,bin include share/man/man1 share/pkgconfig \
		share/bash-completion/completions share/zsh/site-functions lib/barepmu/apps lib/barepmu/sdk/template)
	install $B/barepmu $(INSTALLED)/bin
	install -m 644 $(addprefix $B/,$(PARTS)) $(INSTALLED)/lib/barepmu
	install $B/mkimage.sh $B/linux-init $(INSTALLED)/lib/barepmu
	install $B/apps/* $(INSTALLED)/lib/barepmu/apps
	install -m 644 sdk/barepmu.h $(INSTALLED)/lib/barepmu/sdk
	install -m 644 sdk/template/* $(INSTALLED)/lib/barepmu/sdk/template
	install -m 644 sdk/barepmu.h $(INSTALLED)/include
	sed 's|^prefix=.*|prefix=$(prefix)/include|' sdk/barepmu.pc >$(INSTALLED)/share/pkgconfig/barepmu.pc
	install -m 644 $(wildcard tools/install/*.1) $(INSTALLED)/share/man/man1
	install -m 644 tools/install/barepmu.bash $(INSTALLED)/share/bash-completion/completions/barepmu
	install -m 644 tools/install/barepmu.zsh $(INSTALLED)/share/zsh/site-functions/_barepmu

# A Debian package into DEB, built and looked over by Debian's tools in a copy of what is committed.
DEB := $B/deb
.PHONY: deb
deb:
	rm -rf $(DEB)
	mkdir -p $(DEB)/barepmu
	git archive HEAD | tar -x -C $(DEB)/barepmu
	cd $(DEB)/barepmu && dpkg-buildpackage -us -uc
	cd $(DEB) && lintian --fail-on error,warning *.changes

# The table of all system calls, from the kernel's.
UNISTD := /usr/include/x86_64-linux-gnu/asm/unistd_64.h
docs/abi.md: tools/abi.awk api/table.c
	awk -f tools/abi.awk $(UNISTD) api/table.c > $@

docs/conformance.md: tools/conformance.awk tests/conformance
	awk -f tools/conformance.awk tests/conformance > $@

-include $B/linux-init.d $(TOOLOBJ:.o=.d)
