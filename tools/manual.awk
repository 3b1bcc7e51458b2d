# SPDX-License-Identifier: BSD-2-Clause
# Makes a command's manual page from its help (standard input) and its text (packaging/install/manual/COMMAND):
# awk -v name=COMMAND -v version=N.N.N -f tools/manual.awk TEXT -
#
# The text has sections, each begun by its name on a line. A line that begins with two spaces or a tab explains
# the unindented line before it, an example or a file; other sections are paragraphs.
function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	sub(/^\./, "\\\\\\&.", text)
	sub(/^'/, "\\\\\\&'", text)
	return text
}

function put_text(wanted) {
	for (i = 1; i <= lines; i++)
		if (section[i] == wanted)
			print text[i]
}

function put_section(heading) {
	print ".SH " heading
	put_text(heading)
}

# A row of the help: "  -e EVENTS   what it is", continued by lines with a deeper indent.
function put_option(line) {
	sub(/^  /, "", line)
	at = match(line, /  +/)
	print ".TP\n\\fB" escape(at ? substr(line, 1, at - 1) : line) "\\fR"
	if (at)
		print escape(substr(line, at + RLENGTH))
}

FILENAME != "-" {
	if ($0 ~ /^(DESCRIPTION|NOTES|EXAMPLES|FILES)$/) {
		heading = $0
		next
	}
	if (heading == "DESCRIPTION" || heading == "NOTES")
		text[++lines] = $0 == "" ? ".PP" : escape($0)
	else if ($0 ~ /^(  |\t)/) {
		sub(/^[ \t]+/, "")
		text[++lines] = escape($0)
	} else if ($0 != "")
		text[++lines] = ".TP\n\\fB" escape($0) "\\fR"
	section[lines] = heading
	headings[heading] = 1
	next
}

/^usage: / {
	sub(/^usage: /, "")
	synopsis = $0
	next
}

synopsis != "" && !says && /^  / {
	sub(/^ +/, "")
	synopsis = synopsis " " $0
	next
}

!says && index($0, name ": ") == 1 {
	says = substr($0, length(name) + 3)
	sub(/\.$/, "", says)
	print ".\\\" SPDX-License-Identifier: BSD-2-Clause"
	print ".TH BAREPMU\\-" toupper(escape(name)) " 1 \"\" \"barepmu " version "\" \"User Commands\""
	print ".SH NAME\nbarepmu\\-" escape(name) " \\- " escape(says)
	print ".SH SYNOPSIS\n.B " escape(synopsis)
	put_section("DESCRIPTION")
	next
}

says && /^  [^ ]/ {
	if (!options++)
		print ".SH OPTIONS"
	put_option($0)
	next
}

says && /^    / {
	sub(/^ +/, "")
	print escape($0)
	next
}

says && /^[A-Z]/ {
	notes = notes escape($0) "\n"
}

END {
	if (!says)
		exit 1
	if (notes)
		printf ".PP\n%s", notes
	if ("NOTES" in headings)
		put_section("NOTES")
	print ".SH EXIT STATUS\nAs"
	print ".BR barepmu (1)\nsays."
	put_section("EXAMPLES")
	put_section("FILES")
	print ".SH SEE ALSO\n.BR barepmu (1)"
}
