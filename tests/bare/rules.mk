# SPDX-License-Identifier: BSD-2-Clause
# The visor's test guest, a bare machine of its own, and its runs: `make visor-tests`.

VISOR_GUEST_CFLAGS := -std=gnu11 -ffreestanding -O2 -g $(WARN) -I. -fno-pic -fno-pie -mno-red-zone -mgeneral-regs-only \
	-fno-builtin $(NO_LOOP_CALLS) -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fcf-protection=none -fno-strict-aliasing -MMD -MP
VISOR_GUEST_DIR := $B/tests/bare
VISOR_GUEST_SRC := $(call sources,tests/bare,c) emulator/visor/base/console.c emulator/visor/base/lib.c
VISOR_GUEST_ASM := $(call sources,tests/bare,asm) emulator/visor/start/trampoline.asm
VISOR_GUEST_OBJ := $(VISOR_GUEST_SRC:%.c=$(VISOR_GUEST_DIR)/obj/%.o) \
	$(VISOR_GUEST_ASM:%.asm=$(VISOR_GUEST_DIR)/obj/%.asm.o)

tests: $(VISOR_GUEST_DIR)/bundle.cpio

$(VISOR_GUEST_DIR)/obj/%.o: %.c $B/flags
	$(begin)
	$(CC) $(VISOR_GUEST_CFLAGS) -c $< -o $@

$(VISOR_GUEST_DIR)/obj/%.asm.o: %.asm $B/flags
	$(begin)
	$(NASM) -f elf64 $(ASM_DEBUG) -I. $< -o $@
	awk -v object=$@ -f tools/asm_deps.awk $< >$(@:.o=.d)

$(VISOR_GUEST_DIR)/guest.elf: $(VISOR_GUEST_OBJ) tests/bare/machine/guest.ld
	$(LD) -static -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments -T tests/bare/machine/guest.ld -o $@ \
		$(VISOR_GUEST_OBJ)

$(VISOR_GUEST_DIR)/bundle.cpio: $(VISOR_GUEST_DIR)/guest.elf tests/bare/bundle.sh
	@mkdir -p $(VISOR_GUEST_DIR)/bundle
	cp $< $(VISOR_GUEST_DIR)/bundle/kernel
	echo "nothing" > $(VISOR_GUEST_DIR)/bundle/initrd
	sh tests/bare/bundle.sh $(VISOR_GUEST_DIR)/bundle/kernel $(VISOR_GUEST_DIR)/bundle/initrd > $@

.PHONY: visor-tests
visor-tests: $B/visor.elf $(VISOR_GUEST_DIR)/bundle.cpio
	tests/bare/run.sh $B
	tests/bare/run.sh $B exact

-include $(VISOR_GUEST_OBJ:.o=.d)
