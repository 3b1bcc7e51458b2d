#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the visor's test guest and prints TAP: on every personality, with and without x2APIC, at two icount shifts; with
# "exact" every instruction stepped; or once, as told.
# "several" on four processors, without icount.
# Usage: tests/bare/run.sh BUILD-FOLDER [exact | several | OPTIONS-OF-THE-VISOR SHIFT|multi|single]

build=$1
limit=150
failed=0
total=0

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
	*)
		machine="-accel tcg -icount shift=$shift,sleep=off"
		words=" icount=$shift"
		;;
	esac
	tap=$build/tests/bare/$(echo "$options $shift" | tr ' =' '--').tap
	case $options in *x2apic*) guest="$guest x2apic" ;; esac
	# shellcheck disable=SC2086
	timeout "$limit" qemu-system-x86_64 $machine -cpu max -machine q35,sata=off -m 256 -nodefaults -display none -no-reboot \
		-global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=4 \
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
	for thread in multi single; do
		run "pmu=intel-v2" $thread
		run "pmu=intel-v4 exact" $thread
		run "pmu=intel-v4 exact x2apic" $thread
	done
elif [ "${2:-}" = exact ]; then
	run "pmu=intel-v2 exact" 0
	run "pmu=intel-v4 exact" 0
	run "pmu=intel-v4 exact x2apic" 3
	run "pmu=amd-core exact" 0
	run "pmu=amd-v2 exact" 0
else
	for shift in 0 3; do
		for pmu in none intel-v1 intel-v2 intel-v3 intel-v4 intel-v5 amd-k7 amd-core amd-v2; do
			run "pmu=$pmu" "$shift"
			run "pmu=$pmu x2apic" "$shift"
		done
	done
fi
echo "1..$total"
exit $((failed != 0))
