#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Secure boot, as docs/stick.md describes it: OVMF's secure-boot build refuses a stick, and starts it when the loader is
# signed with a key that the firmware knows (Debian's snake-oil key).
. tests/e2e/lib.sh
code=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
keys=/usr/share/ovmf/PkKek-1-snakeoil
[ -r $code ] && [ -r $keys.key ] || skip_all "OVMF's secure-boot build is not installed"
command -v sbsign >/dev/null || skip_all "sbsigntool is not installed"
image=$scratch/usb.img
part=$image@@1M

# machine: starts it from the stick, with the snake-oil key as the firmware's.
machine() {
	cp /usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd "$scratch/variables"
	: >"$scratch/console"
	timeout -k 5 300 qemu-system-x86_64 -M q35,smm=on,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max \
		-global driver=cfi.pflash01,property=secure,value=on \
		-drive if=pflash,format=raw,unit=0,readonly=on,file=$code \
		-drive if=pflash,format=raw,unit=1,file="$scratch/variables" \
		-drive if=none,id=stick,format=raw,cache=unsafe,file="$image" -device nvme,drive=stick,serial=1 \
		-serial "file:$scratch/console" 2>/dev/null &
	machine=$!
}

barepmu image -o "$image" --end poweroff -- spin 5
is $status 0 "image: status"
machine
for fifth in $(seq 1400); do
	grep -aq 'Access Denied' "$scratch/console" && break
	sleep 0.2
done
kill $machine 2>/dev/null
wait $machine 2>/dev/null
has "$scratch/console" 'failed to load .*Access Denied' "unsigned: the firmware refuses it"
is "$(grep -ac '^barepmu' "$scratch/console")" 0 "unsigned: nothing of ours runs"

openssl rsa -in $keys.key -passin pass:snakeoil -out "$scratch/key" 2>/dev/null
mcopy -n -i "$part" ::/EFI/BOOT/BOOTX64.EFI "$scratch/loader"
sbsign --key "$scratch/key" --cert $keys.pem --output "$scratch/signed" "$scratch/loader" >"$scratch/said" 2>&1
is $? 0 "sbsign signs the loader"
mcopy -o -i "$part" "$scratch/signed" ::/EFI/BOOT/BOOTX64.EFI
machine
wait $machine
is $? 0 "signed: the machine switches itself off"
has "$scratch/console" '^5 iterations of 2 instructions' "signed: the job runs"
has "$scratch/console" 'files, .* bytes in .barepmu.results' "signed: its results are written"
finish
