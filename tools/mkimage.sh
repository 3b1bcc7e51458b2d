#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a bootable disk image (GPT, one FAT32 EFI system partition) without being root.
# usage: mkimage.sh IMAGE HOSTFILE:PATH...     PATH is the file's place in the image, as /EFI/BOOT/BOOTX64.EFI
# With SOURCE_DATE_EPOCH in the environment (reproducible-builds.org) equal files make equal images: mtools takes the
# time from it, and the GUIDs are made from the files.
set -eu

MIB=1048576
PARTITION_START=1	# MiB: where partition tools put the first one
SPARE=$((8 + ${ROOM:-0}))	# MiB: file system structures, the backup GPT after the partition, and requested room
SMALLEST=40		# MiB: below 65525 clusters it would not be FAT32

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
trap 'rm -f "$new" "$said" "$said.files"' EXIT
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

part truncate -s $(((size + PARTITION_START + 1) * MIB)) "$new"
part sgdisk --clear --disk-guid="$(guid disk)" --new=1:${PARTITION_START}M:+${size}M --typecode=1:EF00 \
	--change-name=1:barepmu --partition-guid=1:"$(guid partition)" "$new"
volume=$new@@${PARTITION_START}M
serial=
[ -z "${SOURCE_DATE_EPOCH:-}" ] || serial="-N $(identifier volume | cut -c -8)"
# shellcheck disable=SC2086 # two words or none
part mformat -i "$volume" -F -c 1 -T $((size * MIB / 512)) $serial -v BAREPMU ::

# Makes the folders above the path $1, outermost first; existing ones are fine.
make_folders() {
	[ -n "${1%/*}" ] || return 0
	make_folders "${1%/*}"
	mmd -D s -i "$volume" "::${1%/*}" >/dev/null 2>&1 || true
}

for pair in "$@"; do
	path=${pair##*:}
	make_folders "$path"
	part mcopy -o -i "$volume" "${pair%:*}" "::$path"
done
mv "$new" "$image"
