# SPDX-License-Identifier: BSD-2-Clause
# What the comparisons with cachegrind share, sourced by scripts with the arguments BUILD-FOLDER [PROGRAM...]: $build,
# and the programs, all unless some are named, as $@.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
command -v valgrind >/dev/null || { echo "${0##*/}: valgrind is not installed" >&2; exit 125; }
[ $# -gt 0 ] || set -- $(ls tests/accuracy/programs/*.c | sed 's|.*/||; s|\.c$||' | grep -v strings)

# cachegrind PROGRAM OPTION...: what it says of the program. It would count what it executes speculatively of conditions
# joined by &&.
cachegrind() {
	program=$1
	shift
	valgrind --vex-guest-chase=no --tool=cachegrind --cachegrind-out-file=/dev/null "$@" \
		"$build/tests/accuracy/$program" 2>&1 >/dev/null | tr -d ','
}

# counts PROGRAM CORE EVENTS: the core's, in a line.
counts() {
	"$build/barepmu" stat -x, --core "$2" -e "$3" -- "$build/tests/accuracy/$1" 2>&1 >/dev/null |
		grep -v '^#' | cut -d, -f1 | tr '\n' ' '
}
