#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu boot: another kernel under the emulated PMU. Here it is ours, with a console and files of its own.
. tests/e2e/lib.sh
mkdir -p "$scratch/root"
cp "$BUILD/apps/list" "$scratch/root/list"
(cd "$scratch/root" && echo list | cpio --quiet -o -H newc) >"$scratch/initrd"
words="console=com1 exit=debug run=/list"

barepmu boot --pmu intel-v4 --kernel "$BUILD/kernel.elf" --initrd "$scratch/initrd" \
	--append "$words" --timeout 900 </dev/null
is $status 0 "emulated PMU: status"
has "$scratch/stdout" 'emulated as skylake' "emulated PMU: the kernel finds it"
has "$scratch/stdout" '^PMU: skylake, emulated' "emulated PMU: so does its program"

python3 tests/e2e/programs/typist.py "$BAREPMU" boot --pmu none --kernel "$BUILD/kernel.elf" \
	--append console=com1 --% 'barepmu: no time limit' '' 'PVH' '\x1dx' >"$scratch/came" 2>&1
has "$scratch/came" 'Ctrl-\] and x leave the machine' "on a terminal it says how to leave"
has "$scratch/came" '^status 0' "on a terminal: Ctrl-] and x leave the machine"

# With a core QEMU is given no files to write: its words, while the kernel waits at its shell.
"$BAREPMU" boot --pmu intel-v4 --core skylake --kernel "$BUILD/kernel.elf" --append console=com1 --timeout 100 \
	</dev/null >"$scratch/stdout" 2>&1 &
machine=$!
tries=0
while [ $tries -lt 300 ] && ! grep -q ',core=skylake' "$scratch/words" 2>/dev/null; do
	sleep 0.1
	for child in $(cat "/proc/$machine/task/$machine/children"); do
		tr '\0' ' ' <"/proc/$child/cmdline" >"$scratch/words"
	done
	tries=$((tries + 1))
done
kill $machine
wait $machine 2>/dev/null
has "$scratch/words" ',core=skylake' "with a core: QEMU simulates it"
is "$(grep -cE 'core=[^ ]*(stats|trace|vectors)=' "$scratch/words")" 0 "with a core: no statistics, traces or vectors"

barepmu boot --pmu none --kernel "$BUILD/kernel.elf" --initrd "$scratch/initrd" \
	--append "$words" --timeout 900 </dev/null
has "$scratch/stdout" '^PMU: none' "no PMU: none is found"

barepmu boot --pmu intel-v4 --kernel "$BUILD/apps/work" --timeout 900 </dev/null
is $status 125 "a file without PVH note: status"
has "$scratch/stdout" '^visor: the kernel has neither a PVH entry' "a file without PVH note: the visor names the reason"
# A multiboot kernel in an ELF file of 32 bits.
nasm -DDEBUG_EXIT="$debug_exit_port" -f elf32 -o "$scratch/multiboot.o" tests/e2e/machine/multiboot.asm
ld -m elf_i386 -n -Ttext=0x100000 -e _start -o "$scratch/multiboot.elf" "$scratch/multiboot.o" 2>"$scratch/ld"
printf 'the module\0' >"$scratch/module"
barepmu boot --pmu intel-v4 --kernel "$scratch/multiboot.elf" --initrd "$scratch/module" \
	--append "some words" --timeout 900 </dev/null
is $status 0 "multiboot: status"
has "$scratch/stdout" "^command line: $scratch/multiboot.elf some words" \
	"multiboot: its command line, after its own name"
has "$scratch/stdout" '^module: the module' "multiboot: its module"
has "$scratch/stdout" '^counted exactly' "multiboot: its PMU"
has "$scratch/stdout" '^the BIOS knows the same memory' "multiboot: INT 12H and 15H tell of no more than that"

# An image that begins in real mode.
nasm -DDEBUG_EXIT="$debug_exit_port" -f bin -o "$scratch/setup" tests/e2e/machine/setup.asm
barepmu boot --pmu intel-v4 --kernel "$scratch/setup" --append "some words" --timeout 900 </dev/null
is $status 0 "boot protocol 2.07: status"
has "$scratch/stdout" '^some words' "boot protocol 2.07: its command line"

# Debian's kernel by UEFI: its stub is started as any other EFI program is. As a bzImage: processors.t.
linux=${BAREPMU_LINUX:-$(ls /boot/vmlinuz-* 2>/dev/null | tail -1)}
if [ -n "$linux" ] && have_ovmf; then
	barepmu boot --pmu intel-v4 --smp 2 --efi "$linux" --initrd "$scratch/initrd" --append "console=ttyS0 panic=-1" \
		--timeout 900 </dev/null
	has "$scratch/stdout" 'EFI stub: Loaded initrd' "EFI stub: its initrd"
	has "$scratch/stdout" 'smp: Brought up 1 node, 2 CPUs' "EFI stub: its processors, which the firmware had"
	has "$scratch/stdout" 'Skylake events, .* Intel PMU driver' "EFI stub: its driver accepts the PMU"
else
	skip "no Linux kernel in /boot, or no OVMF: EFI stub"
fi
finish
