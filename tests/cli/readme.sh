#!/usr/bin/env bash
# The README tells the truth: each command of its ```console blocks is run again and must print what stands there (lines that say
# how fast this machine is are left out), and its picture is the one that the command draws.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# One file a command: NNN.command and NNN.expected
awk -v folder="$WORK" '
    /^```console$/ { inside = 1; next }
    /^```$/ { inside = 0 }
    !inside { next }
    /^\$ / { file = sprintf("%s/%03d", folder, ++count); print substr($0, 3) >(file ".command"); printf "" >(file ".expected"); next }
    /^> / { print substr($0, 3) >(file ".command"); next }
    { print >(file ".expected") }' README.md

steady() { sed -e '/^replayed in /d' -e 's/ *$//' "$1"; }

mkdir "$WORK/bin"
ln -s "$RUBATO" "$WORK/bin/rubato"
for command in "$WORK"/*.command; do
    sed -i "s|\./rubato|$WORK/bin/rubato|g" "$command"
    bash "$command" >"$WORK/printed" 2>&1 </dev/null
    name="README: $(head -n 1 "$command" | sed "s|$WORK/bin/|./|g" | cut -c 1-80)"
    if diff <(steady "${command%.command}.expected") <(steady "$WORK/printed") >"$WORK/diff"; then
        ok "$name"
    else
        not_ok "$name"
        sed 's/^/    /' "$WORK/diff"
    fi
done

tests/picture.sh "$WORK/picture.svg" && check 'README: the picture' cmp "$WORK/picture.svg" viz/first-sweep.svg
