#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Several processors under the visor: a UEFI application that starts them, and Debian's kernel. If they run in parallel,
# a timer comes late and a processor stops: none of the visor's own NMIs may reach the guest.
. tests/e2e/lib.sh

# application TESTS OPTIONS...: boots the application on three processors; its TAP, of that many tests, is in
# $scratch/tap.
application() {
	expected=$1
	shift
	barepmu boot --pmu intel-v4 --smp 3 "$@" --efi "$BUILD/tests/efi/processors.efi" --timeout 900 </dev/null
	tr -d '\r' <"$scratch/stdout" >"$scratch/tap"
	is "$status" 0 "UEFI application $*: status"
	has "$scratch/tap" "^1\.\.$expected\$" "UEFI application $*: three processors"
	is "$(grep -c '^not ok' "$scratch/tap")" 0 "UEFI application $*: each counts"
}
if have_ovmf; then
	application 9 --exact
	application 12 --core skylake
else
	skip "OVMF is not installed: UEFI applications"
fi

barepmu run -v -v --smp 2 --memory 128 -- "$BUILD/tests/fuzz/state" 2 2 200
nmis=$(sed -n 's/.* interrupts, \([0-9]*\) NMIs.*/\1/p' "$scratch/stderr")
[ "${nmis:-0}" -ge 10 ]
ok $? "random events on two processors: their counters overflow"
is "$(grep -h "nobody's" "$scratch/stdout" "$scratch/stderr")" "" \
	"random events on two processors: no NMI without a cause"

# QEMU reports a breakpoint's last hit again at each trap of a step: a counter beside it must not make that an endless
# loop.
for option in "--smp 2" --exact; do
	# shellcheck disable=SC2086 # words
	barepmu run --pmu intel-v4 $option -- "$BUILD/tests/guest/perf_breakpoint-musl"
	is "$status" 0 "breakpoints beside a counter, $option"
done

linux=${BAREPMU_LINUX:-$(ls /boot/vmlinuz-* 2>/dev/null | tail -1)}
if [ -n "$linux" ]; then
	barepmu boot --pmu intel-v4 --smp 4 --kernel "$linux" --append "console=ttyS0 panic=-1 some.word $linux_words" \
		--timeout 900 </dev/null
	has "$scratch/stdout" 'Command line: console=ttyS0 panic=-1 some.word' \
		"a bzImage, unpacked by its own code, has its command line"
	has "$scratch/stdout" 'smp: Brought up 1 node, 4 CPUs' "Debian's kernel starts four processors"
	has "$scratch/stdout" 'Skylake events, .* Intel PMU driver' "Debian's kernel drives four processors' PMUs"
else
	skip "no Linux kernel in /boot"
fi
finish
