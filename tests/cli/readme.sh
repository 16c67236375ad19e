#!/usr/bin/env bash
# The README tells the truth: each command of its ```console blocks is run again and must print what stands there (lines that say
# how fast this machine is are left out), and its picture is the one that tests/picture.sh draws. readme.sh write: puts what they
# print now into the README, and the picture beside it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# One file a command, NNN.command and NNN.expected; README.parts is the README with @NNN in place of what a command prints.
awk -v folder="$WORK" '
    /^```console$/ { inside = 1 }
    /^```$/ { inside = 0 }
    { begins = inside && /^\$ /; belongs = inside && /^> / }
    begins || belongs { print substr($0, 3) >(file = sprintf("%s/%03d.command", folder, count += begins)) }
    begins { printf "" >(sprintf("%s/%03d.expected", folder, count)) }
    inside && !begins && !belongs && !/^```/ { print >(sprintf("%s/%03d.expected", folder, count)); next }
    pending && !belongs { printf "@%03d\n", count - begins; pending = 0 }
    { print >"/dev/stdout"; pending = pending || begins }' README.md >"$WORK/README.parts"

mkdir "$WORK/bin"
ln -s "$RUBATO" "$WORK/bin/rubato"
for command in "$WORK"/*.command; do
    sed -i "s|\./rubato|$WORK/bin/rubato|g; s|first\.db|$WORK/first.db|g" "$command"
    bash "$command" 2>&1 </dev/null | sed "s/ *\$//; s|$WORK/||g" >"${command%.command}.printed"
done

progress='^[0-9]+ of [0-9]+ points, '
if [ "${1:-}" = write ]; then
    while IFS= read -r line; do
        case $line in
            @[0-9][0-9][0-9]) grep -vE "$progress" "$WORK/${line#@}.printed" ;;
            *) printf '%s\n' "$line" ;;
        esac
    done <"$WORK/README.parts" >"$WORK/README.md"
    cp "$WORK/README.md" README.md
    exec tests/picture.sh viz/first-sweep.svg
fi

# Without lines that say how fast this machine is; of a replay's, the events stay.
timeless() { sed -E 's/^replayed in .*, ([0-9]+ events)$/replayed: \1/' "$1" | grep -vE "^(replayed|driven|swept) in |$progress"; }

for command in "$WORK"/*.command; do
    base=${command%.command}
    name="README: $(head -n 1 "$command" | sed "s|$WORK/bin/|./|g; s|$WORK/||g" | cut -c 1-80)"
    if diff <(timeless "$base.expected") <(timeless "$base.printed") >"$WORK/diff"; then
        ok "$name"
    else
        not_ok "$name"
        sed 's/^/    /' "$WORK/diff"
    fi
done
tests/picture.sh "$WORK/picture.svg" && check 'README: the picture' cmp "$WORK/picture.svg" viz/first-sweep.svg
