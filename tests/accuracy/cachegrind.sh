# SPDX-License-Identifier: BSD-2-Clause
# What the comparisons with cachegrind share, sourced by scripts with the arguments BUILD-FOLDER [PROGRAM...]: $build,
# and the programs, all unless some are named, as $@.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
command -v valgrind >/dev/null || { echo "${0##*/}: valgrind is not installed" >&2; exit 125; }
[ $# -gt 0 ] || set -- $(ls tests/accuracy/programs/*.c tests/accuracy/libraries/*.c | sed 's|.*/||; s|\.c$||' |
	grep -vwE 'strings|arena|glibc' | sort)

# grind TOOL PROGRAM OPTION...: what valgrind says of it, with as short an environment as it has in the machine.
# cachegrind would count what it executes speculatively of conditions joined by &&.
grind() {
	tool=$1 program=$2
	shift 2
	env -i PATH="$PATH" valgrind --vex-guest-chase=no --tool="$tool" "$@" \
		"$build/tests/accuracy/$program" 2>&1 >/dev/null | tr -d ','
}

# cachegrind PROGRAM OPTION...: what it says.
cachegrind() {
	grind cachegrind "$@" --cachegrind-out-file=/dev/null
}

# counts PROGRAM CORE EVENTS: the core's, in a line.
counts() {
	"$build/barepmu" stat -x, --core "$2" -e "$3" -- "$build/tests/accuracy/$1" 2>&1 >/dev/null |
		grep -v '^#' | cut -d, -f1 | tr '\n' ' '
}
