# SPDX-License-Identifier: BSD-2-Clause
# Names every system call of api/table.c: X(read) ... for tests that must know them all.
/^const void \*const syscall_table/ { inside = 1 }
/^};/ { inside = 0 }
inside && match($0, /^ +(CALL|PART|ALIAS|REFUSE)\([a-z0-9_]+/) {
	name = substr($0, RSTART, RLENGTH)
	sub(/.*\(/, "", name)
	print "X(" name ")"
}
