# SPDX-License-Identifier: BSD-2-Clause
# Builds barepmu: the kernel image, its UEFI loader, the visor, the applications and the host command.
# `make run` does the main job, `make test` runs every test; both first install what is missing.

B := build
CC := gcc
HOSTCC := gcc
NASM := nasm

# Says what is being made, in a word; all of each command with V=1.
ifndef V
.SILENT:
endif
begin = @$(if $V,,echo "  $@";) mkdir -p $(@D)

WARN := -Wall -Wextra -Werror
# With SOURCE_DATE_EPOCH (reproducible-builds.org) no file depends on the directory of the build.
WARN += $(if $(SOURCE_DATE_EPOCH),-ffile-prefix-map=$(CURDIR)=.)
ASM_DEBUG := $(if $(SOURCE_DATE_EPOCH),,-g -F dwarf) # which would have the directory
# gcc would turn the loop inside memset() into a call of memset(); clang has no such option and needs none.
NO_LOOP_CALLS := $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)
# With DEBUG=1 the kernel is compiled for gdb: variables are there, and lines in their order.
OPTIMISE := $(if $(DEBUG),-Og -Wno-maybe-uninitialized,-O2)
# The kernel's headers of Linux are its own, abi/linux/ and abi/asm/; of the build machine's it takes the compiler's.
ABI_CFLAGS := -nostdinc -isystem $(shell $(CC) -print-file-name=include 2>/dev/null) -Iabi
KCFLAGS := -std=gnu11 -ffreestanding $(OPTIMISE) -g $(WARN) $(ABI_CFLAGS) -I. -mcmodel=kernel -fno-pic -fno-pie \
	-mno-red-zone \
	-mgeneral-regs-only \
	-fno-stack-protector -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fcf-protection=none \
		-fno-strict-aliasing \
	-ffunction-sections -fdata-sections -MMD -MP

# $(call sources,DIRECTORIES,ENDING): the files of the directories and of those below them.
sources = $(sort $(shell find $1 -name '*.$2'))

# Below kernel/, but not in every kernel: the vDSO is an object of its own, the other two are for kernels for tests.
KERNEL_APART := kernel/vdso/% kernel/debug/% kernel/coverage/%
KSRC := $(filter-out boot/uefi% $(KERNEL_APART),$(call sources,boot arch kernel ringbuf pmu trace bpf api,c))
KASM := $(filter-out boot/uefi% $(KERNEL_APART),$(call sources,boot arch kernel,asm))
KOBJ := $(KSRC:%.c=$B/%.o) $(KASM:%.asm=$B/%.asm.o)

.DELETE_ON_ERROR:
.PHONY: all
all: $B/kernel.elf

# The compilers' flags and the rules: a change of either recompiles everything.
named_flags = $(sort $(filter-out MAKEFLAGS MFLAGS,$(filter %FLAGS %CC NASM,$(.VARIABLES))))
.PHONY: always
$B/flags: always
	mkdir -p $B
	printf '%s\n' '$(foreach name,$(named_flags),$(name)=$($(name)))' >$@.new
	sed -e '/^[ \t]*#/d' -e '/^$$/d' $(filter Makefile %.mk,$(MAKEFILE_LIST)) >>$@.new
	cmp -s $@.new $@ || mv $@.new $@

$B/%.o: %.c $B/flags
	$(begin)
	$(CC) $(KCFLAGS) -c $< -o $@

$B/%.asm.o: %.asm $B/flags
	$(begin)
	$(NASM) -f elf64 $(ASM_DEBUG) -I. $< -o $@
	awk -v object=$@ -f tools/asm_deps.awk $< >$(@:.o=.d)
	# Labels inside functions are no functions to a profile.
	objcopy --wildcard --strip-symbol='[a-z_]*.*' --strip-symbol='..@*' $@

# The kernel is linked twice: the second image carries the symbol table of the first, for backtraces.
KLDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack --gc-sections --build-id=sha1 -T linker.ld

$B/kernel.first.elf: $(KOBJ) linker.ld boot/symbols.awk
	awk -f boot/symbols.awk </dev/null >$B/symbols.first.asm
	$(NASM) -f elf64 $B/symbols.first.asm -o $B/symbols.first.o
	$(LD) $(KLDFLAGS) $(KOBJ) $B/symbols.first.o -o $@

# Debug information for gdb is in a separate file, which the image names: a machine loads a sixth of the bytes.
define debug_apart
	objcopy --only-keep-debug $@ $(@:.elf=.debug)
	objcopy --strip-debug --add-gnu-debuglink=$(@:.elf=.debug) $@
endef

$B/kernel.elf: $B/kernel.first.elf
	nm -n $< | awk -f boot/symbols.awk >$B/symbols.asm
	$(NASM) -f elf64 $B/symbols.asm -o $B/symbols.o
	$(LD) $(KLDFLAGS) $(KOBJ) $B/symbols.o -o $@
	$(debug_apart)

# The framebuffer's font, from Debian's package fonts-spleen.
FONT ?= /usr/share/consolefonts/spleen-8x16.psfu.gz
$B/font.psf: $(FONT)
	$(begin)
	gzip -dc $< > $@

$B/kernel/host/font.asm.o: NASM += -DFONT='"$B/font.psf"'
$B/kernel/host/font.asm.o: $B/font.psf

-include boot/rules.mk kernel/vdso/rules.mk kernel/debug/rules.mk kernel/coverage/rules.mk \
	emulator/sim/rules.mk emulator/components/rules.mk emulator/visor/rules.mk apps/rules.mk host/rules.mk \
	packaging/rules.mk tools/rules.mk tests/rules.mk
-include $(KOBJ:.o=.d)

.PHONY: clean
clean:
	rm -rf $B

.PHONY: distclean
distclean: clean
	rm -rf out

# Both commands of the README: they install what is missing first, because a fresh machine has no compiler to build
# with.
.PHONY: run test check-fast lint lint-setup setup
# YES=--yes: without asking.
setup:
	@tools/setup.sh $(YES)

run:
	@tools/setup.sh run $(YES)
	@$(MAKE) --no-print-directory -j"$$(nproc)" all
	@tools/main-job.sh $B

test: setup
	@$(MAKE) --no-print-directory -j"$$(nproc)" all tests
	@tests/run.sh $B

# For the inner loop: within a minute.
check-fast:
	@$(MAKE) --no-print-directory -j"$$(nproc)" all tests host-plain
	@tests/run.sh $B --fast

# Both commands of the README in a fresh system of each release: RELEASES, default Debian 12 and 13; as root.
.PHONY: test-releases
test-releases:
	@tools/test_releases.sh $(RELEASES)

# Images, checksums and the list of their contents, of the last commit, in release/; two builds must be equal.
.PHONY: release
release:
	@tools/release.sh release

# ROUNDS of load on each of three machines with the debug kernel: some minutes a machine.
ROUNDS := 20
.PHONY: soak
soak: all tests
	@tests/soak.sh $B $(ROUNDS)

# Checks that the tests cannot make: compilers' warnings, layout, order of the directories, code that an NMI reaches,
# plain English, static analysis.
lint:
	@tools/lint.sh $B

lint-setup:
	@tools/setup.sh lint
