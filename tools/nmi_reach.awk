# SPDX-License-Identifier: BSD-2-Clause
# Checks that no function which an NMI can reach allocates, locks, sleeps, logs or panics: from nmi_entry() on, along
# the calls and jumps of the linked kernel. Where a call goes through a pointer, tools/nmi_calls says to which
# functions.
# usage: objdump -d --no-show-raw-insn kernel.elf | awk -f tools/nmi_reach.awk tools/nmi_calls -
#
# tools/nmi_calls has a line for each: "call CALLER CALLEE..." for pointers, "forbid FUNCTION...", "allow CALLER CALLEE
# REASON...".

function base(name) {
	sub(/\.(isra|part|constprop|cold)(\..*)?$/, "", name)
	return name
}

# The tables first.
FNR == NR {
	if ($1 == "call")
		for (i = 3; i <= NF; i++)
			pointer[$2] = pointer[$2] " " $i
	else if ($1 == "forbid")
		for (i = 2; i <= NF; i++)
			forbidden[$i] = 1
	else if ($1 == "allow")
		allowed[$2, $3] = 1
	next
}

/^[0-9a-f]+ <.*>:$/ {
	split($2, part, /[<>]/)
	current = base(part[2])
	known[current] = 1
	next
}

/\t(call|jmp) +\*/ { indirect[current]++ }

# A call, or a jump to another function's beginning.
/\t(call|j[a-z]+) +[0-9a-f]+ <[^+>]*>$/ {
	split($NF, part, /[<>]/)
	callee = base(part[2])
	if (callee != current)
		calls[current] = calls[current] " " callee
}

# A trap of the compiler's, the turn of a spinlock: as if they were functions of these names.
/\t(ud2|pause)/ {
	calls[current] = calls[current] " " $2
	known[$2] = 1
}

function way(name,   text) {
	for (text = name; name in from; name = from[name])
		text = from[name] " -> " text
	return text
}

function complain(text) {
	print "NMI: " text
	failed = 1
}

function reach(caller, callee) {
	if ((caller, callee) in allowed) {
		used[caller, callee] = 1
		return
	}
	if (callee in reached)
		return
	if (!(callee in known))
		complain(callee ", which " caller " calls by tools/nmi_calls, is not in the kernel")
	reached[callee] = 1
	from[callee] = caller
	queue[++last] = callee
	if (callee in forbidden)
		complain(way(callee))
}

END {
	if (!("nmi_entry" in known))
		complain("there is no nmi_entry")
	queue[last = 1] = "nmi_entry"
	reached["nmi_entry"] = 1
	for (i = 1; i <= last; i++) {
		caller = queue[i]
		if (caller in indirect && !(caller in pointer))
			complain(way(caller) " calls by a pointer that tools/nmi_calls does not know")
		n = split(calls[caller] pointer[caller], callees, " ")
		for (k = 1; k <= n; k++)
			reach(caller, callees[k])
	}
	for (name in forbidden)
		if (!(name in known))
			complain(name " is forbidden, but not in the kernel: tools/nmi_calls is stale")
	for (name in pointer)
		if (!(name in reached))
			complain(name " is in tools/nmi_calls, but no NMI reaches it")
	for (name in allowed)
		if (!(name in used)) {
			split(name, part, SUBSEP)
			complain(part[1] " does not call " part[2] " any more: tools/nmi_calls is stale")
		}
	if (!failed)
		print "NMI: " last " functions reached, none of them forbidden"
	exit failed
}
