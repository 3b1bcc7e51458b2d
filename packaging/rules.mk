# SPDX-License-Identifier: BSD-2-Clause
# Installing, and the Debian package.

# The manual page of each command: its help, and a text with examples and files.
MANUAL := $(patsubst packaging/install/manual/%,$B/manual/barepmu-%.1,$(wildcard packaging/install/manual/*))
all: $(MANUAL)
$B/manual/barepmu-%.1: packaging/install/manual/% tools/manual.awk $B/barepmu
	$(begin)
	$B/barepmu $* -h | awk -v name=$* -v version="$$($B/barepmu --version | cut -d ' ' -f 2)" \
		-f tools/manual.awk $< - >$@

# Installs into DESTDIR and prefix: the command, its parts in lib/barepmu, the header for programs, manual pages and
# the completions.
prefix ?= /usr/local
INSTALLED := $(DESTDIR)$(prefix)
PARTS := kernel.elf visor.elf visor.efi BOOTX64.EFI core.so
.PHONY: install
install: all
	install -d $(addprefix $(INSTALLED)/,bin include share/man/man1 share/pkgconfig \
		share/bash-completion/completions share/zsh/site-functions lib/barepmu/apps lib/barepmu/sdk/template \
		lib/barepmu/sdk/component lib/barepmu/components)
	install $B/barepmu $(INSTALLED)/bin
	install -m 644 $(addprefix $B/,$(PARTS)) $(INSTALLED)/lib/barepmu
	install $B/mkimage.sh $B/linux-init $(INSTALLED)/lib/barepmu
	install $B/apps/* $(INSTALLED)/lib/barepmu/apps
	install -m 644 $(wildcard apps/sdk/*.h apps/sdk/*.hpp) apps/sdk/barepmu.py $(INSTALLED)/lib/barepmu/sdk
	install -m 755 $B/sdk/libbarepmu.so $(INSTALLED)/lib/barepmu/sdk
	install -m 644 apps/sdk/template/* $(INSTALLED)/lib/barepmu/sdk/template
	install -m 644 apps/sdk/component/* $(INSTALLED)/lib/barepmu/sdk/component
	install -m 644 $B/components/*.so $(INSTALLED)/lib/barepmu/components
	install -m 644 abi/sim.h $(INSTALLED)/lib/barepmu/sdk
	install -m 644 $(filter-out %/likwid-marker.h,$(wildcard apps/sdk/*.h apps/sdk/*.hpp)) abi/sim.h \
		$(INSTALLED)/include
	sed 's|^prefix=.*|prefix=$(prefix)/include|' apps/sdk/barepmu.pc >$(INSTALLED)/share/pkgconfig/barepmu.pc
	install -m 644 packaging/install/barepmu.1 $(MANUAL) $(INSTALLED)/share/man/man1
	install -m 644 packaging/install/barepmu.bash $(INSTALLED)/share/bash-completion/completions/barepmu
	install -m 644 packaging/install/barepmu.zsh $(INSTALLED)/share/zsh/site-functions/_barepmu

# Builds a Debian package in DEB, from a copy of the last commit, and checks it with Debian's tools.
DEB := $B/deb
.PHONY: deb
deb:
	@tools/setup.sh deb $(YES)
	rm -rf $(DEB)
	mkdir -p $(DEB)/barepmu
	git archive HEAD | tar -x -C $(DEB)/barepmu
	mv $(DEB)/barepmu/packaging/debian $(DEB)/barepmu/debian
	cd $(DEB)/barepmu && dpkg-buildpackage -us -uc
	cd $(DEB) && lintian --fail-on error,warning *.changes
