#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The image as one EFI program: the firmware fetches it from the network (PXE: DHCP and TFTP; HTTP), or iPXE does, and
# its jobs run; results go to a disk that is prepared for them and by TFTP to a server, bit for bit. A server that
# refuses or is not there takes nothing away from the disk.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"
ipxe=/usr/lib/ipxe/qemu/efi-virtio.rom
firmware_rom
musl-gcc -static -O2 -o "$scratch/maker" tests/e2e/stick/maker.c

# A server that takes files, on a port of its choice.
mkdir "$scratch/served" "$scratch/taken" "$scratch/taken/lab"
python3 tests/e2e/stick/tftp.py "$scratch/taken" "$scratch/tftp" lose &
receiver=$!
trap 'kill $receiver; rm -rf "$scratch"' EXIT
while [ ! -s "$scratch/tftp" ]; do sleep 0.1; done
port=$(head -n 1 "$scratch/tftp")

barepmu image -o "$scratch/served/barepmu.efi" --end poweroff --upload "tftp://:$port/lab" -- \
	"$scratch/maker" /out/deep/data 600
is $status 0 "image -o FILE.efi: status"
# The header's TimeDateStamp, 8 bytes behind the signature, where the word at 60 points to: releases are reproducible.
at=$(($(od -An -tu4 -j60 -N4 "$scratch/served/barepmu.efi") + 8))
is "$(od -An -tu4 -j$at -N4 "$scratch/served/barepmu.efi" | xargs)" 0 "image -o FILE.efi: it has no date"
has "$scratch/stdout" 'an EFI program, for a network boot' "image -o FILE.efi: the summary names an EFI program"
barepmu image -o "$scratch/no.efi" --pmu intel-v4 -- work
has "$scratch/stderr" 'an EFI program brings no emulated PMU' "--pmu is refused"
for address in http://10.0.2.2 tftp://server tftp://10.0.2 tftp://10.0.2.2:0 tftp://10.0.2.2:port tftp://10.0.2.256; do
	barepmu image -o "$scratch/no.efi" --upload $address -- work
	is $status 125 "--upload $address: refused"
	has "$scratch/stderr" "^barepmu: --upload '$address': an upload goes to tftp://.SERVER" "--upload $address: and why"
done

# The program's files, made on the host for comparison.
"$scratch/maker" "$scratch/data" 600 >"$scratch/output.txt"

# A disk with nothing but an empty directory \barepmu: any FAT volume will do.
: >"$scratch/empty"
prepared=$scratch/prepared
order=
tools/mkimage.sh "$prepared" "$scratch/empty:/barepmu/here"

# machine ROM NETWORK WORD...: runs until it switches itself off. 10.0.2.100 serves files by HTTP.
machine() {
	rom=$1 network=$2
	shift 2
	rm -f "$scratch/console"
	timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max,-x2apic \
		-bios "$scratch/firmware.rom" \
		-netdev "user,id=net,$network,guestfwd=tcp:10.0.2.100:80-cmd:$server" \
		-device "virtio-net-pci,netdev=net,bootindex=1,romfile=$rom" -device virtio-rng-pci \
		-serial "file:$scratch/console" "$@" 2>/dev/null && status=0 || status=$?
}
server="python3 $PWD/tests/e2e/stick/serve.py $scratch/served $scratch/log"

# brings_home NAME ROM NETWORK WORD...
brings_home() {
	name=$1
	shift
	rm -rf "${scratch:?}/home"
	mkdir "$scratch/home"
	cp "$prepared" "$scratch/disk"
	machine "$@" -drive "if=none,id=disk,format=raw,file=$scratch/disk" -device "virtio-blk-pci,drive=disk$order"
	is "$status" 0 "$name: the machine switches itself off"
	has "$scratch/console" 'barepmu: job 1 of 1: maker ended with status 3' "$name: the job ran"
	mcopy -s -n -i "$scratch/disk@@1M" ::/barepmu/results "$scratch/home"
	results=$(dirname "$(find "$scratch/home/results" -name output.txt)")
	cmp "$scratch/output.txt" "$results/output.txt"
	ok $? "$name: its output is on the disk"
	cmp "$scratch/data" "$results/out/deep/data"
	ok $? "$name: and its file, bit for bit"
	has "$results/log.txt" 'the program ended with status 3' "$name: and the kernel's log"
}

# sent NAME: the server has the same files in one archive, and nothing else.
sent() {
	archive=$(sed -n 's/.* to tftp:.*\/lab\/\(.*\.tar\)\r*$/\1/p' "$scratch/console")
	has "$scratch/tftp" "^took lab/$archive\$" "$1: the server has taken an archive"
	rm -rf "${scratch:?}/unpacked"
	mkdir "$scratch/unpacked"
	tar -x -C "$scratch/unpacked" -f "$scratch/taken/lab/$archive" 2>"$scratch/stderr"
	is "$?$(cat "$scratch/stderr")" 0 "$1: which tar unpacks"
	# Only the disk needs the mark of a job that has begun, for a power failure.
	diff -r -x began.txt "$results" "$scratch/unpacked/${archive%.tar}"
	ok $? "$1: its files are those of the disk, bit for bit"
	now=$(date +%s)
	between "$(stat -c %Y "$scratch/unpacked/${archive%.tar}/output.txt")" $((now - 86400)) $((now + 86400)) \
		"$1: and of today"
}

brings_home PXE "" "tftp=$scratch/served,bootfile=barepmu.efi"
sent PXE

if [ -r "$ipxe" ]; then
	brings_home iPXE "$ipxe" bootfile=http://10.0.2.100/barepmu.efi
	has "$scratch/log" 'GET /barepmu.efi .* iPXE' "iPXE: by HTTP"
	sent iPXE
else
	skip "iPXE is not installed"
fi

# The firmware itself, by an address that a user has typed in its set-up: an application requests it. (It works by an
# address from DHCP as well, but then waits for PXE by IPv6 first.)
tools/mkimage.sh "$scratch/loader" "$BUILD/tests/efi/http.efi:/EFI/BOOT/BOOTX64.EFI"
brings_home HTTP "" net=10.0.2.0/24 \
	-drive "if=none,id=loader,format=raw,file=$scratch/loader" -device virtio-blk-pci,drive=loader,bootindex=0
has "$scratch/console" 'http: loaded: Success' "HTTP: the firmware has loaded it"
has "$scratch/log" 'GET /barepmu.efi .* UefiHttpBoot' "HTTP: by the firmware"
sent HTTP

# lost NAME ADDRESS WHY WORD...: what the server does not take is on the disk all the same. The firmware finds the
# program there, too, and has not used the network before.
prepared=$scratch/bootable
order=,bootindex=0
lost() {
	barepmu image --force -o "$scratch/refused.efi" --end poweroff --upload "$2" -- "$scratch/maker" /out/deep/data 600
	tools/mkimage.sh "$prepared" "$scratch/empty:/barepmu/here" "$scratch/refused.efi:/EFI/BOOT/BOOTX64.EFI"
	name=$1 said="its results could not be sent to $2/.*\.tar \($3\)"
	shift 3
	brings_home "$name" "" net=10.0.2.0/24 "$@"
	has "$scratch/console" "^barepmu: $said" "$name: one line says why"
}
lost "a server that refuses" "tftp://10.0.2.2:$port/no-such-directory" 'no such directory'
kill $receiver
wait $receiver 2>/dev/null || :
trap 'rm -rf "$scratch"' EXIT
# The firmware waits for an answer in a loop: an instruction has 32 ns, so that they are fewer.
lost "no server" "tftp://10.0.2.2:$port/lab" 'there is no server|no answer' -icount shift=5,sleep=off
finish
