# SPDX-License-Identifier: BSD-2-Clause
# Makes checks of the headers' "Context:" notes: for every public function a thunk (kernel/debug/thunk.inc) that checks
# its calling context, and the linker's --wrap options that put the thunk in its place.
# usage: nm OBJECT... | awk -v options=FILE -f kernel/debug/contexts.awk - kernel/debug/checks/context.h HEADER...
# It prints assembly and writes the options.
#
# A note in the comment above a declaration holds for the declarations that follow without a blank line. "Context of
# all:", "as all here" and the comment of a section ("---- name. Context: task. ----") hold for all declarations without
# a note of their own.
#
# Every allocator of kernel/mem/memory.h must have a replacement in kernel/debug/checks/: the replacements of kfree()
# and page_put() accept only what a replaced allocator returned.

# The functions that the linker will see, and the wrappers that kernel/debug/ already defines.
FNR == NR {
	if (NF > 1 && $(NF - 1) ~ /^[Tt]$/)
		defined[$NF] = 1
	next
}

# The bits by name, as the thunks have them.
FILENAME ~ /debug\/checks\/context\.h$/ {
	if (sub(/^\tCONTEXT_/, "") && sub(/ = 1 << /, "\tequ 1 << "))
		print substr($0, 1, index($0, ",") - 1)
	next
}

FNR == 1 {
	everywhere = comment = declaration = ""
	note = ""
	inside = skip = 0
}

/^\/\*/ { comment = ""; inside = 1 }
inside {
	comment = comment " " $0
	if (/\*\//) {
		inside = 0
		gsub(/[ \t*\/]+/, " ", comment)
		remark(comment)
	}
	next
}

/^(typedef|struct|union|enum|static|extern|#)/ && !/\(/ { next }
/^(static|typedef|#)/ { note = ""; next }
/^$/ { note = ""; declaration = ""; next }
/^[a-zA-Z_].*\(/ { declaration = $0 }
!/^[a-zA-Z_].*\(/ && declaration != "" { declaration = declaration " " $0 }
declaration ~ /;[ \t]*(\/\*.*)?$/ {
	declare(declaration)
	declaration = ""
}

function remark(text,    own) {
	own = ""
	if (match(text, /Context( of all)?: [^.;]*/)) {
		own = substr(text, RSTART, RLENGTH)
		if (own ~ /of all|all here|all below|as below/ || text ~ /----/)
			everywhere = substr(own, index(own, ": ") + 2)
		own = substr(own, index(own, ": ") + 2)
	} else if (text ~ /----/) {
		everywhere = ""
	}
	note = own
}

# The last word before the first parenthesis that is not an attribute's.
function declare(text,    name) {
	gsub(/__attribute__\(\(.*\)\)[ ]*/, "", text)
	if (text ~ /^_Static_assert|\(\*/ || !match(text, /[a-z_][a-z_0-9]*\(/))
		return
	name = substr(text, RSTART, RLENGTH - 1)
	if (FILENAME ~ /kernel\/mem\/memory\.h$/ && text ~ /^void \*[a-z_]*alloc/ && !("debug_" name in defined)) {
		print "kernel/debug/contexts.awk: kernel/debug/checks/ must replace the allocator " name "()" > "/dev/stderr"
		exit failed = 1
	}
	if (name in defined)
		context[name] = note != "" ? note : everywhere
}

# The bits of kernel/debug/checks/context.h.
function bits(text) {
	if (text == "" || text ~ /^any(,|$| but slow)|masked or not|NMI included/ ||
	    text ~ /its start|the processor's start|does not run yet/)
		return "0"
	if (text ~ /^(any but NMI|before a return|a fault of ring 3)/)
		return "NO_NMI"
	if (text ~ /context_run|^(the )?PMI|^interrupts masked, (or|not)|^NMI/)
		return text ~ /not NMI/ ? "MASKED | NO_NMI" : "MASKED"
	if (text ~ /^task,? or (interrupt|scheduler)/)
		return text ~ /interrupts (already )?masked/ ? "LOCKED | MASKED" : "LOCKED"
	if (text ~ /^task/)
		return text ~ /interrupts enabled/ ? "TASK | UNMASKED" : "TASK"
	if (text ~ /^(interrupts masked|idle|scheduler|the switch)/)
		return "MASKED"
	if (text ~ /^start/)
		return "START"
	print "kernel/debug/contexts.awk: which context is \"" text "\"?" > "/dev/stderr"
	exit failed = 1
}

END {
	if (failed)
		exit 1
	for (name in defined)
		if (sub(/^debug_/, "", name) && !(name in context) && name in defined)
			context[name] = ""
	print "%include \"kernel/debug/thunk.inc\""
	for (name in context) {
		wanted = bits(context[name])
		if (wanted == "0" && !("debug_" name in defined))
			continue
		if (name ~ /^sys_/)
			kind = "CALL"
		else
			kind = "debug_" name in defined ? "BEFORE" : "PLAIN"
		printf "%s %s, %s\n", kind, name, wanted
		print "--wrap=" name > options
		checked += wanted != "0"
	}
	printf "; %d functions are checked\n", checked
}
