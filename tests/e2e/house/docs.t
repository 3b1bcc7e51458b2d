#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The docs name only what exists: the function of each row of docs/walk.md in its file, and the target of each link.
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
finish
