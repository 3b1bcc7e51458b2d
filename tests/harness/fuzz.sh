#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs every harness for some minutes, one after another; inputs that reach new code go into tests/harness/corpus. A
# failing input stays as BUILD/harness-NAME-...: give it to the program to repeat the failure.
# usage: tests/harness/fuzz.sh BUILD-DIRECTORY [MINUTES]     MINUTES for all of them together
set -eu
cd "$(dirname "$0")/../.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
set -- $((60 * ${2:-10})) "$build"/harness/*
seconds=$(($1 / ($# - 1)))
shift
failed=0

for program; do
	name=${program##*/}
	mkdir -p "$scratch/$name" "$scratch/new/$name"
	tar -xJf "tests/harness/corpus/$name.tar.xz" -C "$scratch" 2>/dev/null || true
	if ! "$program" -max_total_time=$seconds \
		-artifact_prefix="$build/harness-$name-" "$scratch/$name" >"$scratch/log" 2>&1; then
		failed=$((failed + 1))
		echo "not ok - $name"
		tail -n 40 "$scratch/log"
	fi
	echo "$name: $(sed -n 's/^Done \(.*\) second(s)/\1 s/p' "$scratch/log")"
	"$program" -merge=1 "$scratch/new/$name" "$scratch/$name" >"$scratch/log" 2>&1
	tar -cJf "tests/harness/corpus/$name.tar.xz" --sort=name --mtime=@0 --owner=0 --group=0 -C "$scratch/new" "$name"
done
[ $failed = 0 ]
