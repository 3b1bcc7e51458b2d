# SPDX-License-Identifier: BSD-2-Clause
# Shared by the comparisons with cachegrind, and sourced by scripts with the arguments BUILD-DIRECTORY [PROGRAM...]:
# sets $build, and the programs as $@, all unless some are named.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift
command -v valgrind >/dev/null || { echo "${0##*/}: valgrind is not installed" >&2; exit 125; }
[ $# -gt 0 ] || set -- $(ls tests/accuracy/programs/*.c tests/accuracy/libraries/*.c | sed 's|.*/||; s|\.c$||' |
	grep -vwE 'strings|arena|glibc' | sort)

# Runs a program with a minimal environment, through whose strings the C library goes.
alone() {
	env -i PATH="$PATH" HOME=/ "$@"
}
environment=$(alone valgrind --tool=none env 2>/dev/null)

# grind TOOL PROGRAM OPTION...: what valgrind says of it. cachegrind would count what it executes speculatively of
# conditions joined by &&.
grind() {
	tool=$1 program=$2
	shift 2
	alone valgrind --vex-guest-chase=no --tool="$tool" "$@" "$build/tests/accuracy/$program" 2>&1 >/dev/null | tr -d ','
}

# cachegrind PROGRAM OPTION...: what it says.
cachegrind() {
	grind cachegrind "$@" --cachegrind-out-file=/dev/null
}

# counts PROGRAM CORE EVENTS: the core's, in a line, in that environment.
counts() {
	program=$1 core=$2 events=$3
	set --
	while read -r variable; do
		set -- "$@" --env "$variable"
	done <<-END
		$environment
	END
	alone "$build/barepmu" stat "$@" -x, --core "$core" -e "$events" -- "$build/tests/accuracy/$program" 2>&1 >/dev/null |
		grep -v '^#' | cut -d, -f1 | tr '\n' ' '
}
