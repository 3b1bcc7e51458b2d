# SPDX-License-Identifier: BSD-2-Clause
# Writes docs/tables/conformance.md: each clause of tests/conformance with an id, its states and its test. Reports an
# error for an unknown state, for a clause that works without a test, and for a test without the words of its clause.
# usage: awk -f tools/conformance.awk tests/conformance

function fail(what) {
	print "tests/conformance:" FNR ": " what >"/dev/stderr"
	failed = 1
}

# The whole of the first of a test's files that is there.
function text_of(path,    suffixes, n, i, line, text) {
	if (path in texts)
		return texts[path]
	n = split(".c .t", suffixes, " ")
	for (i = 1; i <= n && text == ""; i++)
		while ((getline line <("tests/" path suffixes[i])) > 0)
			text = text line "\n"
	return texts[path] = text
}

function check(test,    colon, path) {
	if (test == "-")
		return
	colon = index(test, ": ")
	path = substr(test, 1, colon - 1)
	if (!colon || !index(text_of(path), substr(test, colon + 2)))
		fail("no such test: " test)
}

# A table's cell.
function cell(text) {
	gsub(/\|/, "\\|", text)
	return text
}

BEGIN { FS = " [|] " }
/^#/ || /^$/ { next }
/^= / {
	letter = substr($0, 3, 1)
	title[++documents] = substr($0, 5)
	number = 0
	next
}
{
	if ($1 !~ /^(works|part|absent)$/ || $2 !~ /^(works|part|absent)$/ || NF < 4)
		fail("not a row: " $0)
	if ($1 == "works" && $4 == "-")
		fail("works, and no test says so: " $3)
	check($4)
	here[documents, $1]++
	there[documents, $2]++
	all[documents]++
	test = $4 == "-" ? "" : $4
	colon = index(test, ": ")
	if (colon)
		test = "`" substr(test, 1, colon - 1) "`: " substr(test, colon + 2)
	rows[documents] = rows[documents] "| " letter (++number) " | " cell($3) " | " $1 " | " $2 " | " cell(test) " | " \
		cell($5) " |\n"
}
END {
	print "# Conformance\n\n<!-- Written by `make docs/tables/conformance.md` from tests/conformance. -->\n"
	print "What the documents of `perf_event_open(2)` promise, clause by clause: whether it works here, on Debian's 6.1 in"
	print "the same emulator, and which words of which file of `tests/` ask for it. What only part of works or is absent"
	print "says why; a clause without a test is claimed by nobody. " \
		"A test fails when a row names a test that is not there.\n"
	print "| document | clauses | work here | part | absent | work on Debian's 6.1 |\n|---|---|---|---|---|---|"
	for (i = 1; i <= documents; i++)
		printf "| %s | %d | %d | %d | %d | %d |\n", title[i], all[i], here[i, "works"], here[i, "part"],
			here[i, "absent"], there[i, "works"]
	for (i = 1; i <= documents; i++)
		printf "\n## %s\n\n| id | clause | here | Debian | test | note |\n|---|---|---|---|---|---|\n%s", title[i], rows[i]
	exit failed
}
