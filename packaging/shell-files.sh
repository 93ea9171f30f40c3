#!/usr/bin/env bash
# shell-files.sh PROGRAM FOLDER: manual pages and completions as they lie under share/.
set -euo pipefail
program=$1 folder=$2
export LC_ALL=C
mkdir -p "$folder/man/man1" "$folder/man/zh_CN/man1" "$folder/bash-completion/completions" \
    "$folder/zsh/site-functions" "$folder/fish/vendor_completions.d"
"$program" man > "$folder/man/man1/vernier.1"
LC_ALL=zh "$program" man > "$folder/man/zh_CN/man1/vernier.1"
for command in $(sed -n 's/^\\fBvernier \([a-z]*\)\\fR.*/\1/p' "$folder/man/man1/vernier.1" | sort -u); do
    "$program" man "$command" > "$folder/man/man1/vernier-$command.1"
    LC_ALL=zh "$program" man "$command" > "$folder/man/zh_CN/man1/vernier-$command.1"
done
"$program" completion bash > "$folder/bash-completion/completions/vernier"
"$program" completion zsh > "$folder/zsh/site-functions/_vernier"
"$program" completion fish > "$folder/fish/vendor_completions.d/vernier.fish"
touch "$folder/made"
