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

# least FIRST --first-ends SECOND: of seven times, by turns, the least processor time of each in us, user and system.
least() {
	python3 - "$@" <<'END'
import resource, subprocess, sys

def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

middle = sys.argv.index("--first-ends")
times = {}
for _ in range(7):
    for command in sys.argv[1:middle], sys.argv[middle + 1:]:
        before = spent()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.setdefault(command[0], []).append(spent() - before)
print(*(round(min(some) * 1000000) for some in times.values()))
END
}

unset BAREPMU_CORE
# shellcheck disable=SC2046 # two numbers
set -- $(least qemu-system-x86_64 -nodefaults -display none -device isa-debug-exit,iobase=0xf4,iosize=4 \
	-kernel "$scratch/empty" --first-ends "$BAREPMU" run -- /bin/true)
echo "# an empty kernel $1 us, run -- true $2 us" >&2
# Three times; a busy host moves it by a fifth.
between "$2" 1 $((4 * $1)) "run -- true: four times an empty kernel at most"
finish
