# SPDX-License-Identifier: BSD-2-Clause
# Builds the visor: visor.elf for QEMU's -kernel, visor.efi for UEFI, from the same objects.

VISOR_CFLAGS := -std=gnu11 -ffreestanding -O2 -g $(WARN) -I. -fpie -fvisibility=hidden -mno-red-zone \
	-mgeneral-regs-only \
	-fno-builtin $(NO_LOOP_CALLS) -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fcf-protection=none -fno-strict-aliasing -MMD -MP
# Compiled as one, because QEMU looks up each block that a call or a return leads to, and forgets all of them at each
# exit: half as many are left; CPUID in a loop takes 5%, branch records 17% less.
VISOR_LINK = $(CC) $(VISOR_CFLAGS) $(VISOR_WHOLE) -nostdlib \
	-Wl,--build-id=none,-z,noexecstack,--no-warn-rwx-segments
VISOR_WHOLE := $(if $(findstring clang,$(CC)),,-flto -flto-partition=one)

# Files of one entry point only.
VISOR_PVH := emulator/visor/start/door_pvh.c emulator/visor/start/bios.c
VISOR_DOORS := $(VISOR_PVH) emulator/visor/start/door_efi.c
VISOR_SRC := $(filter-out $(VISOR_DOORS),$(call sources,emulator/visor emulator/pt,c))
VISOR_OBJ := $(VISOR_SRC:%.c=$B/%.o) $B/emulator/visor/vcpu/run.asm.o $B/emulator/visor/start/trampoline.asm.o
VISOR_PVH_OBJ := $(VISOR_OBJ) $(VISOR_PVH:%.c=$B/%.o) $B/emulator/visor/start/pvh_entry.asm.o \
	$B/emulator/visor/start/bios_stub.asm.o

all: $B/visor.elf $B/visor.efi

$B/emulator/%.o: emulator/%.c $B/flags
	$(begin)
	$(CC) $(VISOR_CFLAGS) $(VISOR_WHOLE) -c $< -o $@

$B/visor.elf: $(VISOR_PVH_OBJ) emulator/visor/visor.ld
	$(VISOR_LINK) -pie -Wl,--no-dynamic-linker,-z,max-page-size=4096,-T,emulator/visor/visor.ld -o $@ $(VISOR_PVH_OBJ)
	$(debug_apart)

# GNU-EFI brings a memset and memcpy of its own: the first ones, which are ours, win.
VISOR_EFI_OBJ := $(VISOR_OBJ) $B/emulator/visor/start/door_efi.o
VISOR_EFI_LIB := /usr/lib
$B/emulator/visor/start/door_efi.o: VISOR_CFLAGS += -fshort-wchar -DGNU_EFI_USE_MS_ABI -I/usr/include/efi \
	-I/usr/include/efi/x86_64

$B/visor.efi: $(VISOR_EFI_OBJ)
	$(VISOR_LINK) -shared -Wl,-Bsymbolic,-z,muldefs,-z,nocombreloc,-T,$(VISOR_EFI_LIB)/elf_x86_64_efi.lds \
		-L$(VISOR_EFI_LIB) $(VISOR_EFI_LIB)/crt0-efi-x86_64.o $(VISOR_EFI_OBJ) -o $B/emulator/visor/efi.so -lefi -lgnuefi
	objcopy -j .text -j .rodata -j .sdata -j .data -j .dynamic -j .dynsym -j .rel -j .rela -j .reloc \
		--target efi-app-x86_64 --subsystem=10 $B/emulator/visor/efi.so $@

-include $(VISOR_PVH_OBJ:.o=.d) $B/emulator/visor/door_efi.d
