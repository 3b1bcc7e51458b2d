#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the docs name exists: of each row of docs/walk.md the function in its file, what each link leads to, each test
# that docs/security.md has for a defect.
. tests/e2e/lib.sh

sed -n 's/^| `\([^`]*\)` | `\([a-z_0-9]*\)` |.*/\1 \2/p' docs/walk.md >"$scratch/steps"
between "$(wc -l <"$scratch/steps")" 40 200 "the walks have steps"
while read -r file function; do
	case $file in
	*.asm) definition="^($function:|.*global $function\$)" ;;
	*) definition="^[a-z].*[ *]$function\(" ;;
	esac
	grep -Eq "$definition" "$file" 2>/dev/null || echo "$file has no $function()"
done <"$scratch/steps" >"$scratch/missing"
is "$(cat "$scratch/missing")" "" "each function is in its file"

find . -name .git -prune -o -path "./${BUILD#"$PWD"/}" -prune -o -type f -print | sed 's#^\./##' |
	awk -f tools/links.awk - README.md CONTRIBUTING.md docs/*.md >"$scratch/links"
is "$(cat "$scratch/links")" "" "each link and each file that the docs name is there"

awk -f tools/quoted.awk docs/security.md >"$scratch/quoted"
is "$(sed '$d' "$scratch/quoted")" "" "each test that docs/security.md names for a defect is there"
between "$(sed -n '$s/ names//p' "$scratch/quoted")" 40 200 "which names many"
sed 's/: socketpair |$/: no such name |/' docs/security.md | awk -f tools/quoted.awk - >"$scratch/quoted"
is "$(sed '$d' "$scratch/quoted")" "tests/debug/failures_files.c has no test: no such name" \
	"and one that is not is told"
finish
