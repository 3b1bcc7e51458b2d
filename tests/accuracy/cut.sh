#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Cuts basic blocks out of a program, as assembler text in which each is a loop of its own.
# usage: cut.sh PROGRAM NAME COUNT: COUNT blocks of 4 to 24 instructions, evenly over the program
set -eu

objdump -d --no-show-raw-insn -M suffix "$1" | awk -v name="$2" -v count="$3" '
# Instructions that a block must not have: it cannot become a loop, or llvm-mca does not know them.
function strange(text) {
	return text ~ /^(rep|lock|ud2|hlt|int|bad|syscall|cpuid|rdtsc|nop|data16|push|pop|rdmsr|wrmsr|sti|cli|cs )/ ||
	       text ~ /^(endbr|xchg|leave|bnd|notrack|l?ret|call|in[bwl]? |out[bwl]? )/ ||
	       text ~ /\(bad\)|%[cdefgs]s:|%st|%cr|pause|fence|%[abcd]h/
}
function finish(branch) {
	if (size >= 4 && size <= 24)
		blocks[++found] = body (branch != "" ? "\t" branch " @\n" : "")
	body = ""; size = 0
}
/^[0-9a-f]+ </ { finish(""); next }
!/^ *[0-9a-f]+:\t/ { next }
{
	sub(/^ *[0-9a-f]+:\t/, ""); sub(/ *#.*/, ""); sub(/ *<.*/, ""); sub(/ +$/, "")
	if ($1 ~ /^j/) { sub(/^jmpq/, "jmp"); finish($0 ~ /\*/ || $1 ~ /cxz/ ? "" : $1); next }
	if (strange($0)) { finish(""); next }
	body = body "\t" $0 "\n"; size++
}
END {
	step = found / count
	for (n = 1; n <= count && n <= found; n++) {
		label = name "_" n
		text = blocks[int((n - 0.5) * step) + 1]
		gsub(/@/, label, text)
		printf "# LLVM-MCA-BEGIN %s\n\t.type %s, @function\n%s:\n%s\t.size %s, . - %s\n# LLVM-MCA-END\n",
			label, label, label, text, label, label
	}
}'
