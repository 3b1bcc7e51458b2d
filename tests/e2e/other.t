#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu boot: another kernel under the emulated PMU. Here it is ours, with a console and files of its own.
. tests/e2e/lib.sh
mkdir -p "$scratch/root"
cp "$BUILD/apps/list" "$scratch/root/list"
(cd "$scratch/root" && echo list | cpio --quiet -o -H newc) >"$scratch/initrd"
words="console=com1 exit=debug run=/list"

barepmu boot --pmu intel-v4 --kernel "$BUILD/kernel.elf" --initrd "$scratch/initrd" --append "$words" --timeout 60 </dev/null
is $status 0 "emulated PMU: status"
has "$scratch/stdout" 'emulated as intel-v4' "emulated PMU: the kernel finds it"
has "$scratch/stdout" '^PMU: intel-v4, emulated' "emulated PMU: so does its program"

barepmu boot --pmu none --kernel "$BUILD/kernel.elf" --initrd "$scratch/initrd" --append "$words" --timeout 60 </dev/null
has "$scratch/stdout" '^PMU: none' "no PMU: none is found"

barepmu boot --pmu intel-v4 --kernel "$BUILD/apps/work" --timeout 8 </dev/null
is $status 124 "a file without PVH note: stopped by the time limit"
has "$scratch/stdout" '^visor: the kernel has no PVH entry' "and said why"
finish
