#compdef barepmu
# SPDX-License-Identifier: BSD-2-Clause
# Completion for zsh: bash's, which lies in ../../bash-completion/completions of where this is installed.
autoload -Uz bashcompinit && bashcompinit
source "${funcsourcetrace[1]%/*/*/*}/bash-completion/completions/barepmu"
_bash_complete -o filenames -F _barepmu
