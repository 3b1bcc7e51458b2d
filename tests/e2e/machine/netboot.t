#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The image as one EFI program: the firmware fetches it from the network (PXE: DHCP and TFTP) and its jobs run; results
# go to a disk that is prepared for them, else to the console alone.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"

mkdir "$scratch/tftp"
barepmu image -o "$scratch/tftp/barepmu.efi" --end poweroff -- stat -e task-clock -- work 3
is $status 0 "image -o FILE.efi: status"
has "$scratch/stdout" 'an EFI program, for a network boot' "it says what it wrote"
barepmu image -o "$scratch/no.efi" --pmu intel-v4 -- work
has "$scratch/stderr" 'an EFI program brings no emulated PMU' "--pmu is refused"

# A disk with nothing but an empty folder \barepmu: any FAT volume will do.
: >"$scratch/empty"
tools/mkimage.sh "$scratch/disk" "$scratch/empty:/barepmu/here"

# boot WORD...: from the network, until it switches itself off.
boot() {
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$scratch/vars.fd"
	timeout -k 5 900 qemu-system-x86_64 -M q35 -m 512 -nodefaults -display none -no-reboot -cpu max \
		-drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
		-drive if=pflash,unit=1,format=raw,file="$scratch/vars.fd" \
		-netdev "user,id=net,tftp=$scratch/tftp,bootfile=barepmu.efi" \
		-device virtio-net-pci,netdev=net,bootindex=1,romfile= -device virtio-rng-pci \
		-serial "file:$scratch/console" "$@" 2>/dev/null && status=0 || status=$?
}

boot -drive "if=none,id=disk,format=raw,file=$scratch/disk" -device virtio-blk-pci,drive=disk
is "$status" 0 "PXE: the machine switches itself off"
has "$scratch/console" 'barepmu: job 1 of 1: stat ended with status 0' "PXE: the job ran"
mkdir "$scratch/home"
mcopy -s -n -i "$scratch/disk@@1M" ::/barepmu/results "$scratch/home"
output=$(find "$scratch/home/results" -name output.txt)
has "$output" '^ +[0-9.,]+ msec task-clock' "PXE: its output is on the disk"
has "$(dirname "$output")/log.txt" 'the program ended with status 0' "PXE: and the kernel's log"
finish
