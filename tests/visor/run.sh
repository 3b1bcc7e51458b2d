#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: run.sh "VISOR-OPTIONS" "WORDS"     starts the bare guest on the visor; its TAP comes from COM1.
: "${BUILD:?folder of the build}"
timeout -k 5 120 qemu-system-x86_64 -accel tcg,thread=single -cpu max,-erms,+svm -M q35 -m 128 -nodefaults -no-user-config \
	-display none -no-reboot -icount shift=0,sleep=off -global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=4 \
	-serial stdio -kernel "$BUILD/visor.elf" -initrd "$BUILD/tests/visor/bundle" -append "$1 icount=0 -- $2" </dev/null
status=$?
[ $status = 1 ] || echo "Bail out! QEMU ended with status $status" # the guest leaves by the debug-exit port with 0
