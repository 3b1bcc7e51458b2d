# SPDX-License-Identifier: BSD-2-Clause
# Host tests of the simulated core: each test_*.c below tests/sim, plain and under ASan and UBSan, as in tests/host/.

CORE_TEST_SRC := $(wildcard tests/sim/test_*.c tests/sim/*/test_*.c)
CORE_TESTS := $(basename $(notdir $(CORE_TEST_SRC)))
# $(call core_test_object,VARIANT,TEST): in whatever directory its source is.
core_test_object = $(patsubst %.c,$B/host/$1/%.o,$(filter %/$2.c,$(CORE_TEST_SRC)))
CORE_TEST_PROGRAMS := $(CORE_TESTS:%=$B/host/plain/%) $(CORE_TESTS:%=$B/host/san/%)
HOST_PROGRAMS += $(CORE_TEST_PROGRAMS)

define core_variant
$B/host/$1/libsim.a: $(CORE_SRC:%.c=$B/host/$1/%.o)

$(CORE_TESTS:%=$B/host/$1/%): $B/host/$1/%: $$$$(call core_test_object,$1,$$$$*) $B/host/$1/libsim.a
	$$(HOSTCC) $$(HOST_MODE) $$^ $$(HOST_LIBS) -lZydis -lZycore $$(if $$(filter test_core_pt%,$$(@F)),-lipt) -o $$@
endef
$(eval $(call core_variant,plain))
$(eval $(call core_variant,san))

host-plain: $(CORE_TESTS:%=$B/host/plain/%)
host-san: $(CORE_TESTS:%=$B/host/san/%)

# Components for the tests: copies of built-in ones, and ones with a fault.
TEST_COMPONENTS := $(patsubst %,$B/tests/components/%.so,copy_tage copy_plru copy_streamer copy_path \
	bad_version bad_missing bad_way bad_prefetch bad_crash bad_create bad_none)
$B/tests/components/copy_%.so: tests/sim/components/copy.c $B/flags
	$(begin)
	$(HOSTCC) -shared -fPIC -O2 $(WARN) -Wno-unused-const-variable -I. -DCOPY=COPY_$(shell echo $* | tr a-z A-Z) \
		-std=gnu11 -MMD -MP -MF $@.d $< -o $@
$B/tests/components/bad_%.so: tests/sim/components/bad.c abi/sim.h $B/flags
	$(begin)
	$(HOSTCC) -shared -fPIC -O2 $(WARN) -Iabi -std=gnu11 -DBAD=BAD_$(shell echo $* | tr a-z A-Z) $< -o $@
$B/host/plain/test_core_component $B/host/san/test_core_component: | $(TEST_COMPONENTS)
$B/host/plain/test_components_rank $B/host/san/test_components_rank: | $(COMPONENTS)
tests: $(TEST_COMPONENTS)
-include $(TEST_COMPONENTS:%=%.d)

-include $(patsubst %,$B/host/plain/%.d,$(CORE_SRC:.c=) $(CORE_TEST_SRC:.c=))
-include $(patsubst %,$B/host/san/%.d,$(CORE_SRC:.c=) $(CORE_TEST_SRC:.c=))
