#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The UEFI entry: the image through OVMF, and the disk image for a USB stick. Counting programs under the visor there:
# cells/matrix-*-ovmf.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"

barepmu run -v --firmware ovmf --pmu none --append check=map -- /bin/sh -c \
	'spin 5 && head -c 3 /sys/firmware/dmi/tables/smbios_entry_point'
is $status 0 "OVMF without visor: status"
is "$(cat "$scratch/stdout")" "5 iterations of 2 instructions
_SM" "OVMF without visor: output, and the SMBIOS tables that the firmware names"
map_is_right "OVMF without visor"

barepmu image -o "$scratch/usb.img"
is $status 0 "image: status"
sgdisk --verify "$scratch/usb.img" >"$scratch/verify" 2>&1
has "$scratch/verify" 'No problems found' "image: its partition table is right"
firmware_rom
timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max \
	-bios "$scratch/firmware.rom" \
	-drive if=none,id=usb,format=raw,file="$scratch/usb.img" \
	-device qemu-xhci -device usb-storage,drive=usb \
	-serial "file:$scratch/console" 2>/dev/null &
machine=$!
for fifth in $(seq 4000); do
	grep -q 'hardware, .* software events' "$scratch/console" 2>/dev/null && break
	sleep 0.2
done
kill $machine 2>/dev/null
wait $machine 2>/dev/null
has "$scratch/console" '[0-9.]+% .* heavy' "image: boots from a USB stick and prints the demonstration's profile"

# A disk with sectors of 4,096 bytes; and equal files make equal images.
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
barepmu image --sector 4096 --end poweroff -o "$scratch/large.img" -- spin 5
sleep 1
barepmu image --sector 4096 --end poweroff -o "$scratch/again.img" -- spin 5
cmp -s "$scratch/large.img" "$scratch/again.img"
is $? 0 "SOURCE_DATE_EPOCH: two images are equal"
rm "$scratch/again.img"
unset SOURCE_DATE_EPOCH
timeout -k 5 300 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max \
	-bios "$scratch/firmware.rom" -drive if=none,id=large,format=raw,file="$scratch/large.img" \
	-device nvme,drive=large,serial=1,logical_block_size=4096,physical_block_size=4096 \
	-serial "file:$scratch/console" 2>/dev/null
is $? 0 "sectors of 4,096 bytes: the machine switches itself off"
has "$scratch/console" '^5 iterations of 2 instructions' "sectors of 4,096 bytes: the job runs"
has "$scratch/console" 'files, .* bytes in .barepmu.results' "sectors of 4,096 bytes: its results are written"

# The visor without the HPET's messages: OVMF's console, which is also this serial line, shows the reason.
barepmu image --pmu skylake -o "$scratch/visor.img" -- spin 5
timeout -k 5 300 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max \
	-bios "$scratch/firmware.rom" -drive if=none,id=visor,format=raw,file="$scratch/visor.img" \
	-device nvme,drive=visor,serial=1 -serial "file:$scratch/console" 2>/dev/null &
machine=$!
for fifth in $(seq 1400); do
	[ "$(grep -ac 'visor: the HPET sends no messages' "$scratch/console")" != 2 ] || break
	sleep 0.2
done
kill $machine 2>/dev/null
wait $machine 2>/dev/null
is "$(grep -ac 'visor: the HPET sends no messages: start QEMU with -global hpet.msi=on' "$scratch/console")" 2 \
	"no messages of the HPET: serial line and console have the reason"

# A program that returns: the firmware continues with its other boot options, under the visor.
"$BAREPMU" boot --pmu intel-v4 --efi "$BUILD/tests/efi/returns.efi" --timeout 900 </dev/null >"$scratch/console" 2>&1 &
machine=$!
for fifth in $(seq 4000); do
	grep -q 'Interactive Shell' "$scratch/console" && break
	sleep 0.2
done
kill $machine 2>/dev/null
wait $machine 2>/dev/null
has "$scratch/console" 'returning' "a program that returns: it ran"
has "$scratch/console" 'Interactive Shell' "a program that returns: the firmware continues with its shell"
finish
