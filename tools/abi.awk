# SPDX-License-Identifier: BSD-2-Clause
# Writes docs/tables/abi.md: the state of every system call of Linux 6.1 according to api/table.c.
# usage: awk -f tools/abi.awk abi/asm/unistd.h api/table.c

BEGIN {
	last = 450 # set_mempolicy_home_node, Linux 6.1's last
}

# The header: numbers and names.
FNR == NR {
	if ($1 == "#define" && sub(/^__NR_/, "", $2)) {
		number[$2] = $3
		name[$3] = $2
	}
	next
}

# The table: its entries, which may go over lines.
/^const void \*const syscall_table/ { inside = 1; next }
/^};/ { inside = 0 }
inside {
	entry = entry $0
	if (entry ~ /\),?$/) {
		note(entry)
		entry = ""
	}
}

function note(text,    call, rest) {
	gsub(/"[ \t]+"/, "", text) # strings in pieces
	sub(/^[ \t]+/, "", text)
	kind = text
	sub(/\(.*/, "", kind)
	call = text
	sub(/^[A-Z]+\(/, "", call)
	rest = call
	sub(/[,)].*/, "", call)
	if (!match(rest, /".*"/))
		rest = ""
	else
		rest = substr(rest, RSTART + 1, RLENGTH - 2)
	if (!(call in number)) {
		print "tools/abi.awk: no such system call: " call > "/dev/stderr"
		exit failed = 1
	}
	state[call] = kind == "PART" ? "partial" : kind == "REFUSE" ? "refused" : "full"
	missing[call] = rest
}

END {
	if (failed)
		exit 1
	for (i = 0; i <= last; i++)
		if (i in name)
			count[(name[i] in state) ? state[name[i]] : "ENOSYS"]++
	print "# System calls"
	print ""
	print "<!-- Written by `make docs/tables/abi.md` from api/table.c. -->"
	print ""
	printf "Every system call of x86-64 Linux 6.1: %d are there in full, %d in part (the last column says what is " \
		"missing or differs), %d are known\n",
		count["full"], count["partial"], count["refused"]
	printf "and always refused with the errno of a Linux that has no such thing, %d return `ENOSYS`.\n", count["ENOSYS"]
	print ""
	print "| number | call | state | missing |"
	print "|---|---|---|---|"
	for (i = 0; i <= last; i++)
		if (i in name)
			printf "| %d | %s | %s | %s |\n", i, name[i], (name[i] in state) ? state[name[i]] : "ENOSYS", missing[name[i]]
}
