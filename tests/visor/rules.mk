# SPDX-License-Identifier: BSD-2-Clause
# A bare guest that tests the visor from inside; tests/visor/*.t start it.

VISOR_GUEST_CFLAGS := -std=gnu11 -ffreestanding -O2 -g $(WARN) -I. -fno-pic -fno-pie -mno-red-zone -mgeneral-regs-only \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -MMD -MP
VISOR_GUEST_OBJ := $(patsubst %,$B/%.o,$(basename $(wildcard tests/visor/*.c))) \
	$(patsubst %,$B/%.o,$(wildcard tests/visor/*.asm))

tests: $B/tests/visor/bundle

$B/tests/visor/%.o: tests/visor/%.c
	@mkdir -p $(@D)
	$(CC) $(VISOR_GUEST_CFLAGS) -c $< -o $@

$B/tests/visor/guest.elf: $(VISOR_GUEST_OBJ) tests/visor/guest.ld
	$(LD) -T tests/visor/guest.ld -z noexecstack --no-warn-rwx-segments -o $@ $(VISOR_GUEST_OBJ)

$B/tests/visor/bundle: $B/tests/visor/guest.elf tests/visor/bundle.sh
	sh tests/visor/bundle.sh $< >$@

-include $(VISOR_GUEST_OBJ:.o=.d)
