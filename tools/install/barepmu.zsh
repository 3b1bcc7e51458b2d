#compdef barepmu
# SPDX-License-Identifier: BSD-2-Clause
# Completion for zsh: commands, options from the command's own help, PMUs, files.
_barepmu() {
	if ((CURRENT == 2)); then
		compadd -- ${(f)"$(barepmu --help | sed -n 's/^[usage: ]*barepmu \([a-z]*\).*/\1/p')"}
	elif [[ $words[CURRENT - 1] == --pmu ]]; then
		compadd -- ${(f)"$(barepmu run --pmu help | awk '{ print $1 }')"}
	elif [[ $words[CURRENT - 1] == --core ]]; then
		compadd -- none ${(f)"$(barepmu run --core help | awk '{ print $1 }')"}
	elif [[ $words[CURRENT] == -* ]]; then
		compadd -- ${(f)"$(barepmu --help | grep -o -e '--[a-z][a-z-]*' | sort -u)"}
	else
		_files
	fi
}
_barepmu "$@"
