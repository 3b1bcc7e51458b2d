# SPDX-License-Identifier: BSD-2-Clause
# Builds the visor: visor.elf for QEMU's -kernel, visor.efi for UEFI, from the same objects.

VISOR_CFLAGS := -std=gnu11 -ffreestanding -O2 -g $(WARN) -I. -fpie -fvisibility=hidden -mno-red-zone -mgeneral-regs-only \
	-fno-builtin -fno-tree-loop-distribute-patterns -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fcf-protection=none -fno-strict-aliasing -MMD -MP

VISOR_DOORS := visor/door_pvh.c visor/door_efi.c
VISOR_SRC := $(filter-out $(VISOR_DOORS),$(wildcard visor/*.c visor/model/*.c))
VISOR_OBJ := $(VISOR_SRC:%.c=$B/%.o) $B/visor/run.asm.o
VISOR_PVH_OBJ := $(VISOR_OBJ) $B/visor/door_pvh.o $B/visor/pvh_entry.asm.o

all: $B/visor.elf

$B/visor/%.o: visor/%.c
	$(begin)
	$(CC) $(VISOR_CFLAGS) -c $< -o $@

$B/visor.elf: $(VISOR_PVH_OBJ) visor/visor.ld
	$(LD) -pie --no-dynamic-linker -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments -T visor/visor.ld \
		-o $@ $(VISOR_PVH_OBJ)

-include $(VISOR_PVH_OBJ:.o=.d)
