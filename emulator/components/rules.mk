# SPDX-License-Identifier: BSD-2-Clause
# The components that come with the simulator: each emulator/components/*.c is a shared object by abi/sim.h alone, as a
# user's.

COMPONENTS := $(patsubst emulator/components/%.c,$B/components/%.so,$(wildcard emulator/components/*.c))
COMPONENT_CFLAGS := -std=gnu11 -O2 -g -fPIC -fvisibility=hidden $(WARN) -Iabi

$B/components/%.so: emulator/components/%.c abi/sim.h $B/flags
	$(begin)
	$(HOSTCC) -shared $(COMPONENT_CFLAGS) -MMD -MP -MF $@.d $< -o $@

# The header for users' components.
$B/sdk/sim.h: abi/sim.h
	$(begin)
	cp $< $@

all: $(COMPONENTS) $B/sdk/sim.h

-include $(COMPONENTS:%=%.d)
