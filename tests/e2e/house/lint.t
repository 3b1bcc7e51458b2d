#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make lint` finds the defects that it claims to find: each of our own checks is given a broken input.
. tests/e2e/lib.sh

tools=$PWD/tools
tree=$scratch/tree
mkdir -p "$tree/arch/x86/cpu" "$tree/kernel/mem" "$tree/newroom" "$tree/apps" "$tree/tests"
cd "$tree"

# rooms FILE LINE: what rooms.awk says of a file with that line.
rooms() {
	echo "$2" >"$1"
	awk -f "$tools/rooms.awk" "$1" || echo "status $?"
}

# refused NAME FILE LINE, and taken.
refused() {
	has_text "$(rooms "$2" "$3")" "status 1" "refused: $1"
}
taken() {
	is "$(rooms "$2" "$3")" "" "taken: $1"
}
has_text() {
	case $1 in
	*"$2"*) ok 0 "$3" ;;
	*) ok 1 "$3" ;;
	esac
}

refused "an include up" arch/x86/cpu/a.c '#include "kernel/task/task.h"'
refused "an include up, in angle brackets" arch/x86/cpu/a.c '#include <kernel/task/task.h>'
refused "an include up, with blanks" arch/x86/cpu/a.c ' #  include	"kernel/task/task.h"'
refused "a path that begins elsewhere" arch/x86/cpu/a.c '#include "../../../kernel/task/task.h"'
refused "an include up inside a room" kernel/mem/a.h '#include "kernel/procfs/proc.h"'
refused "an include up in assembly" arch/x86/cpu/a.asm '%include "kernel/a.inc"'
refused "a directory that is no room" newroom/a.c ''
refused "inline assembly" kernel/mem/a.c '	__asm__ volatile("hlt");'
refused "inline assembly by another word" kernel/mem/a.c '	asm volatile("hlt");'
taken "an include down" kernel/mem/a.c '#include "arch/x86/cpu/cpu.h"'
taken "the compiler's and the host's headers" kernel/mem/a.c '#include <linux/errno.h>'
taken "inline assembly where it belongs" arch/x86/cpu/insn.h '	__asm__ volatile("hlt");'
taken "inline assembly of a program" apps/a.c '	__asm__ volatile("nop");'
taken "a test's include of anything" tests/a.c '#include "kernel/task/task.h"'

# nmi WORD: what nmi_reach.awk says where a function that an NMI reaches has such an instruction.
objdump -d --no-show-raw-insn "$BUILD/kernel.elf" >"$scratch/kernel"
nmi() {
	awk -v "more=$1" '{ print } /^[0-9a-f]+ <hw_pmi>:$/ && more { print "ffffffff80000000:\t" more }' "$scratch/kernel" |
		awk -f "$tools/nmi_reach.awk" "$tools/nmi_calls" - || echo "status $?"
}
has_text "$(nmi '')" "none of them forbidden" "what an NMI reaches of the kernel as it is"
for function in kalloc log_at schedule panic; do
	has_text "$(nmi "call   ffffffff80000000 <$function>")" "-> $function" "a PMI that calls $function is refused"
done
has_text "$(nmi pause)" "-> pause" "a PMI that waits for a lock is refused"
has_text "$(nmi 'call   *%rax')" "status 1" "a PMI that calls by an unknown pointer is refused"

{
	echo '[there](docs/there.md) [not there](docs/not.md)'
	printf '## A head, in `code`\n[up](#a-head-in-code) [none](#none)\n`no.c`\n'
} >README.md
printf 'README.md\ndocs/there.md\n' | awk -f "$tools/links.awk" - README.md >"$scratch/links" || :
is "$(wc -l <"$scratch/links")" 3 "links: a good link and a good heading pass"
has "$scratch/links" "docs/not.md" "links: a link to no file is named"
has "$scratch/links" "README.md#none leads to no heading" "links: a link to no heading is named"
has "$scratch/links" "there is no no.c" "links: a name of no file is named"

# english.awk against a list that allows one such comment: it rejects a file with two. The comment after the SPDX line
# is one of its own.
echo "apps 1" >"$scratch/ceiling"
printf '// Nobody %s of it.\nint a;\t// what it counts\n' "was told" >apps/two.c
printf '/*\n * Returns the count.\n * Nobody else writes it.\n */\nint a;\n' >apps/one.c
english() {
	awk -v ceiling="$scratch/ceiling" -f "$tools/english.awk" "$@" || echo "status $?"
}
printf '/* SPDX-License-Identifier: BSD-2-Clause */\n/* %s it counts. */\nint a; // %s it is\n' "What" "of what" \
	>apps/opening.c
is "$(english apps/one.c)" "" "plain English: a directory at its ceiling passes"
has_text "$(english apps/opening.c)" "2 comments" "plain English: a file's opening comment counts"
has_text "$(english apps/two.c)" "status 1" "plain English: a directory above its ceiling fails"

# sentences.awk: 35 words pass, 36 do not; a full stop, a cell of a table and an item of a list end a sentence.
words=$(printf 'word %.0s' $(seq 17))
printf '%s%sone.\n\n- %sitem\n- %sitem\n\n| %s | %s |\n' "$words" "$words" "$words" "$words" "$words$words" "$words" \
	>short.md
printf '%s%s\none two.\n' "$words" "$words" >long.md
sentences() {
	awk -f "$tools/sentences.awk" "$1" || echo "status $?"
}
is "$(sentences short.md)" "" "sentences: 35 words pass"
has_text "$(sentences long.md)" "long.md:1: 36 words" "sentences: 36 words do not"
finish
