# SPDX-License-Identifier: BSD-2-Clause
# The UEFI loader, with GNU-EFI.

EFI_LIB ?= /usr/lib
EFI_CFLAGS := -std=gnu11 -ffreestanding -fshort-wchar -fpic -O2 -g $(WARN) -I. -I/usr/include/efi \
	-I/usr/include/efi/x86_64 \
	-DGNU_EFI_USE_MS_ABI -mno-red-zone -fno-stack-protector -fno-strict-aliasing -fcf-protection=none -MMD -MP
EFI_LDFLAGS := -nostdlib -shared -Bsymbolic -znocombreloc -T $(EFI_LIB)/elf_x86_64_efi.lds -L$(EFI_LIB)
EFI_OBJCOPY := objcopy -j .text -j .rodata -j .sdata -j .data -j .dynamic -j .dynsym -j .rel -j .rela -j .reloc \
	--target efi-app-x86_64 --subsystem=10

UEFI_SRC := $(wildcard boot/uefi*.c boot/uefi/*.c)
UEFI_OBJ := $(UEFI_SRC:%.c=$B/%.o) $B/boot/uefi_enter.asm.o $B/boot/uefi/visit.asm.o \
	$B/boot/uefi/pmi_entry.asm.o

all: $B/BOOTX64.EFI

$(UEFI_SRC:%.c=$B/%.o): $B/%.o: %.c $B/flags
	$(begin)
	$(CC) $(EFI_CFLAGS) -c $< -o $@

$B/BOOTX64.EFI: $(UEFI_OBJ)
	ld $(EFI_LDFLAGS) $(EFI_LIB)/crt0-efi-x86_64.o $(UEFI_OBJ) -o $B/boot/uefi.so -lefi -lgnuefi
	$(EFI_OBJCOPY) $B/boot/uefi.so $@

-include $(UEFI_OBJ:.o=.d)
