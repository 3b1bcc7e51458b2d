#compdef barepmu
# SPDX-License-Identifier: BSD-2-Clause
# Completion for zsh: loads bash's, installed in ../../bash-completion/completions relative to this file.
autoload -Uz bashcompinit && bashcompinit
source "${funcsourcetrace[1]%/*/*/*}/bash-completion/completions/barepmu"
_bash_complete -o filenames -F _barepmu
