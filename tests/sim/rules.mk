# SPDX-License-Identifier: BSD-2-Clause
# Host tests of the simulated core: each tests/sim/test_*.c, plain and under ASan and UBSan, as those of tests/host/.

CORE_TESTS := $(patsubst tests/sim/%.c,%,$(wildcard tests/sim/test_*.c))
CORE_TEST_PROGRAMS := $(CORE_TESTS:%=$B/host/plain/%) $(CORE_TESTS:%=$B/host/san/%)
HOST_PROGRAMS += $(CORE_TEST_PROGRAMS)

define core_variant
$B/host/$1/libsim.a: $(CORE_SRC:%.c=$B/host/$1/%.o)

$(CORE_TESTS:%=$B/host/$1/%): $B/host/$1/%: $B/host/$1/tests/sim/%.o $B/host/$1/libsim.a
	$$(HOSTCC) $$(HOST_MODE) $$^ $$(HOST_LIBS) -lZydis -lZycore $$(if $$(filter test_core_pt,$$(@F)),-lipt) -o $$@
endef
$(eval $(call core_variant,plain))
$(eval $(call core_variant,san))

host-plain: $(CORE_TESTS:%=$B/host/plain/%)
host-san: $(CORE_TESTS:%=$B/host/san/%)

-include $(patsubst %,$B/host/plain/%.d,$(CORE_SRC:.c=) $(CORE_TESTS:%=tests/sim/%))
-include $(patsubst %,$B/host/san/%.d,$(CORE_SRC:.c=) $(CORE_TESTS:%=tests/sim/%))
