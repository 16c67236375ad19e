#!/usr/bin/env bash
# The README and the documents are correct: each command of their ```console blocks is run again and must print the
# text shown there (except lines with the speed of the machine), and the picture of docs/sweeps.md is the one that
# tests/support/picture.sh draws. The README's sweep, which is the bundled one, takes less than a minute.
# readme.sh write: puts the present output into the documents, and the picture in its place.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

documents=${DOCUMENTS:-README.md docs/*.md}       # in this order: docs/sweeps.md looks at the results of the README's sweep
progress='^[0-9]+ of [0-9]+ (points|designs), '
mkdir "$WORK/bin"
ln -s "$RUBATO" "$WORK/bin/rubato"

# Without lines that say how fast this machine is; of a replay's, the events stay.
timeless() { sed -E 's/^replayed in .*, ([0-9]+ events)$/replayed: \1/' "$1" | grep -vE "^(replayed|driven|swept) in |$progress"; }

# run DOCUMENT FOLDER: one file a command in FOLDER, NNN.command, NNN.expected, NNN.printed and NNN.took; parts is the document with
# @NNN in place of what a command prints.
TIMEFORMAT='%R %U %S'
run() {
    local command
    mkdir -p "$2"
    awk -v folder="$2" '
        /^```console$/ { inside = 1 }
        /^```$/ { inside = 0 }
        { begins = inside && /^\$ /; belongs = inside && /^> / }
        begins || belongs { print substr($0, 3) >(file = sprintf("%s/%03d.command", folder, count += begins)) }
        begins { printf "" >(sprintf("%s/%03d.expected", folder, count)) }
        inside && !begins && !belongs && !/^```/ { print >(sprintf("%s/%03d.expected", folder, count)); next }
        pending && !belongs { printf "@%03d\n", count - begins; pending = 0 }
        { print >"/dev/stdout"; pending = pending || begins }' "$1" >"$2/parts"
    for command in "$2"/*.command; do
        [ -f "$command" ] || continue
        sed -i "s|\./rubato|$WORK/bin/rubato|g; s#\(first\|defences\|window\)\.db#$WORK/\1.db#g; s#sort\.champsim\.xz\|calls\.log#$WORK/&#g" "$command"
        sed -i "s#\(\./\)\?srrip\.so#$WORK/srrip.so#g" "$command"
        { time bash "$command" 2>&1 </dev/null | sed "s/ *\$//; s|$WORK/||g" >"${command%.command}.printed"; } 2>"${command%.command}.took"
    done
}

write() {    # DOCUMENT FOLDER
    while IFS= read -r line; do
        case $line in
            @[0-9][0-9][0-9]) grep -vE "$progress" "$2/${line#@}.printed" ;;
            *) printf '%s\n' "$line" ;;
        esac
    done <"$2/parts" >"$2/document"
    cmp -s "$2/document" "$1" || cp "$2/document" "$1"
}

compare() {    # DOCUMENT FOLDER
    local command base name
    for command in "$2"/*.command; do
        [ -f "$command" ] || continue
        base=${command%.command}
        name="$1: $(head -n 1 "$command" | sed "s|$WORK/bin/|./|g; s|$WORK/||g" | cut -c 1-80)"
        if diff <(timeless "$base.expected") <(timeless "$base.printed") >"$WORK/diff"; then
            ok "$name"
        else
            not_ok "$name"
            sed 's/^/    /' "$WORK/diff"
        fi
    done
}

for document in $documents; do
    run "$document" "$WORK/$document.parts"
    if [ "${1:-}" = write ]; then write "$document" "$WORK/$document.parts"; else compare "$document" "$WORK/$document.parts"; fi
done
[ "${1:-}" != write ] || exec tests/support/picture.sh viz/first-sweep.svg
sweep=$(grep -l ' sweep configs/sweep/first.yaml' "$WORK"/README.md.parts/*.command)
read -r wall processor < <(awk '{ print $1, $2 + $3 }' "${sweep%.command}.took")
if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    skip 'the bundled sweep below a minute: a build with sanitizers'
elif awk -v wall="$wall" -v used="$processor" 'BEGIN { exit !(wall >= 60 && used < 60 && used < 1.2 * wall) }'; then
    skip "the bundled sweep below a minute: others use the machine ($wall s, $processor s of processor time)"
else
    check "the bundled sweep: $wall s, below a minute ($processor s of processor time)" awk -v wall="$wall" 'BEGIN { exit !(wall < 60) }'
fi
tests/support/picture.sh "$WORK/picture.svg" && check 'docs/sweeps.md: the picture' cmp "$WORK/picture.svg" viz/first-sweep.svg
