A="$A$A$B" B="--x ${A:-1} ${"
foo --no-x --y=$A --z "q \
# c
" ('