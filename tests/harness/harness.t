#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each harness with the inputs that were kept, and with some thousands that libFuzzer makes from them, the same in every
# run.
. tests/e2e/lib.sh

for program in "$BUILD"/harness/*; do
	name=${program##*/}
	mkdir "$scratch/$name"
	tar -xJf "tests/harness/corpus/$name.tar.xz" -C "$scratch"
	kept=$(find "$scratch/$name" -type f | wc -l)
	"$program" -seed=1 -runs=$((kept + 2000)) -artifact_prefix="$scratch/" "$scratch/$name" >"$scratch/log" 2>&1
	ok $? "$name: $kept inputs that were kept, 2000 others" || tail -n 40 "$scratch/log"
	is "$(grep -c "^Done $((kept + 2000)) runs" "$scratch/log")" 1 "$name: all of them ran"
done
finish
