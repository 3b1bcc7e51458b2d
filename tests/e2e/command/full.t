#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A full disk: one line that names the file, status 125, for whatever the command writes.
. tests/e2e/lib.sh
unshare -rm true 2>/dev/null || skip_all "no name space of one's own for a small disk"
BAREPMU=$(readlink -f "$BAREPMU")
disk=$scratch/disk
mkdir "$disk"
"$BAREPMU" record -g -c 1000 -o "$scratch/perf.data" -- work 20 >/dev/null 2>&1

# on_full_disk FILE COMMAND...: on a disk of 64 KiB; the line of record's application about its samples is no error.
on_full_disk() {
	file=$1
	shift
	status=0
	unshare -rm sh -c 'mount -t tmpfs -o size=64k disk "$1" && cd "$1" || exit
		head -c 61440 /dev/zero >taken
		shift
		exec "$@"' sh "$disk" "$BAREPMU" "$@" >"$scratch/stdout" 2>"$scratch/all" || status=$?
	grep -v '^\[ barepmu record: ' "$scratch/all" >"$scratch/stderr"
	is $status 125 "$*: status"
	one_line "$*"
	has "$scratch/stderr" "cannot write '$file': No space left on device\$" "$*: names it"
}
big='head -c 300000 /dev/zero'
on_full_disk perf.data record -c 1000 -- work 20
on_full_disk out/one run -- /bin/sh -c "$big >/out/one; $big >/out/other"
on_full_disk "$disk/x" run --share "$disk:rw" -- /bin/sh -c "$big >'$disk/x'"
on_full_disk flame.svg report --flame flame.svg "$scratch/perf.data"
on_full_disk page.html report --html page.html "$scratch/perf.data"
on_full_disk plot.svg bench --range X=1..200 --asm 'times X nop' --unroll 1 --runs 2 --plot plot.svg
on_full_disk usb.img image -o usb.img -- work
finish
