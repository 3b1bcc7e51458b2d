#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From the first instruction to the program: the number of instructions, the loader's messages about a bad stick, the
# kernel's messages at its end.
. tests/e2e/lib.sh
build_probe
kernel=$BUILD/kernel.elf

# Under icount an instruction takes at least one tick of the TSC: 1,080,000 here, 820,000 under the visor, and 140 more
# for each character of the working directory's path.
for pmu in none intel-v4; do
	barepmu run -v --pmu $pmu --append log=debug -- "$scratch/probe" exit 0
	is $status 0 "start with PMU $pmu: status"
	between "$(sed -n 's/.* starts \([0-9]*\) TSC ticks after our first instruction.*/\1/p' "$scratch/stderr")" \
		600000 1200000 "start with PMU $pmu: TSC ticks up to the program"
done

# No page is both written and executed, by any address, on either half.
for options in "--pmu intel-v4" "--pmu none --smp 2"; do
	# shellcheck disable=SC2086 # words
	barepmu run -v $options --append check=map -- "$scratch/probe" exit 0
	map_is_right "$options"
done

# An archive with the probe that spins forever.
mkdir -p "$scratch/root/bin" "$scratch/root/.barepmu"
cp "$scratch/probe" "$scratch/root/bin/probe"
printf 'A/bin/probe\0Aforever\0' >"$scratch/root/.barepmu/run"
(cd "$scratch/root" && find . | cpio --quiet -o -H newc) >"$scratch/initrd"

# Two unexpected NMIs and a machine check while the program runs: the kernel's last words, and QEMU's exit status (1 <<
# 1 | 1).
(
	for second in $(seq 600); do
		grep -q 'TSC ticks after' "$scratch/console" 2>/dev/null && break
		sleep 1
	done
	echo nmi
	sleep 1
	echo nmi
	sleep 1
	echo 'mce 0 9 0xbd000000000000c0 0xd 0x62000000 0x8d'
	sleep 2
) | timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -cpu max -m 64 -nodefaults -display none -no-reboot \
	-monitor stdio \
	-serial "file:$scratch/console" -serial "file:$scratch/frames" -device "$debug_exit" \
	-kernel "$kernel" -initrd "$scratch/initrd" -append "exit=debug host=com2 log=debug" >/dev/null
is $? 3 "machine check: the machine ends with a panic's status"
has "$scratch/console" '^panic: machine check in ring 3 at ' "machine check: why"
has "$scratch/console" '^rip [0-9a-f]{16} cs 33 ' "machine check: registers"
has "$scratch/console" '^rsi [0-9a-f]{16} rdi [0-9a-f]{16} rbp' "machine check: all of them"
has "$scratch/console" ' 2 NMIs, 2 of them unclaimed' "machine check: NMIs before it were counted, and did no harm"
has "$scratch/console" '^  [0-9a-f]{16}' "machine check: backtrace"
LC_ALL=C tr -cd '[:print:]' <"$scratch/frames" >"$scratch/text"
has "$scratch/text" 'BPMUX.*machine check in ring 3 at ' "machine check: the host command is told"

# The other APIC mode, which the visor offers: timers and the end of interrupts work there as well.
mkdir -p "$scratch/bundle/root"
cp "$kernel" "$scratch/bundle/kernel"
cp "$BUILD/tests/guest/traps-musl" "$scratch/bundle/root/traps"
(cd "$scratch/bundle/root" && echo traps | cpio --quiet -o -H newc >../initrd)
(cd "$scratch/bundle" && printf 'kernel\ninitrd\n' | cpio --quiet -o -H newc >../bundle.cpio)
timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -cpu max -m 128 \
	-nodefaults -display none -no-reboot -icount shift=0,sleep=off \
	-global hpet.msi=on -serial "file:$scratch/console" -device "$debug_exit" \
	-kernel "$BUILD/visor.elf" -initrd "$scratch/bundle.cpio" -append "x2apic icount=0 -- exit=debug run=/traps"
is $? 1 "x2APIC: the machine ends as told"
has "$scratch/console" 'barepmu: PVH, .* x2APIC 0' "x2APIC: in use"
has "$scratch/console" 'the program ended with status 0' "x2APIC: the program ran with its timers"

have_ovmf || {
	skip "OVMF is not installed: sticks"
	finish
	exit
}

# Three sticks, of which the firmware tries one after the other: its console goes to $scratch/console.
loader=$BUILD/BOOTX64.EFI:/EFI/BOOT/BOOTX64.EFI
tools/mkimage.sh "$scratch/stick1" "$loader"
head -c 20000 "$kernel" >"$scratch/short"
tools/mkimage.sh "$scratch/stick2" "$loader" "$scratch/short:/barepmu/kernel.elf"
printf 'exit=debug log=debug run=/bin/nothing' >"$scratch/cmdline"
objcopy --add-section .kernel="$kernel" --change-section-vma .kernel=0x1000000 \
	--add-section .initrd="$scratch/initrd" --change-section-vma .initrd=0x2000000 \
	--add-section .cmdline="$scratch/cmdline" --change-section-vma .cmdline=0x3000000 \
	"$BUILD/BOOTX64.EFI" "$scratch/one.efi"
tools/mkimage.sh "$scratch/stick3" "$scratch/one.efi:/EFI/BOOT/BOOTX64.EFI"
firmware_rom
drives=
for stick in 1 2 3; do
	drives="$drives -drive if=none,id=stick$stick,format=raw,file=$scratch/stick$stick"
	drives="$drives -device virtio-blk-pci,drive=stick$stick,bootindex=$stick"
done
: >"$scratch/console"
# shellcheck disable=SC2086 # words
timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -cpu max -m 256 -nodefaults -display none -no-reboot \
	-bios "$scratch/firmware.rom" $drives \
	-device "$debug_exit" -serial "file:$scratch/console" 2>/dev/null &
machine=$!
while kill -0 $machine 2>/dev/null && ! grep -Eaq 'TSC ticks|panic: ' "$scratch/console"; do
	sleep 0.3
done
kill $machine 2>/dev/null
wait $machine 2>/dev/null
has "$scratch/console" 'barepmu: cannot read .barepmu.kernel.elf: is the image complete' "UEFI: no kernel"
has "$scratch/console" 'barepmu: kernel.elf is damaged' "UEFI: half a kernel"
has "$scratch/console" 'barepmu: UEFI, ' "UEFI: one file with all inside"
has "$scratch/console" '/bin/probe starts [0-9]+ TSC ticks' "UEFI: the archive and the command line inside it"
finish
