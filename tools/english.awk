# SPDX-License-Identifier: BSD-2-Clause
# Counts the comments with a construction that docs/style.md rejects, for each directory. Consecutive comment lines are
# one comment, and so is a comment behind code.
# usage: awk -f tools/english.awk FILE...               prints DIRECTORY COUNT COMMENTS, then the total
#        awk -v show=1 -f tools/english.awk FILE...     prints FILE:LINE: PATTERN: COMMENT for each such comment
#        awk -v ceiling=LIST -f tools/english.awk FILE...
#            prints the directories above their row "DIRECTORY COUNT" in LIST; exit status 1 if there is one

function pattern(name, regex) {
	names[++patterns] = name
	regexes[patterns] = regex
}

# A comment is matched in lower case, with "^" before each sentence and blanks around each mark of punctuation.
BEGIN {
	before = " (of|for|by|from|to|than|as|with|but|and|is|,) "
	pattern("The same", "\\^ the same ")
	pattern("What", "\\^ what ")
	pattern("Who", "\\^ who |" before "who ")
	pattern("what-clause", before "what ")
	pattern("so many", "(\\^|,|;| is| are| of| for| by| after| at| and) so (many|often|much) ")
	pattern("tell", " (tell|tells|told|telling) ")
	pattern("lie", " (lie|lies|lay|lain) ")
	pattern("but for", " but for ")
	pattern("nobody", " (nobody|somebody)('s)? ")
	pattern("go on", " (go|goes|went|gone|going|get|gets|got|getting) on ")
	pattern("stand", " (stand|stands|stood) ")
	pattern("Of", "\\^ Of ")
	pattern("those", " those (of|that|who|which|in|on|with|from|there) ")
	pattern("too", " too [.;:)$]")
	pattern("anew", " (meanwhile|anew|in vain) ")
	pattern("for good", " for (good|ever) ")
	if (ceiling != "") {
		while ((getline line < ceiling) > 0)
			if (split(line, row, " ") == 2)
				limit[row[1]] = row[2]
	}
}

# The part of a path that has a row: its first directory; below kernel/ and emulator/ its second one as well.
function directory_of(file,   part, n) {
	n = split(file, part, "/")
	if (n == 1)
		return "."
	return n > 2 && part[1] ~ /^(kernel|emulator)$/ ? part[1] "/" part[2] : part[1]
}

function finish(   text, i) {
	if (comment ~ /^ *$/) {
		comment = ""
		return
	}
	text = comment
	comment = ""
	gsub(/"[^"]*"|`[^`]*`/, "QUOTED", text)
	gsub(/ (stand|stands|stood) for/, " means", text)
	gsub(/[.?!] +/, " . ^ ", text)
	gsub(/[,;:()]/, " & ", text)
	sub(/[.]? *$/, " . $ ", text)
	text = " ^ " text
	gsub(/ +/, " ", text)
	gsub(/\^ Of /, "^  Of ", text)
	text = tolower(text)
	gsub(/\^  of /, "^ Of ", text)
	comments[directory]++
	all++
	for (i = 1; i <= patterns; i++)
		if (text ~ regexes[i])
			break
	if (i > patterns)
		return
	count[directory]++
	found++
	if (show)
		printf "%s:%d: %s: %s\n", file, first, names[i], said
}

# A line of a comment. `alone`: no code is before it; `rest`: the comment began in an earlier line.
function add(text, alone, rest) {
	sub(/^[ \t]+/, "", text)
	sub(/[ \t]+$/, "", text)
	if (!rest && (!alone || comment == "" || !was_alone || FNR != last + 1)) {
		finish()
		first = FNR
		file = FILENAME
		directory = directory_of(FILENAME)
		comment = said = text
	} else
		comment = said = comment " " text
	was_alone = alone || rest && was_alone
	last = FNR
}

FNR == 1 {
	finish()
	mark = FILENAME ~ /\.(c|h|inc)$/ ? "//" : FILENAME ~ /\.asm$/ ? ";" : "#"
	inside = 0
}

# The rest of a comment between /* and */.
inside {
	line = $0
	if (sub(/\*\/.*/, "", line))
		inside = 0
	sub(/^[ \t]*\*( SPDX[^*]*)?/, "", line)
	add(line, 0, 1)
	next
}

# "//" after a colon is an address; "#" and ";" behind code are comments only between blanks.
{
	at = match($0, mark == "//" ? "(^|[^:\"])//" : "(^|[ \t])" mark "( |$)")
	if (mark == "//" && match($0, /(^|[ \t])\/\*/) && (!at || RSTART < at)) {
		head = substr($0, 1, RSTART)
		line = substr($0, RSTART)
		sub(/^[ \t]*\/\*+( SPDX[^*]*)?/, "", line)
		if (!sub(/\*\/.*/, "", line))
			inside = 1
		add(line, head ~ /^[ \t\/]*$/)
	} else if (at) {
		match($0, mark == "//" ? "(^|[^:\"])//" : "(^|[ \t])" mark "( |$)")
		head = substr($0, 1, RSTART - 1)
		line = substr($0, RSTART)
		if (line !~ "^" mark)
			head = head substr(line, 1, 1)
		sub("^[^" substr(mark, 1, 1) "]?" mark, "", line)
		if (line !~ /SPDX/)
			add(line, head ~ /^[ \t]*$/)
	}
}

END {
	finish()
	for (directory in comments) {
		if (ceiling == "" && !show)
			printf "%s %d %d\n", directory, count[directory], comments[directory] | "sort"
		else if (ceiling != "" && count[directory] + 0 > limit[directory] + 0) {
			printf "%s: %d comments that docs/style.md rejects, %d allowed: awk -v show=1 -f tools/english.awk\n", \
				directory, count[directory], limit[directory]
			failed = 1
		}
	}
	close("sort")
	if (ceiling == "" && !show)
		printf "total %d %d\n", found, all
	exit failed
}
