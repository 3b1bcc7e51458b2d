# SPDX-License-Identifier: BSD-2-Clause
# The differential fuzzer's guest (built as tests/bare is), and ten minutes of it.

DIFF_DIR := $B/tests/diff
DIFF_OBJ := $(patsubst %.c,$(VISOR_GUEST_DIR)/obj/%.o,$(wildcard tests/diff/*.c) emulator/visor/base/console.c \
	emulator/visor/base/lib.c) \
	$(VISOR_GUEST_DIR)/obj/tests/diff/entry.asm.o

tests: $(DIFF_DIR)/bundle.cpio

$(DIFF_DIR)/guest.elf: $(DIFF_OBJ) tests/bare/machine/guest.ld
	$(begin)
	$(LD) -static -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments -T tests/bare/machine/guest.ld -o $@ \
		$(DIFF_OBJ)

$(DIFF_DIR)/bundle.cpio: $(DIFF_DIR)/guest.elf tests/bare/bundle.sh
	@mkdir -p $(DIFF_DIR)/bundle
	cp $< $(DIFF_DIR)/bundle/kernel
	echo "nothing" > $(DIFF_DIR)/bundle/initrd
	sh tests/bare/bundle.sh $(DIFF_DIR)/bundle/kernel $(DIFF_DIR)/bundle/initrd > $@

# A part of `make fuzz [MINUTES=10]` (tests/fuzz/rules.mk).
.PHONY: fuzz-visor
fuzz: fuzz-visor
fuzz-visor: $B/visor.elf $(DIFF_DIR)/bundle.cpio
	tests/diff/run.sh $B $$((60 * $(MINUTES)))

-include $(DIFF_OBJ:.o=.d)
