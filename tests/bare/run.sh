#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the visor's test guest and prints TAP: on every personality without x2APIC at icount shift 0, on some with it at
# shift 3; with "exact" every instruction stepped; or once, with the given options. The storm of accesses to every MSR,
# which takes longest, does not depend on the shift: it runs once a personality, and once more with x2APIC for each
# vendor, then with the ranges where no PMU has any.
# "several" runs on four processors, without icount; "idle" on two that do nothing. The HPET's comparator has 2^32 ticks
# of 10 ns at a time: in some runs (hpet=) they end a moment after the start. Usage: tests/bare/run.sh BUILD-DIRECTORY
# [exact | several | OPTIONS-OF-THE-VISOR SHIFT|multi|single|idle]

. tests/debug_exit.sh

build=$1
limit=150
failed=0
total=0
end=$((1 << 32))
second=100000000

run() { # options shift, or how QEMU's threads run four processors
	options=$1
	shift=$2
	guest="exit=debug"
	case $shift in
	multi | single)
		machine="-accel tcg,thread=$shift -smp 4 -global hpet.timers=4"
		guest="$guest processors=4"
		words=
		;;
	idle)
		machine="-accel tcg,thread=multi -smp 2"
		guest="$guest idle"
		words=
		;;
	*)
		machine="-accel tcg -icount shift=$shift,sleep=off"
		words=" icount=$shift"
		;;
	esac
	tap=$build/tests/bare/$(echo "$options $shift" | tr ' =' '--').tap
	case $options in *x2apic*) guest="$guest x2apic" ;; esac
	case "$options $shift" in
	*exact*) ;;
	*" 0" | "pmu=skylake x2apic 3" | "pmu=zen4 x2apic 3") guest="$guest storm" ;;
	esac
	# shellcheck disable=SC2086
	timeout "$limit" qemu-system-x86_64 $machine -cpu max,-x2apic -machine q35,sata=off -m 256 \
		-nodefaults -display none -no-reboot \
		-global hpet.msi=on -device "$debug_exit" \
		-serial stdio -kernel "$build/visor.elf" -initrd "$build/tests/bare/bundle.cpio" \
		-append "$options$words -- $guest" </dev/null >"$tap" 2>&1
	status=$?
	plan=$(sed -n 's/\r$//; s/^1\.\.\([0-9]*\)$/\1/p' "$tap")
	seen=$(grep -c '^ok\|^not ok' "$tap")
	total=$((total + 1))
	if [ "$status" -eq 1 ] && [ -n "$plan" ] && [ "$plan" -eq "$seen" ]; then
		echo "ok $total - visor: $options, shift $shift ($plan tests)"
	else
		echo "not ok $total - visor: $options, shift $shift (exit $status, $seen tests of ${plan:-?})"
		grep -A1 -v '^ok' "$tap" | tr -d '\r' | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

if [ $# -eq 3 ]; then
	run "$2" "$3"
elif [ "${2:-}" = several ]; then
	run "pmu=intel-v4 exact hpet=$((end - 3 * second))" idle
	for thread in multi single; do
		run "pmu=intel-v2 hpet=$((end - 2 * second))" $thread
	done
	# Stepping and the APIC make no difference for processors that run one after the other.
	run "pmu=intel-v4 exact hpet=$((end - 2 * second))" multi
	run "pmu=intel-v4 exact x2apic" multi
elif [ "${2:-}" = exact ]; then
	run "pmu=intel-v4 exact x2apic hpet=$((end - second / 20))" 3
	run "pmu=amd-core exact" 0
	run "pmu=amd-v2 exact x2apic" 3
else
	for pmu in $("$build/barepmu" run --pmu help | awk 'NR > 1 && $1 != "host" { print $1 }'); do
		run "pmu=$pmu" 0
		# The other mode of the APIC, and time, depend on the PMU only in the way that it interrupts.
		case $pmu in skylake | zen4 | none) run "pmu=$pmu x2apic" 3 ;; esac
	done
fi
echo "1..$total"
exit $((failed != 0))
