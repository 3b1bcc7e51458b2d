#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A recorded boot of another firmware and a disk: phases by POST code, by the guest's own mark, by text at the debug
# port; functions of a directory of symbol files. One boot.
. tests/e2e/lib.sh
bios=/usr/share/seabios/bios-256k.bin
[ -r $bios ] || skip_all "SeaBIOS is not installed"
command -v nasm >/dev/null || skip_all "nasm is not installed"

mkdir "$scratch/symbols"
nasm -f elf32 -o "$scratch/sector.o" tests/e2e/machine/sector.asm &&
	ld -m elf_i386 -Ttext 0x7c00 --oformat elf32-i386 -o "$scratch/symbols/sector" "$scratch/sector.o" &&
	objcopy -O binary -j .text "$scratch/symbols/sector" "$scratch/disk.img"
is "$? $(wc -c <"$scratch/disk.img")" "0 512" "the boot sector is built"
truncate -s 1M "$scratch/disk.img"
echo "no symbols" >"$scratch/symbols/notes.txt"

barepmu boot --bios $bios --disk "$scratch/disk.img" --debug-port --symbols "$scratch/symbols" -e instructions --stat \
	--json "$scratch/boot.json" --mark posted=post:0x42 --mark "boot=text:Booting from Hard Disk" \
	--until "text:sector: done" --timeout 60
is $status 0 "text at the debug port ends the boot"
has "$scratch/stderr" '^ boot  *[0-9.]*  *[0-9,]* ' "--debug-port: SeaBIOS's log begins a phase"
has "$scratch/stderr" '^ posted  *[0-9.]*  *[0-9,]* ' "a POST code begins a phase"
has "$scratch/stderr" '^ mark 7  *[0-9.]*  *200,[0-9]* ' "the guest's own mark begins a phase"
has "$scratch/stderr" '^ turns  *202,00[0-9] .* sector$' "--symbols DIRECTORY: a function of the boot sector"
has "$scratch/stderr" '^ rom-[0-9a-f]*  *[0-9,]*  *[0-9.]*% .* BIOS' "--bios: pages of the firmware"
has "$scratch/boot.json" "\"phase\" : \"boot loader\", \"ns\"" "--disk: its sector is the boot loader"
is "$(head -c 3 "$scratch/disk.img" | od -An -tx1 | xargs)" "fa 31 c0" "--disk: the image is as before"
barepmu boot --bios "$scratch/none.bin" --stat -e instructions
is $status 125 "--bios: a missing file"
one_line "--bios: a missing file"
finish
