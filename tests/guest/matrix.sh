#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the guest programs in one machine, one boot for all, and prints how each ended.
# usage: tests/guest/matrix.sh PMU DOOR PROGRAM...     with BAREPMU and BUILD in the environment, and further options of
# the host command in MATRIX_OPTIONS; LIBC: musl or glibc; `TELL`: all prints each test's result
set -eu
pmu=$1
door=$2
shift 2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

options=
paths=
for program; do
	options="$options --add $BUILD/tests/guest/$program-${LIBC:-musl}:/t/$program"
	paths="$paths /t/$program"
done
# shellcheck disable=SC2086 # words
"$BAREPMU" run --pmu "$pmu" --firmware "$door" ${MATRIX_OPTIONS:-} $options \
	-- "$BUILD/tests/oracle/each" $paths >"$out" ||
	echo "# the machine ended with status $?"

# One result a program: its own lines when one failed; a reason when all of it was skipped, a number when a part was.
tell_programs() {
	echo "1..$#"
	n=0
	for program; do
		n=$((n + 1))
		sed -n "/^== $program\$/,/^== status/p" "$out" | awk -v cell="$n - $program: $pmu, $door" '
			/^== status/ { status = $3; ended = 1 }
			/^ok .* # SKIP/ { skipped++ }
			/^not ok/ { failed = failed "# " $0 "\n" }
			/^1\.\.0 # SKIP/ { sub(/^1\.\.0 /, ""); skip = " " $0 }
			END {
				if (ended && status == 0 && !failed)
					print "ok " cell (skipped ? ", " skipped " skipped" : "") skip
				else
					printf "not ok %s\n# status %s\n%s", cell,
						ended ? status : "none: the machine stopped", failed
			}'
	done
}

# Prints all results of all programs, renumbered, and one for each program that did not end as it should.
tell_all() {
	awk -v programs="$*" '
		function tell(result, name) { print result " " ++n " - " program ": " name }
		BEGIN { count = split(programs, names) }
		/^== status/ {
			ended[program] = 1
			if (($3 != 0 && !failed) || planned != tests)
				tell("not ok", "status " $3 ", " tests " of " planned " tests")
			next
		}
		/^== / { program = $2; planned = tests = failed = 0; next }
		/^(not )?ok [0-9]+ - / {
			result = /^not/ ? "not ok" : "ok"
			sub(/^(not )?ok [0-9]+ - /, "")
			failed += result == "not ok"
			tests++
			tell(result, $0)
			next
		}
		/^1\.\.0 # SKIP/ { sub(/^1\.\.0 /, ""); tell("ok", $0); next }
		/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }
		{ print (/^#/ ? "" : "# ") $0 }
		END {
			for (i = 1; i <= count; i++) {
				program = names[i]
				if (!ended[program])
					tell("not ok", "the machine stopped")
			}
			print "1.." n
		}' "$out"
}

if [ "${TELL:-}" = all ]; then
	tell_all "$@"
else
	tell_programs "$@"
fi
