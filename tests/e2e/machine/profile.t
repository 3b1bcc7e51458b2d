#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Profiles of a boot: the guest does not see them, and stock perf reads them.
. tests/e2e/lib.sh
kernel=$BUILD/kernel.elf

# guest_state NAME [QEMU'S OPTIONS]: what a guest has done when it halts: its serial line, with its clock, in
# $scratch/NAME.serial, registers in $scratch/NAME.registers, memory in $scratch/NAME.memory.
guest_state() {
	name=$1
	shift
	(
		for second in $(seq 100); do
			grep -q 'cannot be used' "$scratch/$name.serial" 2>/dev/null && break
			sleep .2
		done
		sleep .5
		echo info registers
		echo "pmemsave 0 0x4000000 \"$scratch/$name.memory\""
		echo quit
	) | timeout -k 5 100 qemu-system-x86_64 -nodefaults -display none -no-reboot -M q35,sata=off -m 64 \
		-accel tcg,thread=single -icount shift=0,sleep=off -rtc base=2026-01-01,clock=vm \
		-cpu max,-erms,-x2apic -seed 1 -kernel "$kernel" -append "console=com1 log=debug" \
		-serial "file:$scratch/$name.serial" -monitor stdio "$@" | grep = >"$scratch/$name.registers"
}

guest_state plain
guest_state light -plugin "$BUILD/core.so,profile=$scratch/light,event=1009:1,chains=on,time=instructions,qemu=7.2"
events=event=1009:3,event=101:18,event=101:42 # cycles, mispredicted branches, L1D misses
guest_state core -plugin \
	"$BUILD/core.so,profile=$scratch/core,$events,own=on,core=skylake,time=instructions,qemu=7.2"
for name in light core; do
	for what in serial registers memory; do
		cmp "$scratch/plain.$what" "$scratch/$name.$what" >&2
		ok $? "profile ($name): the guest's $what as without it"
	done
	ok "$((! $(wc -c <"$scratch/$name") > 100000))" "profile ($name): it recorded"
done
has "$scratch/plain.registers" '^RAX=' "profile: registers were compared"
has "$scratch/plain.serial" '^\[ *[0-9.]*\] ' "profile: the serial line has the guest's clock"

barepmu boot --kernel "$kernel" --append "console=com1 log=debug exit=debug" --record "$scratch/perf.data" -g \
	-e cycles,branch-misses -c 1000 --timeout 60 --symbols "$BUILD/visor.elf@0x80200000"
has "$scratch/stderr" "^barepmu: --symbols '.*/visor.elf' is of another build, and not used: 0 of" \
	"record: symbols of another build are refused"
has "$scratch/stderr" '^barepmu: [1-9][0-9]* samples in .*/perf.data' "record: it says what it wrote"
if command -v perf >/dev/null; then
	perf report -i "$scratch/perf.data" --stdio --sort comm,dso,sym >"$scratch/report" 2>&1
	has "$scratch/report" "of event 'cycles'" "perf report: the first event"
	has "$scratch/report" "of event 'branch-misses'" "perf report: the second event"
	has "$scratch/report" '[0-9.]+%  *BIOS  *rom-[0-9a-f]* ' "perf report: phase and page of unnamed code"
	has "$scratch/report" '[0-9.]+%  *kernel  *kernel.elf  *\[\.\] log_' "perf report: functions of our kernel"
	perf script -i "$scratch/perf.data" -F comm,time,event,ip,sym >"$scratch/script" 2>&1
	has "$scratch/script" '^kernel .* (cycles|branch-misses):' "perf script: samples of the kernel"
	tr -s '\n\t ' ' ' <"$scratch/script" >"$scratch/chains"
	has "$scratch/chains" ' host_exit [0-9a-f]+ not_started [0-9a-f]+ first_start [0-9a-f]+ kernel_main ' \
		"perf script: call chains of exact callers"
else
	skip "perf is not installed: reports"
fi
finish
