#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/tables/conformance.md agrees with tests/conformance, and each test that it names exists.
. tests/e2e/lib.sh

awk -f tools/conformance.awk tests/conformance >"$scratch/conformance.md" 2>"$scratch/wrong"
is "$(cat "$scratch/wrong")" "" "every clause has its states, and its test is there"
is "$(diff "$scratch/conformance.md" docs/tables/conformance.md)" "" \
	"docs/tables/conformance.md is not stale: else run make docs/tables/conformance.md"
sed 's/^works | works | \(a descriptor\)/working | works | \1/; s/: F_GETFL$/: no such words/' \
	tests/conformance >"$scratch/broken"
awk -f tools/conformance.awk "$scratch/broken" 2>&1 >/dev/null |
	sed 's/^.*: not a row.*/row/; s/.*no such test.*/test/' | sort -u | tr '\n' ' ' >"$scratch/said"
is "$(cat "$scratch/said")" "row test " "a row of no state and a test that is not there are told"
finish
