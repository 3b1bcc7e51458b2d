#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat --baseline, and the script that the templates of packaging/contrib/ci run.
. tests/e2e/lib.sh

base=$scratch/base.json
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp"
barepmu stat --ignore-environment -e instructions:u,branches:u --baseline "$base" -- spin 1000
is "$status $(grep -c '"event"' "$base")" "0 2" "a new baseline has both events"
has "$scratch/stderr" 'is new: these counts are the baseline' "a new baseline: what it says"
barepmu stat --ignore-environment -e instructions:u,branches:u --baseline "$base" -- spin 1000
is $status 0 "equal counts: status"
has "$scratch/stderr" '^ 0 of 2 events differ' "equal counts: what it says"
barepmu stat --ignore-environment -e instructions:u --baseline "$base" --tolerance 0.5% --report "$scratch/r.xml" \
	-- spin 2000
is $status 1 "other counts: status"
has "$scratch/stderr" '^ +[0-9]+ +[0-9]+ +\+[0-9.]+%  FAIL  instructions:u$' "other counts: the row"
has "$scratch/stderr" ' - +not counted this time  FAIL  branches:u$' "an event that is missing fails"
python3 - "$scratch/r.xml" >"$scratch/parsed" <<'X'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
print(suite.get('tests'), suite.get('failures'), [c.get('name') for c in suite if c.find('failure') is not None])
X
is "$(cat "$scratch/parsed")" "3 2 ['instructions:u', 'branches:u']" "--report FILE.xml: JUnit's cases"
barepmu stat --ignore-environment -e instructions:u,branches:u --baseline "$base" --tolerance 500% \
	--report "$scratch/r.json" -- spin 2000
is $status 0 "within the tolerance: status"
python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["failed"], len(r["events"]), r["same_pmu"])' \
	<"$scratch/r.json" >"$scratch/parsed"
is "$(cat "$scratch/parsed")" "0 2 True" "--report FILE.json"
barepmu stat --pmu zen2 --ignore-environment -e instructions:u,branches:u --baseline "$base" --tolerance 500% \
	-- spin 1000
is $status 1 "a baseline of another PMU: status"
has "$scratch/stderr" 'of another PMU: skylake, not zen2' "a baseline of another PMU: what it says"
barepmu stat --ignore-environment -e instructions:u --baseline "$base" -- sh -c 'exit 3'
is "$status" 3 "a program that fails: its status"
barepmu stat --tolerance 1% -- true
is "$status $(cat "$scratch/stderr")" "125 barepmu: --tolerance and --report go with --baseline FILE" \
	"--tolerance alone"
barepmu stat --baseline "$base" --tolerance much -- true
has "$scratch/stderr" "wants a percentage" "a tolerance that is no number"
is "$(ls "$TMPDIR")" "" "no temporary file is left"

# As a runner of GitHub calls it.
script=$PWD/packaging/contrib/ci/barepmu-ci.sh
for file in action.yml gitlab-ci.yml; do
	has "packaging/contrib/ci/$file" 'barepmu-ci.sh" ?"?\$|barepmu-ci.sh "\$' "$file runs the script"
done
mkdir "$scratch/ci"
(
	cd "$scratch/ci" || exit 9
	export BAREPMU GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$scratch/summary"
	"$script" new.json 0% instructions:u spin 1000 >first 2>&1
	echo $? >statuses
	"$script" new.json 0% instructions:u spin 1000 >second 2>&1
	echo $? >>statuses
	"$script" new.json 0% instructions:u spin 1001 >third 2>&1
	echo $? >>statuses
)
is "$(xargs <"$scratch/ci/statuses")" "0 0 1" "barepmu-ci.sh: new, equal, other"
has "$scratch/ci/third" '^::error title=barepmu::instructions:u: [0-9]+ became [0-9]+ ' "barepmu-ci.sh: GitHub's error"
has "$scratch/summary" 'FAIL +instructions:u' "barepmu-ci.sh: GitHub's summary"
has "$scratch/ci/barepmu.xml" '<failure message="' "barepmu-ci.sh: JUnit's file"
finish
