# SPDX-License-Identifier: BSD-2-Clause
# UEFI applications that the end-to-end tests boot under the visor.

EFI_TESTS := $(patsubst tests/efi/%.c,$B/tests/efi/%.efi,$(wildcard tests/efi/*.c))
EFI_TEST_CFLAGS := -std=gnu11 -ffreestanding -O2 $(WARN) -I. -fpic -mno-red-zone -mgeneral-regs-only \
	-fno-stack-protector \
	-fcf-protection=none -fshort-wchar -DGNU_EFI_USE_MS_ABI -I/usr/include/efi -I/usr/include/efi/x86_64 -MMD -MP

tests: $(EFI_TESTS)

$B/tests/efi/%.o: tests/efi/%.c $B/flags
	$(begin)
	$(CC) $(EFI_TEST_CFLAGS) -c $< -o $@

$B/tests/efi/%.efi: $B/tests/efi/%.o
	$(LD) -nostdlib -shared -Bsymbolic -z nocombreloc -z noexecstack --no-warn-rwx-segments -T \
		/usr/lib/elf_x86_64_efi.lds \
		-L/usr/lib /usr/lib/crt0-efi-x86_64.o $< -o $(@:.efi=.so) -lefi -lgnuefi
	objcopy -j .text -j .rodata -j .sdata -j .data -j .dynamic -j .dynsym -j .rel -j .rela -j .reloc \
		--target efi-app-x86_64 --subsystem=10 $(@:.efi=.so) $@

-include $(EFI_TESTS:.efi=.d)
