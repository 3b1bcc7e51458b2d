#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Without a host command standard output is the console, a terminal: tests/guest/files/terminal.c says whether it is a
# right one.
. tests/e2e/lib.sh

mkdir -p "$scratch/tree/bin"
cp "$BUILD/tests/guest/terminal-musl" "$scratch/tree/bin/terminal"
(cd "$scratch/tree" && find . | cpio --quiet -o -H newc) >"$scratch/initrd.cpio"
timeout -k 5 900 qemu-system-x86_64 \
	-nodefaults -no-reboot -display none -m 128 -cpu max -kernel "$BUILD/kernel.elf" -initrd "$scratch/initrd.cpio" \
	-append "exit=debug console=com1 run=/bin/terminal" -serial "file:$scratch/console" \
	-device "$debug_exit"
is $? 1 "the machine ends by itself"
is "$(grep -c '^ok' "$scratch/console")" 10 "the terminal's ten tests pass"
is "$(grep '^not ok' "$scratch/console")" "" "nothing is wrong"
finish
