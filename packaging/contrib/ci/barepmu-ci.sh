#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts a program's events in continuous integration and compares them with a stored baseline (docs/ci.md).
# usage: barepmu-ci.sh BASELINE.json TOLERANCE% EVENTS PROGRAM [ARG...]
# Leaves barepmu.xml (JUnit) in the working directory. Exit status: 0 equal within the tolerance, 1
# another count, else the program's or 125. BAREPMU names the command, BAREPMU_OPTIONS has further options of stat.
set -u

if [ $# -lt 4 ]; then
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 125
fi
baseline=$1 tolerance=$2 events=$3
shift 3

# Splitting the options is wanted.
"${BAREPMU:-barepmu}" stat --ignore-environment ${BAREPMU_OPTIONS:-} -e "$events" --baseline "$baseline" \
	--tolerance "$tolerance" --report barepmu.xml -- "$@" 2>barepmu.log
status=$?
cat barepmu.log >&2

# GitHub shows lines of this form at the job, and the summary on its page.
if [ -n "${GITHUB_ACTIONS:-}" ] && [ $status = 1 ]; then
	sed -n 's/^ *\([^ ]*\) *\([^ ].*[^ ]\)  FAIL *\(.*\)$/::error title=barepmu::\3: \1 became \2/p' barepmu.log
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	{ echo '```'; cat barepmu.log; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
rm -f barepmu.log
exit $status
