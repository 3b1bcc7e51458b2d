#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Profiles of a boot: the guest does not see them, and stock perf reads them.
. tests/e2e/lib.sh
kernel=$BUILD/kernel.elf

# guest_state NAME PROCESSORS [QEMU'S OPTIONS]: what a guest has done when it halts: its serial line, with its clock, in
# $scratch/NAME.serial, all registers in $scratch/NAME.registers, memory in $scratch/NAME.memory.
guest_state() {
	name=$1 processors=$2
	shift 2
	(
		for second in $(seq 100); do
			grep -q 'cannot be used' "$scratch/$name.serial" 2>/dev/null && break
			sleep .2
		done
		sleep .5
		echo info registers -a
		echo "pmemsave 0 0x4000000 \"$scratch/$name.memory\""
		echo quit
	) | timeout -k 5 100 qemu-system-x86_64 -nodefaults -display none -no-reboot -M q35,sata=off -m 64 -smp "$processors" \
		-accel tcg,thread=single -icount shift=0,sleep=off -rtc base=2026-01-01,clock=vm \
		-cpu max,-erms,-x2apic -seed 1 -kernel "$kernel" -append "console=com1 log=debug" \
		-serial "file:$scratch/$name.serial" -monitor stdio "$@" | grep = >"$scratch/$name.registers"
}

guest_state plain 1
guest_state light 1 -plugin "$BUILD/core.so,profile=$scratch/light,event=1009:1,chains=on,time=instructions,qemu=7.2"
events=event=1009:3,event=101:18,event=101:42 # cycles, mispredicted branches, L1D misses
guest_state core 1 -plugin \
	"$BUILD/core.so,profile=$scratch/core,$events,own=on,core=skylake,time=instructions,qemu=7.2"
# Two processors take turns, as in a boot that is not recorded.
guest_state plain2 2 -plugin "$BUILD/core.so,turn=5000,qemu=7.2"
guest_state core2 2 -plugin \
	"$BUILD/core.so,profile=$scratch/core2,$events,own=on,core=skylake,turn=5000,time=instructions,qemu=7.2"
# as_without NAME PLAIN: the guest's state with a recording is that without.
as_without() {
	for what in serial registers memory; do
		cmp "$scratch/$2.$what" "$scratch/$1.$what" >&2
		ok $? "profile ($1): the guest's $what as without it"
	done
	ok "$((! $(wc -c <"$scratch/$1") > 100000))" "profile ($1): it recorded"
}
as_without light plain
as_without core plain
as_without core2 plain2
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
	has "$scratch/report" '[0-9.]+%  *BIOS-SMM  *' "perf report: SMM apart from its phase"
	perf script -i "$scratch/perf.data" -F comm,time,event,ip,sym >"$scratch/script" 2>&1
	has "$scratch/script" '^kernel .* (cycles|branch-misses):' "perf script: samples of the kernel"
	barepmu boot --kernel "$kernel" --append "console=com1 log=debug exit=debug" --record "$scratch/fp.data" \
		--call-graph fp -e cycles,branch-misses -c 1000 --timeout 60
	perf script -i "$scratch/fp.data" -F comm,time,event,ip,sym >"$scratch/script.fp" 2>&1
	for script in script script.fp; do
		tr -s '\n\t ' ' ' <"$scratch/$script" >"$scratch/chains"
		has "$scratch/chains" ' host_exit [0-9a-f]+ not_started [0-9a-f]+ first_start [0-9a-f]+ kernel_main ' \
			"perf script: call chains of exact callers, or by frame pointers ($script)"
	done
	barepmu boot --kernel "$kernel" --append "console=com1 exit=debug" --smp 2 --record "$scratch/smp.data" \
		-e cycles,instructions -c 200 --timeout 60
	perf script -i "$scratch/smp.data" -F cpu,event >"$scratch/script" 2>&1
	for processor in 0 1; do
		has "$scratch/script" "\[00$processor\]  *cycles:" "perf script: cycles of processor $processor"
		has "$scratch/script" "\[00$processor\]  *instructions:" "perf script: instructions of processor $processor"
	done
else
	skip "perf is not installed: reports"
fi
finish
