#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fuzzer's guest on the bare emulator, then under the visor: nothing counted, ring 3 counted (the rings told apart), both
# counted, and every instruction stepped, with icount and without. Each must tell the same of each case. Prints TAP.
# usage: tests/diff/run.sh BUILD-FOLDER [SECONDS [SEED]]: without SECONDS one round of the same seed; with them further seeds until
# then.

build=$1
seconds=${2:-0}
seed=${3:-1}
out=$build/tests/diff
end=$((SECONDS + seconds))
exact="-icount shift=0,sleep=off"
total=0
failed=0

# machine NAME CPU "ICOUNT" "WORDS OF THE VISOR, OR plain" "WORDS OF THE GUEST"
machine() {
	local name=$1 cpu=$2 icount=$3 visor=$4 words=$5 start
	if [ "$visor" = plain ]; then
		start=(-kernel "$out/guest.elf" -append "$words")
	else
		start=(-kernel "$build/visor.elf" -initrd "$out/bundle.cpio" -append "exit=debug $visor -- $words")
	fi
	# shellcheck disable=SC2086
	timeout 120 qemu-system-x86_64 -accel tcg,thread=single $icount -cpu "max,-erms,+svm$cpu" -machine q35,sata=off -m 64 \
		-nodefaults -display none -no-reboot -global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=4 \
		-serial stdio "${start[@]}" </dev/null 2>&1 | tr -d '\r' >"$out/$name"
}

# The bare emulator, whose stepping of REP depends on icount: plain, plain-amd, plain-real.
bare() {
	case $1 in
	plain) machine "$1" ,vendor=GenuineIntel "$exact" plain "$2" ;;
	plain-amd) machine "$1" "" "$exact" plain "$2" ;;
	plain-real) machine "$1" ,vendor=GenuineIntel "" plain "$2" ;;
	esac
}

# The state behind each instruction of a case on both machines, where they part.
explain() {
	local number
	number=$(diff <(grep '^[0-9]' "$out/$2") <(grep '^[0-9]' "$out/$1") | sed -n 's/^[<>] \([0-9]*\) .*/\1/p' | head -1)
	echo "# $1 and the bare emulator differ in case ${number:-?} of seed $seed:"
	[ -n "$number" ] || { tail -5 "$out/$1" | sed 's/^/# /'; return; }
	bare "$2" "seed=$seed first=$number cases=1 show"
	mv "$out/$2" "$out/$2.case"
	machine "$1.case" "" "$3" "$4" "$5 seed=$seed first=$number cases=1 show"
	diff "$out/$2.case" "$out/$1.case" | head -12 | sed 's/^/# /'
	bare "$2" "seed=$seed cases=4000"
}

# compare NAME BARE CASES "ICOUNT" "VISOR" "GUEST"
compare() {
	local name=$1 other=$2 cases=$3
	machine "$name" "" "$4" "$5" "$6 seed=$seed cases=$cases"
	total=$((total + 1))
	if grep -q '^done' "$out/$name" && [ "$(grep -c '^[0-9]' "$out/$name")" = "$cases" ] &&
		cmp -s <(grep '^[0-9]' "$out/$other" | head -n "$cases") <(grep '^[0-9]' "$out/$name"); then
		echo "ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		grep '^# ' "$out/$name"
	else
		echo "not ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		explain "$name" "$other" "$4" "$5" "$6"
		failed=$((failed + 1))
	fi
}

round() {
	bare plain "seed=$seed cases=4000"
	bare plain-amd "seed=$seed cases=1000"
	bare plain-real "seed=$seed cases=100"
	compare nothing plain 4000 "$exact" "pmu=intel-v4 icount=0" ""
	compare user plain 1000 "$exact" "pmu=intel-v4 icount=0" "count=user"
	compare all plain 500 "$exact" "pmu=intel-v2 icount=0" "count=all"
	compare sample plain 200 "$exact" "pmu=intel-v4 icount=0" "count=sample"
	compare exact plain 200 "$exact" "pmu=intel-v4 icount=0 exact" "count=user"
	compare precise plain-real 100 "" "pmu=intel-v4 exact" "count=user"
	compare amd plain-amd 500 "$exact" "pmu=amd-v2 icount=0" "amd count=user"
	compare amd-exact plain-amd 100 "$exact" "pmu=amd-core icount=0 exact" "amd count=all"
}

while :; do
	round
	seed=$((seed + 1))
	[ "$SECONDS" -lt "$end" ] || break
done
echo "1..$total"
exit $((failed != 0))
