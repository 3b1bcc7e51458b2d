# SPDX-License-Identifier: BSD-2-Clause
# Checks that no chain of direct calls in the linked kernel needs more than `most` bytes of a kernel stack, and that
# recursion has a bound (tools/stack_cycles).
# usage: objdump -d --no-show-raw-insn kernel.elf | awk -v most=BYTES -f tools/stack_use.awk tools/stack_cycles -
#
# A function's frame are all its pushes and subtractions from RSP, and its return address. Calls by pointer are not
# followed. tools/stack_cycles has a line "FUNCTION TIMES REASON..." for each function that calls itself by any way: its
# frame counts TIMES times more.

function complain(text) {
	print "stack: " text
	failed = 1
}

FNR == NR {
	if (NF > 2 && $1 !~ /^#/)
		times[$1] = $2
	next
}

/^[0-9a-f]+ <.*>:$/ {
	split($2, part, /[<>]/)
	current = $1
	sub(/^0+/, "", current)
	name[current] = part[2]
	sub(/\..*/, "", name[current])
	there[name[current]] = 1
	frame[current] = 8
	next
}

/\tpush/ { frame[current] += 8 }

/\tsub +\$0x[0-9a-f]+,%rsp/ {
	match($0, /\$0x[0-9a-f]+/)
	frame[current] += RLENGTH < 12 ? hexadecimal(substr($0, RSTART + 3, RLENGTH - 3)) : 128
}

# A call, or a jump to another function's beginning.
/\t(call|j[a-z]+) +[0-9a-f]+ <[^+>]*>$/ {
	callee = $(NF - 1)
	if (callee != current || /\tcall/)
		calls[current] = calls[current] " " callee
}

function hexadecimal(text,   value, i) {
	value = 0
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("123456789abcdef", substr(text, i, 1))
	return value
}

function way(from,   text) {
	for (text = name[from]; from in deepest; text = text " -> " name[from])
		from = deepest[from]
	return text
}

# Returns the bytes that a call of the function takes at most.
function depth(node,   callees, n, i, below, more) {
	if (node in known)
		return known[node]
	open[node] = 1
	n = split(calls[node], callees, " ")
	for (i = 1; i <= n; i++) {
		if (callees[i] in open) {
			closes(node, callees[i])
			continue
		}
		below = depth(callees[i])
		if (below > more) {
			more = below
			deepest[node] = callees[i]
		}
	}
	delete open[node]
	return known[node] = frame[node] * (1 + times[name[node]]) + more
}

function closes(caller, callee) {
	if (name[callee] in times && times[name[callee]] != "")
		return
	complain(name[caller] " calls " name[callee] ": a cycle without a bound in tools/stack_cycles")
	times[name[callee]] = 0
}

END {
	for (node in name) {
		if (depth(node) > largest) {
			largest = depth(node)
			top = node
		}
	}
	for (function_name in times)
		if (times[function_name] != "" && !(function_name in there))
			complain(function_name " is in tools/stack_cycles, but not in the kernel")
	if (largest > most)
		complain(largest " bytes, more than " most ": " way(top))
	if (!failed)
		print "stack: at most " largest " bytes by direct calls: " way(top)
	exit failed
}
