#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine without UEFI: SeaBIOS starts the stick by GRUB and Multiboot2; OVMF starts the same stick.
. tests/e2e/lib.sh
[ -r /usr/lib/grub/i386-pc/boot.img ] && command -v grub-mkimage >/dev/null || skip_all "GRUB is not installed"
image=$scratch/usb.img

barepmu image --bios --end poweroff --append exit=debug -o "$image" -- spin 7
is $status 0 "image --bios: status"
sgdisk --verify "$image" >"$scratch/verify" 2>&1
has "$scratch/verify" 'No problems found' "image --bios: its partition table is right"

# machine WORD...: from the stick, until it ends; $? is QEMU's.
machine() {
	timeout -k 5 300 qemu-system-x86_64 -m 512 -nodefaults -display none -no-reboot -cpu max -vga std \
		-device isa-debug-exit,iobase=0xf4,iosize=4 -drive "if=none,id=stick,format=raw,file=$image" \
		-serial "file:$scratch/console" "$@" 2>/dev/null
}

machine -M q35 -smp 2 -device ide-hd,drive=stick
is $? 1 "SATA: the machine ends as exit=debug says"
has "$scratch/console" '^7 iterations of 2 instructions' "SATA: the program runs"
has "$scratch/console" 'barepmu: BIOS, ' "SATA: the kernel knows how it was started"
has "$scratch/console" '2 processors, 2 in use' "SATA: ACPI's tables are found"
machine -M pc -device ide-hd,drive=stick
has "$scratch/console" '^7 iterations of 2 instructions' "IDE, of 1996: the program runs"
if have_ovmf; then
	firmware_rom
	machine -M q35,sata=off -bios "$scratch/firmware.rom" -device nvme,drive=stick,serial=1
	has "$scratch/console" '^7 iterations of 2 instructions' "UEFI: the program runs"
	has "$scratch/console" 'files, .* bytes in .barepmu.results' "UEFI: its results are written"
else
	skip "OVMF is not installed" 2
fi
barepmu image --bios --pmu skylake -o "$scratch/no.img" -- spin 7
is $status 125 "image --bios --pmu: refused"
finish
