#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each harness with the inputs that were kept, and with some that libFuzzer makes from them, the same in every run: as
# many as a second or two allow.
. tests/e2e/lib.sh

for program in "$BUILD"/harness/*; do
	name=${program##*/}
	case $name in
	bpf | events | records) others=200 ;;
	*) others=1000 ;;
	esac
	mkdir "$scratch/$name"
	tar -xJf "tests/harness/corpus/$name.tar.xz" -C "$scratch"
	kept=$(find "$scratch/$name" -type f | wc -l)
	# It would look for new inputs of others' once a second, and count what it runs again.
	"$program" -seed=1 -reload=0 -runs=$((kept + others)) -artifact_prefix="$scratch/" "$scratch/$name" \
		>"$scratch/log" 2>&1
	ok $? "$name: $kept inputs that were kept, $others others"
	is "$(grep -o '^Done [0-9]* runs' "$scratch/log")" "Done $((kept + others)) runs" "$name: all of them ran"
	[ "$good" = 0 ] || tail -n 40 "$scratch/log" >&2
done
finish
