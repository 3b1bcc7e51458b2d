#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs the fuzzer's guest on the bare emulator, then under the visor: nothing counted, ring 3 counted, both rings
# counted, and every instruction stepped, with icount and without; and counted by the simulated core. Each run must have
# an equal hash for each case. Prints TAP.
# usage: tests/diff/run.sh BUILD-DIRECTORY [SECONDS [SEED]]: without SECONDS one round of a fixed seed; with them
# further seeds until then.
# tests/diff/run.sh BUILD-DIRECTORY replay NAME SEED CASE: where the states of a case part; whole in $out/NAME.bare and
# NAME.case.

. tests/debug_exit.sh

build=$1
out=$build/tests/diff
exact="-icount shift=0,sleep=off"
version=$(qemu-system-x86_64 --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
total=0
failed=0

# configure NAME: the bare emulator that it is compared with, cases, icount, words of the visor and of the guest.
configure() {
	core=()
	case $1 in
	core*) core=(-plugin "$build/core.so,core=skylake,qemu=$version") ;;
	esac
	case $1 in
	nothing) config=(plain 2000 "$exact" "pmu=intel-v4 icount=0" "") ;;
	user) config=(plain 500 "$exact" "pmu=intel-v4 icount=0" "count=user") ;;
	all) config=(plain 250 "$exact" "pmu=intel-v2 icount=0" "count=all") ;;
	sample) config=(plain 100 "$exact" "pmu=intel-v4 icount=0" "count=sample") ;;
	exact) config=(plain 100 "$exact" "pmu=intel-v4 icount=0 exact" "count=user") ;;
	precise) config=(plain-real 50 "" "pmu=intel-v4 exact" "count=user nopause") ;;
	amd) config=(plain-amd 250 "$exact" "pmu=amd-v2 icount=0" "amd count=user") ;;
	core) config=(plain 500 "$exact" "pmu=intel-v4 icount=0" "count=user") ;;
	core-sample) config=(plain 100 "$exact" "pmu=intel-v4 icount=0" "count=sample") ;;
	core-amd) config=(plain-amd 250 "$exact" "pmu=amd-v2 icount=0" "amd count=user") ;;
	amd-exact) config=(plain-amd 50 "$exact" "pmu=amd-core icount=0 exact" "amd count=all") ;;
	esac
}

# machine NAME CPU "ICOUNT" "WORDS OF THE VISOR, OR plain" "WORDS OF THE GUEST"
machine() {
	local name=$1 cpu=$2 icount=$3 visor=$4 words=$5 start
	if [ "$visor" = plain ]; then
		start=(-kernel "$out/guest.elf" -append "$words")
	else
		start=(-kernel "$build/visor.elf" -initrd "$out/bundle.cpio" -append "exit=debug $visor -- $words")
	fi
	# shellcheck disable=SC2086
	timeout -k 5 900 qemu-system-x86_64 -accel tcg,thread=single $icount -cpu "max,-erms,-x2apic,+svm$cpu" \
		-machine q35,sata=off -m 64 "${core[@]}" \
		-nodefaults -display none -no-reboot -global hpet.msi=on -device "$debug_exit" \
		-serial stdio "${start[@]}" </dev/null 2>&1 | tr -d '\r' >"$out/$name"
}

# bare KIND FILE WORDS: the bare emulator, whose stepping of REP depends on icount.
bare() {
	local core=()
	case $1 in
	plain) machine "$2" ,vendor=GenuineIntel "$exact" plain "$3" ;;
	plain-amd) machine "$2" "" "$exact" plain "$3" ;;
	plain-real) machine "$2" ,vendor=GenuineIntel "" plain "nopause $3" ;; # it forgets to trap after PAUSE
	esac
}

# replay NAME SEED CASE: the state after each instruction of one case.
replay() {
	local words="seed=$2 first=$3 cases=1 show"
	configure "$1"
	bare "${config[0]}" "$1.bare" "$words"
	machine "$1.case" "" "${config[2]}" "${config[3]}" "${config[4]} $words"
}

explain() {
	local number
	number=$(diff <(grep '^[0-9]' "$out/$2") <(grep '^[0-9]' "$out/$1") | sed -n 's/^[<>] \([0-9]*\) .*/\1/p' | head -1)
	echo "# $1 and the bare emulator differ in case ${number:-?} of seed $seed:"
	[ -n "$number" ] || { tail -5 "$out/$1" | sed 's/^/# /'; return; }
	replay "$1" "$seed" "$number"
	diff "$out/$1.bare" "$out/$1.case" | head -12 | sed 's/^/# /'
}

compare() {
	local name=$1 other cases
	configure "$name"
	other=${config[0]} cases=${config[1]}
	machine "$name" "" "${config[2]}" "${config[3]}" "${config[4]} seed=$seed cases=$cases"
	total=$((total + 1))
	if grep -q '^done' "$out/$name" && [ "$(grep -c '^[0-9]' "$out/$name")" = "$cases" ] &&
		cmp -s <(grep '^[0-9]' "$out/$other" | head -n "$cases") <(grep '^[0-9]' "$out/$name"); then
		echo "ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		grep '^# ' "$out/$name"
	else
		echo "not ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		explain "$name" "$other"
		failed=$((failed + 1))
	fi
}

round() {
	local name
	bare plain plain "seed=$seed cases=2000"
	bare plain-amd plain-amd "seed=$seed cases=500"
	bare plain-real plain-real "seed=$seed cases=50"
	for name in nothing user all sample exact precise amd amd-exact core core-sample core-amd; do
		compare $name
	done
}

if [ "${2:-}" = replay ]; then
	replay "$3" "$4" "$5"
	diff "$out/$3.bare" "$out/$3.case"
	exit
fi
end=$((SECONDS + ${2:-0}))
seed=${3:-1}
while :; do
	round
	seed=$((seed + 1))
	[ "$SECONDS" -lt "$end" ] || break
done
echo "1..$total"
exit $((failed != 0))
