# SPDX-License-Identifier: BSD-2-Clause
# Harnesses: every file here is a program that libFuzzer feeds with its inputs, under ASan and UBSan. `make fuzz` runs
# each for minutes, the suite for seconds, from the inputs in corpus/.

HARNESSES := $(patsubst tests/harness/%.c,$B/harness/%,$(wildcard tests/harness/*.c))
HARNESS_OBJECTS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
HARNESS_LINK := -fsanitize=fuzzer,address,undefined

$B/host/harness/%: HOSTCC := clang
$B/host/harness/%: HOST_MODE := $(HARNESS_OBJECTS)
$(eval $(call host_objects,harness))

# The code under test of a harness, unless it is in the kernel's library.
harness_of = $(patsubst %.c,$B/host/harness/%.o,$1)
$B/harness/cpio: $(call harness_of,kernel/process/cpio.c kernel/fs/inode.c)
$B/harness/elf: $(call harness_of,kernel/process/elf.c kernel/vm/vma.c)
$B/harness/cmdline: $(call harness_of,kernel/base/cmdline.c)
$B/harness/perfdata: $(call harness_of,apps/lib/perfdata/perfdata_read.c apps/lib/perfdata/perfdata_sample.c \
	apps/lib/slurp.c)

$B/harness/symbols: $(call harness_of,apps/lib/slurp.c apps/lib/symbols/build_id.c \
	apps/lib/symbols/ranges.c)

# Programs of BPF may access words at odd places.
$B/host/harness/bpf/%: HOST_MODE := $(HARNESS_OBJECTS) -fno-sanitize=alignment
$B/harness/bpf: $(call harness_of,$(filter-out bpf/attach.c bpf/links.c bpf/object/bpffs.c,$(call sources,bpf,c)))
$B/harness/acpi: $(call harness_of,arch/x86/apic/numa.c)
$B/harness/filter: $(call harness_of,trace/base/filter.c trace/base/match.c trace/base/format.c)
$B/harness/probe: $(call harness_of,arch/x86/decode/insn_parts.c \
	$(addprefix trace/probe/base/,fetch.c fetch_parse.c insn.c words.c))
$B/harness/btf: $(call harness_of,bpf/object/btf.c bpf/object/object.c)

$B/harness/%: $B/host/harness/tests/harness/%.o $B/host/harness/libkernel.a $B/host/harness/libmodel.a
	$(begin)
	clang $(HARNESS_LINK) $(filter %.o,$^) $(filter %.a,$^) -lcmocka -o $@

.PHONY: harnesses
harnesses: $(HARNESSES)
tests: harnesses
-include $(patsubst $B/harness/%,$B/host/harness/tests/harness/%.d,$(HARNESSES))
-include $(patsubst %,$B/host/harness/%.d,$(HOST_MODEL_SRC:.c=) $(HOST_KERNEL_SRC:.c=) kernel/fs/inode \
	kernel/process/cpio kernel/process/elf kernel/vm/vma kernel/base/cmdline \
	apps/lib/perfdata/perfdata_read apps/lib/perfdata/perfdata_sample apps/lib/slurp \
	boot/uefi/jobs boot/uefi/toml \
	$(basename $(call sources,bpf,c)))

# A part of `make fuzz [MINUTES=10]` (tests/fuzz/rules.mk).
.PHONY: fuzz-harnesses
fuzz: fuzz-harnesses
fuzz-harnesses: harnesses
	tests/harness/fuzz.sh $B $(MINUTES)
