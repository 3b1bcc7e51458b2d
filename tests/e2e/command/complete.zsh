# SPDX-License-Identifier: BSD-2-Clause
# What zsh makes of words when TAB is pressed after them: complete.zsh FUNCTIONS BIN WANTED WORDS. Prints its terminal's
# text, up to WANTED if that comes within a minute.
zmodload zsh/zpty
typeset text part

# Reads what comes, until it has the extended expression $1.
await() {
	integer tenths=0
	while [[ ! $text =~ $1 ]] && ((tenths++ < 600)); do
		sleep 0.1
		while zpty -r -t shell part; do
			text+=$part
		done
	done
}

zpty shell zsh -f -i
zpty -w shell "PROMPT=; PATH=$2:\$PATH; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; setopt nolistbeep"
zpty -w shell 'print $((6*7)) ready'
await "42 ready"
text=
zpty -n -w shell "$4"$'\t'
await "$3"
print -r -- "$text"
zpty -d shell
