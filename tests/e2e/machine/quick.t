#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A run begins quickly: its processor time beside that of a kernel that does nothing, in the same QEMU.
. tests/e2e/lib.sh
command -v python3 >/dev/null || skip_all "python3 is not installed"

cat >"$scratch/empty.asm" <<'END'
bits 32
section .text
	dd	0x1badb002, 0, -0x1badb002	; multiboot
global _start
_start:	mov	dx, 0xf4
	xor	eax, eax
	out	dx, al				; isa-debug-exit
	hlt
END
nasm -felf32 -o "$scratch/empty.o" "$scratch/empty.asm"
ld -m elf_i386 -N -Ttext 0x100000 -o "$scratch/empty" "$scratch/empty.o" 2>/dev/null

# least COMMAND...: of seven times, the least processor time in ms, user and system.
least() {
	python3 - "$@" <<'END'
import os, subprocess, sys
times = []
for _ in range(7):
    before = os.times()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    times.append(sum(after[2:4]) - sum(before[2:4]))
print(round(min(times) * 1000))
END
}

unset BAREPMU_CORE
empty=$(least qemu-system-x86_64 -nodefaults -display none -device isa-debug-exit,iobase=0xf4,iosize=4 \
	-kernel "$scratch/empty")
run=$(least "$BAREPMU" run -- /bin/true)
echo "# an empty kernel $empty ms, run -- true $run ms" >&2
between "$run" 1 $((7 * empty)) "run -- true: seven times an empty kernel at most"
finish
