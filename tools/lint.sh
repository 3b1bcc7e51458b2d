#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that the tests cannot make, each with its time: both compilers' warnings, layout, order of the directories,
# code that an NMI reaches, links of the docs, plain English, commit subjects, static analysis. A failing check prints
# the defects; the other checks still run.
# usage: tools/lint.sh BUILD-DIRECTORY [WORD...]     with WORDs only the checks whose names contain one
# It needs clang, clang-format, clang-tidy, cppcheck: make lint-setup.
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
words=$(printf '%s\n' "$@")
failed=0

# check NAME COMMAND...
check() {
	name=$1
	shift
	echo "$name" | grep -qF -e "$words" || return 0
	begin=$(date +%s)
	if "$@"; then result=ok; else
		result='NOT ok'
		failed=1
	fi
	echo "lint: $result: $name ($(($(date +%s) - begin)) s)"
}

files() {
	git ls-files --cached --others --exclude-standard "$@"
}

gcc_warnings() {
	make --no-print-directory -j"$(nproc)" B="$build" all tests host-plain
}

# Runs clang on each file that is compiled, with the build's own commands, without output files. Tables may omit members
# that are 0, as gcc allows.
clang_warnings() {
	commands=$(make --no-print-directory -n -B CC=clang HOSTCC=clang B="$build" \
		WARN="-Wall -Wextra -Werror -Wno-missing-field-initializers" all host-plain guest-tests oracle-programs debug |
		sed -nE '/^clang .* -c /{ s/ -o [^ ]+//; s/ -MM?[DP]\>//g; s/$/ -fsyntax-only/; p }' | sort -u)
	[ -n "$commands" ] && echo "$commands" | tr '\n' '\0' | xargs -0 -P "$(nproc)" -n 1 sh -c
}

# Other releases of clang-format than 14 format some lines differently.
layout() {
	format=$(command -v clang-format-14 || echo clang-format)
	version=$("$format" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
	if [ "$version" != 14 ]; then
		echo "lint: the format is that of clang-format 14, this is ${version:-none}: not checked"
		return 0
	fi
	files '*.c' '*.h' | xargs "$format" --dry-run -Werror
}

lines() {
	files '*.c' '*.h' '*.asm' '*.inc' '*.sh' '*.t' '*.mk' '*.awk' '*.py' Makefile | grep -v accuracy/published.inc |
		LC_ALL=C.UTF-8 xargs awk 'length($0) > 120 { print FILENAME ":" FNR ": more than 120 characters"; failed = 1 }
			END { exit failed }'
}

rooms() {
	files '*.c' '*.h' '*.asm' | xargs awk -f tools/rooms.awk &&
		files '*.c' '*.h' | grep -v '^tests/' | xargs awk -f tools/declarations.awk
}

# Descriptors, which the directory api/ starts from, are of opened events.
opened_fields() {
	files 'pmu/*.[ch]' 'trace/*.[ch]' 'bpf/*.[ch]' | xargs awk -f tools/opened_fields.awk pmu/base/event.h
}

# At most 12 of 16 KiB: the rest is for interrupts, and for calls by pointer.
stacks() {
	objdump -d --no-show-raw-insn "$build/kernel.elf" |
		awk -v most=12288 -f tools/stack_use.awk tools/stack_cycles -
}

nmi() {
	objdump -d --no-show-raw-insn "$build/kernel.elf" | awk -f tools/nmi_reach.awk tools/nmi_calls -
}

links() {
	# shellcheck disable=SC2046 # words
	files | awk -f tools/links.awk - $(files '*.md')
}

# Comments against docs/style.md: no directory has more rejected ones than tools/english_ceiling allows, and none of its
# numbers has risen since the commit before.
english() {
	files '*.c' '*.h' '*.asm' '*.inc' '*.sh' '*.t' '*.mk' '*.awk' '*.py' Makefile |
		xargs awk -v ceiling=tools/english_ceiling -f tools/english.awk || return 1
	for commit in $(git log -2 --format=%h -- tools/english_ceiling); do
		git show "$commit:tools/english_ceiling" | awk -v commit="$commit" 'FNR == NR { before[$1] = $2; next }
			$1 in before && $2 > before[$1] { print "tools/english_ceiling: " $1 ": was " before[$1] " in " commit; failed = 1 }
			END { exit failed }' - tools/english_ceiling || return 1
	done
}

# Subjects of the commits since the rule began. A clone without that commit checks only its last one.
subjects() {
	since=cf5776101737733e8085b583c6e6788a53385702
	git rev-parse -q --verify "$since^{commit}" >/dev/null && range="$since..HEAD" || range="-1"
	git log --no-merges --format='%h %s' "$range" | awk '{ commit = $1; sub(/^[^ ]+ /, "") }
		length($0) > 72 || !/^[a-z0-9_,\/. -]+: [^ ]/ {
			print commit ": not \"area: what changed\" in 72 characters: " $0
			failed = 1
		}
		END { exit failed }'
}

# Sentences of at most 35 words. CHANGELOG.md keeps the wording of its versions.
sentences() {
	files '*.md' | grep -v '^CHANGELOG.md$' |
		xargs awk -f tools/sentences.awk
}

# Checks that find mistakes, not tastes (.clang-tidy).
tidy() {
	files 'arch/*.c' 'kernel/*.c' 'ringbuf/*.c' 'pmu/*.c' 'api/*.c' 'emulator/visor/*.c' |
		grep -vE 'door_efi|^kernel/(debug|coverage|vdso)/' |
		xargs -P "$(nproc)" -n 8 sh -c \
			'clang-tidy --quiet --warnings-as-errors="*" "$@" -- -std=gnu11 -ffreestanding -I. -Iabi 2>/dev/null' tidy
}

# It takes an array of which only the address is known for one of no elements. Later versions than 2.10 (2.17 was tried)
# report buffers that another argument of the same call fills, linker symbols, allocations of tests, and some macros.
analysis() {
	later=
	case $(cppcheck --version) in
	"Cppcheck 2.10"*) ;;
	*)
		for id in uninitvar subtractPointers syntaxError preprocessorErrorDirective ctunullpointer \
			normalCheckLevelMaxBranches invalidPrintfArgType_uint "*OutOfMemory" "*OutOfResources"; do
			later="$later --suppress=$id"
		done
		echo "lint: not cppcheck 2.10:$later"
		;;
	esac
	mkdir -p "$build/cppcheck"
	# shellcheck disable=SC2086 # words
	files '*.c' | xargs cppcheck --quiet -j "$(nproc)" --cppcheck-build-dir="$build/cppcheck" \
		--error-exitcode=1 --inline-suppr --suppress=ctuArrayIndex:emulator/visor/base/cpu.h $later --std=c11 \
		--enable=warning,portability,performance -I.
}

check "gcc's warnings" gcc_warnings
check "clang's warnings" clang_warnings
check clang-format layout
check "lines of at most 120 characters" lines
check "order of the rooms" rooms
check "what an NMI reaches" nmi
check "depth of kernel stacks" stacks
check "fields of opened events" opened_fields
check "links of the docs" links
check "plain English" english
check "subjects of commits" subjects
check "sentences of the docs" sentences
check clang-tidy tidy
check cppcheck analysis
exit $failed
