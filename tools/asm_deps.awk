# SPDX-License-Identifier: BSD-2-Clause
# Writes make's rule for the includes of an assembly file, including nested ones, which Debian's nasm omits.
# usage: awk -v object=OBJECT -f tools/asm_deps.awk FILE.asm

/^[ \t]*%include[ \t]+"/ {
	split($0, quoted, "\"")
	if (!(quoted[2] in seen)) {
		seen[quoted[2]] = 1
		ARGV[ARGC++] = quoted[2]
	}
}

END {
	printf "%s:", object
	for (file in seen)
		printf " %s", file
	print ""
	for (file in seen)
		print file ":" # one that has gone is no error
}
