# SPDX-License-Identifier: BSD-2-Clause
# Checks that the tests which docs/security.md names for each defect are there: the file, and in it each name that it
# prints, or the function. Names are parted by semicolons; where a test prints a number, the name has "N".
# usage: awk -f tools/quoted.awk docs/security.md     prints what is missing, then the number of names

# The file's text, its strings put together again as the compiler does, numbers as N.
function text_of(file,   line, text) {
	while ((getline line <file) > 0)
		text = text " " line
	close(file)
	gsub(/[ \t]+/, " ", text)
	gsub(/" "/, "", text)
	gsub(/%[a-z]+/, "N", text)
	return text
}

/^## / { wanted = /Defects that were found/ }

wanted && /^\| .* \|$/ && !/^\| what was wrong/ {
	cell = $0
	sub(/ \|$/, "", cell)
	sub(/.* \| /, "", cell)
	if (!match(cell, /^`[^`]+`: /)) {
		print "no test: " $0
		next
	}
	file = substr(cell, 2, RLENGTH - 4)
	count = split(substr(cell, RLENGTH + 1), names, /; /)
	text = text_of(file)
	for (i = 1; i <= count; i++) {
		sub(/^and /, "", names[i])
		if (!index(text, names[i]))
			print file " has no test: " names[i]
	}
	total += count
}

END { print total " names" }
