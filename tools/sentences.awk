# SPDX-License-Identifier: BSD-2-Clause
# Finds sentences of more than 35 words in documents: a reader has lost the beginning by then. Code blocks, generated
# documents and link targets do not count; a table's cell, a list's item and a heading end a sentence.
# usage: awk -f tools/sentences.awk FILE.md...     prints each with its place; exit status 1 when there is one

BEGIN { MAX = 35 }

# Prints the sentence that began in `line` when it is too long, and begins the next one.
function close_sentence() {
	if (words > MAX) {
		printf "%s:%d: %d words: %.70s ...\n", file, line, words, start
		failed = 1
	}
	words = 0
	start = ""
}

# Adds the text of one line or cell, word by word.
function add(text,   word, n, i) {
	gsub(/`[^`]*`/, "code", text)
	gsub(/\]\([^)]*\)/, "]", text)
	n = split(text, word, /[ \t]+/)
	for (i = 1; i <= n; i++) {
		if (word[i] !~ /[A-Za-z0-9]/)
			continue
		if (!words++)
			line = FNR
		start = start word[i] " "
		if (word[i] ~ /[.!?][)"*_]*$/)
			close_sentence()
	}
}

FNR == 1 { close_sentence(); code = generated = 0; file = FILENAME }
/^```/ { close_sentence(); code = !code; next }
/^<!-- Written by/ { generated = 1 }
code || generated { next }
/^[ \t]*$/ || /^#/ { close_sentence(); next }
/^\|/ {
	close_sentence()
	cells = split($0, cell, "|")
	for (c = 1; c <= cells; c++) {
		add(cell[c])
		close_sentence()
	}
	next
}
/^[ \t]*([-*]|[0-9]+\.) / { close_sentence() }
{ add($0) }
END { close_sentence(); exit failed }
