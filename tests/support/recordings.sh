# Recordings made by hand: source it behind shell.sh.

# with_layout FROM TO SED: a recording whose layout somebody changed, with a checksum that is right; fails if nothing was changed.
with_layout() {
    local length
    length=$(od -An -tu4 -j17 -N4 "$1" | tr -d ' ')
    tail -c +26 "$1" | head -c "$length" | sed "$3" >"$WORK/layout"
    cmp -s "$WORK/layout" <(tail -c +26 "$1" | head -c "$length") && return 1
    # shellcheck disable=SC2059
    { printf H; printf "$(printf '%08x' "$(wc -c <"$WORK/layout")" | sed 's/\(..\)\(..\)\(..\)\(..\)/\\x\4\\x\3\\x\2\\x\1/')"; } >"$WORK/head"
    {
        head -c 16 "$1"
        cat "$WORK/head"
        cat "$WORK/head" "$WORK/layout" | gzip -c | tail -c 8 | head -c 4
        cat "$WORK/layout"
        tail -c +$((26 + length)) "$1"
    } >"$2"
}
