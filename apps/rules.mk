# SPDX-License-Identifier: BSD-2-Clause
# The in-image applications: static Linux programs; each also runs on Linux.

APPS := bench stat record report list selftest work kinds spin demo
APPCC := musl-gcc
APPCFLAGS := -std=gnu11 -static -O2 -g -fno-omit-frame-pointer $(WARN) -I. -MMD -MP \
	-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
APPLIB := $(patsubst %.c,$B/app/%.o,$(wildcard apps/lib/*.c apps/lib/*/*.c))
APPBIN := $(APPS:%=$B/apps/%)

all: $(APPBIN)

$B/app/%.o: %.c $B/flags
	$(begin)
	$(APPCC) $(APPCFLAGS) -c $< -o $@

$B/app/%.asm.o: %.asm $B/flags
	$(begin)
	$(NASM) -f elf64 $(ASM_DEBUG) $< -o $@
	objcopy --wildcard --strip-symbol='?*.*' $@ # labels inside functions are no functions

$B/app/libapps.a: $(APPLIB)
	rm -f $@
	ar rcs $@ $^

# An application is a directory: its C and assembly files, and the parts of the library that it uses.
define app_rule
$B/apps/$(1): $(patsubst %,$B/app/%.o,$(basename $(call sources,apps/$(1),c)) $(wildcard apps/$(1)/*.asm)) \
	$B/app/libapps.a
	$$(begin)
	$(APPCC) $(APPCFLAGS) $$^ -o $$@
endef
$(foreach app,$(APPS),$(eval $(call app_rule,$(app))))

# Its recursion and its callers are there to be seen in callchains.
$B/app/apps/work/work.o: APPCFLAGS += -fno-optimize-sibling-calls

-include $(wildcard $B/app/apps/*/*.d $B/app/apps/*/*/*.d)
