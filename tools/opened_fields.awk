# SPDX-License-Identifier: BSD-2-Clause
# Finds uses of fields that only the opened event has ([opened] in their comment in pmu/base/event.h) by a pointer that
# may be an inherited event's. Pointers to opened events are called `origin` or `opened`, or come from event_origin(). A
# line with a comment about inherited events is right, as is the code that makes and frees both.
# usage: awk -f tools/opened_fields.awk pmu/base/event.h FILE...     exit status 1: there were some

FILENAME ~ /pmu\/base\/event\.h$/ {
	if (/\[opened\]/ && match($0, /[a-z_]+(,| \*?[a-z_]+)*;/)) {
		name = substr($0, RSTART, RLENGTH - 1)
		sub(/.*[ *]/, "", name)
		fields = fields (fields == "" ? "" : "|") name
	}
	next
}

/inherited/ || FILENAME ~ /pmu\/core\/event\.c$/ {
	next
}

{
	line = $0
	sub(/\/\*.*/, "", line)
	while (match(line, "[a-z_]+(\\([a-z_]*\\))?(->hw\\.|->)(" fields ")[^a-z_(]")) {
		use = substr(line, RSTART, RLENGTH - 1)
		pointer = use
		sub(/->.*/, "", pointer)
		line = substr(line, RSTART + RLENGTH - 1)
		if (pointer ~ /event$/ || pointer ~ /^(child|copy|leader|sibling|self)$/) {
			print FILENAME ":" FNR ": " use ": only the opened event has it"
			failed = 1
		}
	}
}

END {
	if (fields == "") {
		print "no field of event.h is marked [opened]"
		failed = 1
	}
	exit failed
}
