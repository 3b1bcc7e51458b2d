#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A run begins quickly: its processor time is at most three times that of a kernel that does nothing, in the same QEMU.
. tests/e2e/lib.sh
command -v python3 >/dev/null || skip_all "python3 is not installed"

cat >"$scratch/empty.asm" <<'END'
bits 32
section .text
	dd	0x1badb002, 0, -0x1badb002	; multiboot
global _start
_start:	mov	dx, DEBUG_EXIT
	xor	eax, eax
	out	dx, al
	hlt
END
nasm -DDEBUG_EXIT="$debug_exit_port" -felf32 -o "$scratch/empty.o" "$scratch/empty.asm"
ld -m elf_i386 -N -Ttext 0x100000 -o "$scratch/empty" "$scratch/empty.o" 2>/dev/null

# least FIRST --first-ends SECOND: by turns, the least processor time of each in us, user and system. Other work on the
# host only adds to both: seven times, and up to sixty until three times the first's least is not below the second's.
least() {
	python3 - "$@" <<'END'
import resource, subprocess, sys

def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

middle = sys.argv.index("--first-ends")
best = [1e9, 1e9]
for turn in range(60):
    if turn >= 7 and best[1] <= 3 * best[0]:
        break
    for which, command in enumerate((sys.argv[1:middle], sys.argv[middle + 1:])):
        before = spent()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best[which] = min(best[which], spent() - before)
print(*(round(some * 1000000) for some in best))
END
}

unset BAREPMU_CORE
# shellcheck disable=SC2046 # two numbers
set -- $(least qemu-system-x86_64 -nodefaults -display none -device "$debug_exit" \
	-kernel "$scratch/empty" --first-ends "$BAREPMU" run -- /bin/true)
echo "# an empty kernel $1 us, run -- true $2 us" >&2
between "$2" 1 $((3 * $1)) "run -- true: three times an empty kernel at most"
finish
