#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a bootable disk image (GPT, one FAT32 EFI system partition) without being root.
# usage: mkimage.sh IMAGE HOSTFILE:PATH...     PATH is the file's place in the image, as /EFI/BOOT/BOOTX64.EFI
# SECTOR=4096 in the environment: for a disk with sectors of that size, on which firmware finds no other image.
# BIOS=1: machines without UEFI start the image, too, by GRUB (Debian: grub-pc-bin, grub-common) and its /boot/grub.cfg.
# With SOURCE_DATE_EPOCH in the environment (reproducible-builds.org) equal files make equal images: mtools takes the
# time from it, and the GUIDs are made from the files.
set -eu

MIB=1048576
PARTITION_START=1	# MiB: where partition tools put the first one
SPARE=$((8 + ${ROOM:-0}))	# MiB: file system structures, the backup GPT after the partition, and requested room
SECTOR=${SECTOR:-512}
SMALLEST=$((SECTOR * 40 / 512))	# MiB: below 65525 clusters it would not be FAT32

die() {
	echo "mkimage: $*" >&2
	exit 1
}

[ $# -ge 2 ] || die "usage: mkimage.sh IMAGE HOSTFILE:PATH..."
for tool in sgdisk mformat mmd mcopy; do
	command -v "$tool" >/dev/null || die "$tool is missing: install gdisk and mtools"
done
image=$1
shift

# part COMMAND...: a part of the image; the tools say much when there is no room, we one line.
part() {
	("$@") >"$said" 2>&1 && return
	room=$(df --output=avail -B $MIB "$(dirname "$image")" | tail -1)
	[ "$room" -gt 0 ] || die "cannot write '$image': No space left on device"
	die "cannot write '$image': $(head -1 "$said")"
}

bytes=0
for pair in "$@"; do
	file=${pair%:*}
	[ -r "$file" ] || die "cannot read $file"
	bytes=$((bytes + $(stat -L -c %s "$file")))
done
size=$((bytes / MIB + SPARE))
[ "$size" -ge "$SMALLEST" ] || size=$SMALLEST

# The image appears under its name when it is whole.
[ ! -e "$image" ] || [ -f "$image" ] || die "$image is no regular file"
new=$image.new.$$
said=$(mktemp)
trap 'rm -f "$new" "$said" "$said".*' EXIT
[ -z "${SOURCE_DATE_EPOCH:-}" ] || for pair in "$@"; do sha256sum <"${pair%:*}"; done >"$said.files"

# identifier NAME: of 32 hexadecimal digits, made from the files and the name.
identifier() {
	(cat "$said.files" && echo "$1") | sha256sum | cut -c -32
}

# guid NAME: random, or the identifier.
guid() {
	if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
		identifier "$1" | sed -E 's/^(.{8})(.{4})(.{4})(.{4})/\1-\2-\3-\4-/'
	else
		echo R
	fi
}

# little BYTES NUMBER: the number as that many bytes, the lowest first.
little() {
	rest=$2
	for _ in $(seq "$1"); do
		printf '%b' "\\0$(printf %03o $((rest & 255)))"
		rest=$((rest >> 8))
	done
}

# zeros BYTES
zeros() {
	head -c "$1" /dev/zero
}

# guid_bytes GUID: as partition tables have it, the first three parts with the lowest byte first. R: a random one.
guid_bytes() {
	digits=$(echo "$1" | tr -d -)
	[ "$1" != R ] || digits=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
	for at in 7 5 3 1 11 9 15 13 17 19 21 23 25 27 29 31; do
		little 1 $((0x$(echo "$digits" | cut -c $at-$((at + 1)))))
	done
}

# crc: the CRC-32 of the input, as gzip appends it.
crc() {
	gzip -c1 | tail -c 8 | head -c 4
}

# UEFI specification 2.10, 5.3.3: entries of one partition, and a header that is at LBA $1, its copy at LBA $2, its
# entries at LBA $3.
table_entries() {
	guid_bytes C12A7328-F81F-11D2-BA4B-00A0C93EC93B # an EFI system partition
	guid_bytes "$(guid partition)"
	little 8 $((PARTITION_START * MIB / SECTOR))
	little 8 $(((PARTITION_START + size) * MIB / SECTOR - 1))
	zeros 8
	echo barepmu | tr -d '\n' | sed 's/./&\n/g' | while read -r letter; do printf '%s\0' "$letter"; done
	zeros $((128 * 128 - 56 - 14))
}
table_header() {
	printf 'EFI PART'
	little 4 $((0x10000))
	little 4 92
	cat "$4"
	little 4 0
	little 8 "$1"
	little 8 "$2"
	little 8 $((2 + 16384 / SECTOR))
	little 8 $((sectors - 2 - 16384 / SECTOR))
	cat "$said.disk"
	little 8 "$3"
	little 4 128
	little 4 128
	crc <"$said.entries"
}

# at LBA: puts the input there.
at_sector() {
	dd of="$new" bs="$SECTOR" seek="$1" conv=notrunc status=none
}

# write_header LBA COPY ENTRIES: of the header its own CRC is over it with zeros in place of the CRC.
write_header() {
	zeros 4 >"$said.crc"
	table_header "$1" "$2" "$3" "$said.crc" | crc >"$said.new"
	table_header "$1" "$2" "$3" "$said.new" | at_sector "$1"
	at_sector "$3" <"$said.entries"
}

# sgdisk knows a file's sectors of 512 bytes only.
write_table() {
	sectors=$(((size + PARTITION_START + 1) * MIB / SECTOR))
	guid_bytes "$(guid disk)" >"$said.disk"
	table_entries >"$said.entries"
	(zeros 446; printf '\0\0\2\0\356\377\377\377'; little 4 1; little 4 $((sectors - 1)); zeros 48; printf '\125\252') |
		at_sector 0
	write_header 1 $((sectors - 1)) 2
	write_header $((sectors - 1)) 1 $((sectors - 1 - 16384 / SECTOR))
}

part truncate -s $(((size + PARTITION_START + 1) * MIB)) "$new"
if [ "$SECTOR" = 512 ]; then
	part sgdisk --clear --disk-guid="$(guid disk)" --new=1:${PARTITION_START}M:+${size}M --typecode=1:EF00 \
		--change-name=1:barepmu --partition-guid=1:"$(guid partition)" "$new"
else
	part write_table
fi
volume=$new@@${PARTITION_START}M
serial=
[ -z "${SOURCE_DATE_EPOCH:-}" ] || serial="-N $(identifier volume | cut -c -8)"
# shellcheck disable=SC2086 # two words or none
part mformat -i "$volume" -F -c 1 -S $((SECTOR == 512 ? 2 : 5)) -T $((size * MIB / SECTOR)) $serial -v BAREPMU ::

# GRUB's boot.img is the first sector, which loads the sectors from CORE_LBA on, a partition of their own: GRUB's
# boot/i386/pc/boot.S (kernel_sector at 5CH) and diskboot.S (list of sectors, 12 bytes before the end of its sector).
CORE_LBA=34
GRUB=/usr/lib/grub/i386-pc
bytes_at() {
	dd of="$new" bs=1 seek="$1" conv=notrunc status=none
}
write_grub() {
	[ "$SECTOR" = 512 ] || die "machines without UEFI want sectors of 512 bytes"
	sgdisk --set-alignment=1 --new=2:$CORE_LBA:$((PARTITION_START * MIB / 512 - 1)) --typecode=2:EF02 \
		--partition-guid=2:"$(guid grub)" "$new"
	grub-mkimage -O i386-pc -o "$said.core" -p '(,gpt1)/boot' biosdisk part_gpt fat multiboot2 normal configfile \
		serial terminal all_video echo test
	head -c 440 $GRUB/boot.img | bytes_at 0
	little 8 $CORE_LBA | bytes_at $((0x5c))
	bytes_at $((CORE_LBA * 512)) <"$said.core"
	little 8 $((CORE_LBA + 1)) | bytes_at $(((CORE_LBA + 1) * 512 - 12))
}
if [ -n "${BIOS:-}" ]; then
	[ -r $GRUB/boot.img ] && command -v grub-mkimage >/dev/null ||
		die "GRUB is missing: install grub-pc-bin and grub-common"
	part write_grub
fi

# Makes the directories above the path $1, outermost first; existing ones are fine.
make_directories() {
	[ -n "${1%/*}" ] || return 0
	make_directories "${1%/*}"
	mmd -D s -i "$volume" "::${1%/*}" >/dev/null 2>&1 || true
}

for pair in "$@"; do
	path=${pair##*:}
	make_directories "$path"
	part mcopy -o -i "$volume" "${pair%:*}" "::$path"
done
mv "$new" "$image"
