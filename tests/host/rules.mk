# SPDX-License-Identifier: BSD-2-Clause
# Host tests: every test_*.c of its rooms becomes two programs, one plain, one under ASan and UBSan, that print TAP.
# Tests of the model, its decoder and predictor link the model only; the others link whatever of ringbuf/, pmu/ and the
# attr validation they use, with tests/host/fake/ in the processor's place (-DBAREPMU_HOST).

HOST_TEST_SRC := $(call sources,tests/host,c)
HOST_TESTS := $(filter test_%,$(basename $(notdir $(HOST_TEST_SRC))))
# $(call host_object,VARIANT,TEST): in whatever room its source is.
host_object = $(patsubst %.c,$B/host/$1/%.o,$(filter %/$2.c,$(HOST_TEST_SRC)))
HOST_MODEL_TESTS := $(filter test_model% test_decode% test_predict%,$(HOST_TESTS))
HOST_MODEL_SRC := $(call sources,emulator/visor/model,c)
HOST_KERNEL_SRC := arch/x86/cpu/topology.c boot/regions.c boot/uefi/jobs.c boot/uefi/toml.c boot/uefi/upload.c \
	kernel/host/escape.c kernel/mem/peek_kernel.c \
	kernel/task/membership/cgroup.c kernel/task/membership/cred.c kernel/task/ending.c \
	kernel/task/membership/namespaces.c \
	kernel/fs/permission.c kernel/fs/cpu_list.c arch/x86/decode/insn_parts.c kernel/base/number.c kernel/base/system.c \
	kernel/base/text.c kernel/base/tree.c \
	$(call sources,ringbuf pmu,c) $(wildcard api/perf/*.c api/versioned.c tests/host/fake/*.c)

# These go first: of the build machine's headers some want signal.h's types, some bring the C library's, after which
# stat.h has no modes.
HOST_ABI_FIRST := abi/linux/stat.h abi/linux/signal.h
HOST_ABI := $(HOST_ABI_FIRST) $(filter-out $(HOST_ABI_FIRST),$(wildcard abi/linux/*.h abi/linux/*/*.h abi/asm/*.h))

HOST_PROGRAMS := $(HOST_TESTS:%=$B/host/plain/%) $(HOST_TESTS:%=$B/host/san/%)
HOST_CFLAGS := -std=gnu11 -g $(WARN) -I. -DBAREPMU_HOST -MMD -MP
HOST_LIBS := -lcmocka -lpthread
$B/host/plain/%: HOST_MODE := -O2
# Sanitizers report only lines: full debug information for gdb takes a quarter of the compiler's time.
SANITIZED := -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
$B/host/san/%: HOST_MODE := -O1 $(SANITIZED)
# Tests take longer to compile than to run.
$B/host/san/tests/%: HOST_MODE := -O0 $(SANITIZED)

$B/host/cov/%: HOST_MODE := -O1 --coverage

# Definitions in the headers of abi/, for the comparison with the build machine's; the headers' names.
$B/facts.inc: tests/host/abi/facts.awk $(HOST_ABI) $B/flags
	$(begin)
	awk -f $< $(HOST_ABI) >$@

$B/facts_headers.inc: $(HOST_ABI) $B/flags
	$(begin)
	printf '#include <%s>\n' $(HOST_ABI:abi/%=%) >$@

host_facts = $(patsubst %,$B/host/$1/tests/host/abi/facts_%.o,ours host)
$(foreach v,plain san cov,$(call host_facts,$v)): HOST_CFLAGS += -I$B
$(foreach v,plain san cov,$(call host_facts,$v)): $B/facts.inc $B/facts_headers.inc
$(foreach v,plain san cov,$B/host/$v/tests/host/abi/facts_ours.o): HOST_CFLAGS += -Iabi
$(foreach v,plain san cov,$(eval $B/host/$v/test_linux_facts: $(call host_facts,$v)))

# $(call host_objects,VARIANT): the objects and the two libraries.
define host_objects
$B/host/$1/%.o: %.c $B/flags
	$$(begin)
	$$(HOSTCC) $$(HOST_CFLAGS) $$(HOST_MODE) -c $$< -o $$@

$B/host/$1/libmodel.a: $(HOST_MODEL_SRC:%.c=$B/host/$1/%.o)
$B/host/$1/libkernel.a: $(HOST_KERNEL_SRC:%.c=$B/host/$1/%.o)
$B/host/$1/lib%.a:
	@rm -f $$@
	$$(AR) rcs $$@ $$^
endef

define host_variant
$(call host_objects,$1)

$(HOST_MODEL_TESTS:%=$B/host/$1/%): $B/host/$1/%: $$$$(call host_object,$1,$$$$*) $B/host/$1/libmodel.a
	$$(HOSTCC) $$(HOST_MODE) $$^ $$(HOST_LIBS) $$(if $$(filter test_decode%,$$(@F)),-lZydis -lZycore) -o $$@

$(patsubst %,$B/host/$1/%,$(filter-out $(HOST_MODEL_TESTS),$(HOST_TESTS))): $B/host/$1/%: \
		$$$$(call host_object,$1,$$$$*) $B/host/$1/libkernel.a $B/host/$1/libmodel.a
	$$(HOSTCC) $$(HOST_MODE) $$^ $$(HOST_LIBS) $$(if $$(filter test_libpfm%,$$(@F)),-lpfm) \
		$$(if $$(filter test_boot_profile,$$(@F)),-lelf) -o $$@
endef
$(eval $(call host_variant,plain))
$(eval $(call host_variant,san))
$(eval $(call host_variant,cov))

# The readers of a recorded boot are the host command's own.
HOST_PROFILE_SRC := $(filter-out host/profile/request.c host/profile/names/names.c host/profile/names/symbols.c \
	host/profile/names/kernel_list.c,$(wildcard host/profile/*.c host/profile/names/*.c)) \
	host/lib/array.c host/lib/buffer.c host/lib/text.c host/lib/report.c \
	emulator/sim/profile/image.c apps/lib/perfdata/perfdata_write.c apps/lib/perfdata/perfdata_pipe.c \
	apps/lib/event/pmu_id.c \
	apps/lib/json.c apps/lib/xml.c
$(foreach v,plain san cov,$(eval $(HOST_PROFILE_SRC:%.c=$B/host/$v/%.o): HOST_CFLAGS += -D_GNU_SOURCE))
$(foreach v,plain san cov,$(eval $B/host/$v/test_boot_profile: $(HOST_PROFILE_SRC:%.c=$B/host/$v/%.o)))

# The program that writes docs/tables/events.md.
$B/host/event_coverage: $B/host/plain/tests/host/event_coverage.o $B/host/plain/libmodel.a
	$(HOSTCC) $^ -lpfm -o $@
tests: $B/host/event_coverage

# The program that writes docs/tables/processors.md.
$B/host/processor_table: $B/host/plain/tests/host/processor_table.o $B/host/plain/libkernel.a $B/host/plain/libmodel.a
	$(HOSTCC) $^ $(HOST_LIBS) -o $@
tests: $B/host/processor_table

# The suite runs the programs under the sanitizers; check-fast runs the plain ones, and lint compiles them.
.PHONY: host-programs host-plain host-san host-tests
.SECONDARY:
host-programs: host-plain host-san
host-plain: $(HOST_TESTS:%=$B/host/plain/%)
host-san: $(HOST_TESTS:%=$B/host/san/%)
host-tests: host-programs
	CMOCKA_MESSAGE_OUTPUT=TAP prove -e '' $(HOST_PROGRAMS)

-include $(patsubst %,$B/host/plain/%.d,$(HOST_PROFILE_SRC:.c=))
-include $(patsubst %,$B/host/plain/%.d,$(HOST_MODEL_SRC:.c=) $(HOST_KERNEL_SRC:.c=) $(HOST_TEST_SRC:.c=))
-include $(patsubst %,$B/host/san/%.d,$(HOST_PROFILE_SRC:.c=))
-include $(patsubst %,$B/host/san/%.d,$(HOST_MODEL_SRC:.c=) $(HOST_KERNEL_SRC:.c=) $(HOST_TEST_SRC:.c=))
