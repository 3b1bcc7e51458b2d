#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fuzzer's guest on the bare emulator, then under the visor: nothing counted, ring 3 counted (the rings told apart),
# both counted, and every instruction stepped, with icount and without. Each must tell the same of each case. Prints
# TAP.
# usage: tests/diff/run.sh BUILD-FOLDER [SECONDS [SEED]]: without SECONDS one round of the same seed; with them further
# seeds until then.

build=$1
seconds=${2:-0}
seed=${3:-1}
out=$build/tests/diff
end=$((SECONDS + seconds))
exact="-icount shift=0,sleep=off"
total=0
failed=0

# machine NAME "ICOUNT" "WORDS OF THE VISOR, OR plain" "WORDS OF THE GUEST"
machine() {
	local name=$1 icount=$2 visor=$3 words=$4 start
	if [ "$visor" = plain ]; then
		start=(-kernel "$out/guest.elf" -append "$words")
	else
		start=(-kernel "$build/visor.elf" -initrd "$out/bundle.cpio" -append "exit=debug $visor -- $words")
	fi
	# shellcheck disable=SC2086
	timeout 120 qemu-system-x86_64 -accel tcg,thread=single $icount -cpu max,-erms,+svm -machine q35,sata=off -m 64 \
		-nodefaults \
		-display none -no-reboot -global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=4 \
		-serial stdio "${start[@]}" </dev/null 2>&1 | tr -d '\r' >"$out/$name"
}

# The state behind each instruction of a case on both machines, where they part.
explain() {
	local number
	number=$(diff <(grep '^[0-9]' "$out/plain") <(grep '^[0-9]' "$out/$1") | sed -n 's/^[<>] \([0-9]*\) .*/\1/p' | head -1)
	echo "# $1 and the bare emulator differ in case ${number:-?} of seed $seed:"
	[ -n "$number" ] || { tail -5 "$out/$1" | sed 's/^/# /'; return; }
	machine plain.case "$exact" plain "seed=$seed first=$number cases=1 show"
	machine "$1.case" "$2" "$3" "$4 seed=$seed first=$number cases=1 show"
	diff "$out/plain.case" "$out/$1.case" | head -12 | sed 's/^/# /'
}

# compare NAME CASES "ICOUNT" "VISOR" "GUEST"
compare() {
	local name=$1 cases=$2
	machine "$name" "$3" "$4" "$5 seed=$seed cases=$cases"
	total=$((total + 1))
	if grep -q '^done' "$out/$name" && [ "$(grep -c '^[0-9]' "$out/$name")" = "$cases" ] &&
		cmp -s <(grep '^[0-9]' "$out/plain" | head -n "$cases") <(grep '^[0-9]' "$out/$name"); then
		echo "ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		grep '^# ' "$out/$name"
	else
		echo "not ok $total - $name: $cases cases of seed $seed as on the bare emulator"
		explain "$name" "$3" "$4" "$5"
		failed=$((failed + 1))
	fi
}

round() {
	machine plain "$exact" plain "seed=$seed cases=4000"
	compare nothing 4000 "$exact" "pmu=intel-v4 icount=0" ""
	compare user 1000 "$exact" "pmu=intel-v4 icount=0" "count=user"
	compare all 500 "$exact" "pmu=intel-v2 icount=0" "count=all"
	compare exact 200 "$exact" "pmu=intel-v4 icount=0 exact" "count=user"
	compare precise 60 "" "pmu=intel-v4 exact" "count=user"
}

while :; do
	round
	seed=$((seed + 1))
	[ "$SECONDS" -lt "$end" ] || break
done
echo "1..$total"
exit $((failed != 0))
