# SPDX-License-Identifier: BSD-2-Clause
# For bash: what it prints is the same wherever it runs. $1 is the directory that it may use.
cd "$1" || exit 9
a=(1 2 3)
a[7]=x
declare -A map=([one]=1 [two]=2)
echo "${a[@]}" "${#a[@]}" "${!a[@]}" "${map[two]}" $((6 * 7)) "${0##*/}"
read -r line < <(echo "a process's output")
echo "$line" "${line^^}" "${line//s/S}"
[[ abc123 =~ ([a-z]+)([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
printf '%05d %x %s\n' 42 255 "$(printf '%q' "it's")"
mapfile -t lines <<<$'first\nsecond'
echo "${lines[1]}"
trap 'echo "caught $(kill -l $((128 + 15)))"' TERM
kill -TERM $$
set -o pipefail
false | true; echo "status $?"
for i in {1..20}; do (exit $((i % 3))) & done; wait; jobs >seen
echo "jobs: $(jobs | wc -l 2>/dev/null || echo 0)"
exec 3<>both; echo "read and written" >&3; read -r -u 3 nothing; echo "end: '$nothing'"
time_format=%R; TIMEFORMAT= ; time true
echo $((2#1011)) $((1 << 40)) ${RANDOM:+random}
( ulimit -n 64; ulimit -n )
echo done >&2
