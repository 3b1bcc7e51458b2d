# SPDX-License-Identifier: BSD-2-Clause
# Turns `nm -n kernel.elf` into the table of kernel/base/symbols.c, for nasm. No input: the empty table of the first
# link.

BEGIN {
	number = 0
}

# Functions; aliases of one address count once. Bit 31 of the offset: global.
$3 == "text_start" {
	start = $1
	next
}

$2 ~ /^[tT]$/ && $3 != "text_end" && $1 != last {
	last = $1
	address[number] = $1
	global[number] = $2 == "T"
	name[number++] = $3
}

END {
	print "section .symbols progbits alloc noexec nowrite align=8"
	print "global symbols_number, symbols_table, symbols_names"
	print "symbols_number: dd " number ", 0"
	print "symbols_table:"
	for (i = 0; i < number; i++) {
		print "dd 0x" address[i] " - 0x" start (global[i] ? " + 0x80000000" : "") ", " offset + 0
		offset += length(name[i]) + 1
	}
	print "symbols_names:"
	for (i = 0; i < number; i++)
		print "db '" name[i] "', 0"
	print "db 0"
}
