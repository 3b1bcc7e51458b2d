#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/tables/events.md agrees with the emulator's event tables, docs/tables/processors.md with the drivers'
# rows; the numbers of names are libpfm4 4.13.0's.
. tests/e2e/lib.sh

"$BUILD/host/event_coverage" >"$scratch/events.md"
ok $? "the tables can be listed"
case $(dpkg-query -W -f '${Version}' libpfm4 2>/dev/null) in
4.13.0-*)
	is "$(diff "$scratch/events.md" docs/tables/events.md)" "" \
		"docs/tables/events.md is not stale: else run make docs/tables/events.md"
	;;
*) # Later ones have more names, which the document counts.
	sed '1,/^## Intel/d' "$scratch/events.md" >"$scratch/rows"
	is "$(sed '1,/^## Intel/d' docs/tables/events.md | diff "$scratch/rows" -)" "" "docs/tables/events.md has every row"
	;;
esac

"$BUILD/host/processor_table" >"$scratch/processors.md"
ok $? "the rows of processors can be listed"
is "$(diff "$scratch/processors.md" docs/tables/processors.md)" "" \
	"docs/tables/processors.md is not stale: else run make docs/tables/processors.md"
finish
