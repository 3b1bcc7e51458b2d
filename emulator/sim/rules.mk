# SPDX-License-Identifier: BSD-2-Clause
# The simulated core: the parts without QEMU, as objects that a shared object can hold.

CORE_SRC := $(wildcard emulator/sim/*/*.c emulator/sim/*/*/*.c emulator/pt/*.c) apps/lib/closest.c
CORE_OBJ := $(CORE_SRC:%.c=$B/sim/%.o)
# The plugin's speed is the guest's: its files are one to the compiler, and structs are not copied by vectors.
CORE_LTO := $(if $(findstring clang,$(HOSTCC)),,-flto=auto -ffat-lto-objects -fno-tree-slp-vectorize)
CORE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 $(CORE_LTO) -g -fPIC -fvisibility=hidden $(WARN) -I. -MMD -MP

$B/sim/%.o: %.c $B/flags
	$(begin)
	$(HOSTCC) $(CORE_CFLAGS) -c $< -o $@

$B/sim/libsim.a: $(CORE_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

# The plugin that the host command gives to QEMU.
$B/core.so: $(CORE_OBJ)
	$(begin)
	$(HOSTCC) -shared $(CORE_CFLAGS) $(CORE_OBJ) -o $@ -lZydis

all: $B/sim/libsim.a $B/core.so

-include $(CORE_OBJ:.o=.d)
