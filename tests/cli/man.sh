#!/usr/bin/env bash
# Man pages: every command has one; it says all that --help says, is sound for groff and mandoc where they are there, refers to pages
# and chapters that exist; its examples run, in the order of the pages. Its bytes depend on nothing but the command and the date.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

pages=$WORK/man
export SOURCE_DATE_EPOCH=1700000000
check 'make man: all pages' cli/options/pages.sh "$RUBATO" "$pages"
check 'again the same bytes' eval 'cli/options/pages.sh "$RUBATO" "$WORK/again" && diff -r "$pages" "$WORK/again"'

# ---- make man takes the build that is there, whichever it is, and compiles nothing
made_of() {    # NAME FILE: the only build of a tree
    local tree=$WORK/tree.${2//\//-} entry
    mkdir -p "$tree/$(dirname "$2")"
    for entry in * .ci; do
        case $entry in build | rubato) ;; *) ln -s "$PWD/$entry" "$tree/$entry" ;; esac
    done
    ln -s "$(realpath "$RUBATO")" "$tree/$2"
    MAKEFLAGS= MAKELEVEL=0 timeout 120 make -C "$tree" man completions >"$WORK/made" 2>&1
    if diff -rq "$tree/build/man" "$pages" >/dev/null && ! grep -qE '^(CC|LINK) ' "$WORK/made" && [ -s "$tree/build/completions/rubato.bash" ]
    then ok "make man: $1"; else not_ok "make man: $1"; tail -n 3 "$WORK/made" | sed 's/^/    /'; fi
}
made_of './rubato of a release' rubato
made_of 'a release that stands below build/' build/release/rubato
made_of 'a build with sanitizers' build/sanitize/rubato
made_of 'a debug build' build/debug/rubato
check 'the date is that of SOURCE_DATE_EPOCH' grep -q '^\.TH RUBATO-SWEEP 1 2023-11-14 ' "$pages/rubato-sweep.1"
refused 'another form' '--help=html: expected --help, --help=man' "$RUBATO" sweep --help=html
refused 'another form, of all' '--help=: expected --help, --help=man' "$RUBATO" --help= >/dev/null

mapfile -t commands < <("$RUBATO" --help=table | awk -F '\t' '$1 == "member" && $2 != "trace" { print $2 }'
    "$RUBATO" trace --help=table | awk -F '\t' '$1 == "member" { print "trace " $2 }')
check 'there are commands' [ "${#commands[@]}" -ge 20 ]

# The page as text, and --help's text, as one line without what roff and --help add to it.
plain() { sed -E 's/^\.(SH|TP|PP|nf|fi|RS.*|RE|SY.*|YS|TH.*|ad.*|nh|BR.*|\\").*$//; s/\\f[BIR]//g; s/\\&//g; s/\\e/\\/g; s/\\-/-/g
    s/\\\((dq)/"/g; s/\\\(aq/\x27/g; s/\\\(ti/~/g; s/\\\(ha/^/g' "$1" | tr -s ' \n' ' '; }
one_line() { tr -d '`' | tr -s ' \n' ' '; }
for command in "${commands[@]}"; do
    page=$pages/rubato-${command// /-}.1
    # shellcheck disable=SC2086    # "trace info" is two words
    {
        "$RUBATO" $command --help >"$WORK/help"
        "$RUBATO" $command --help=table >"$WORK/table"
    }
    check "$command: has a page of its own" [ "$(head -n 1 "$WORK/table")" = "$(printf 'command\t%s' "$command")" ]
    plain "$page" >"$WORK/plain"
    missing=$(while IFS=$'\t' read -r what name argument _ words help; do
        [ "$what" = option ] || continue
        argument=${argument#-}
        if [ -n "$argument" ] && [ "${argument#[}" = "$argument" ]; then argument=" $argument"; fi
        # --words is empty for most: a tab may be lost in reading
        grep -qF -- "--$name$argument $(printf '%s' "${help:-$words}" | one_line)" "$WORK/plain" || echo "--$name"
    done < <(sed 's/\t\t/\t.\t/g' "$WORK/table"))
    # The text before and after the options, sentence by sentence.
    for part in "$(sed -n '/^Usage:/,/^Options:/{/^Usage:/d;/^Options:/d;/^       /d;p}' "$WORK/help" | sed '/^rubato /d')" \
        "$(awk '/^Options:/ { inside = 1 } inside && /^  --help/ { behind = 1; next } behind' "$WORK/help")"; do
        missing+=$(printf '%s\n' "$part" | one_line | sed 's/\([.:]\) /\1\n/g; s/ \(Exit code\)/\n\1/g; s/^ //; s/ $//' | while IFS= read -r sentence; do
            sentence=${sentence# }
            [ -z "${sentence% }" ] || grep -qF -- "${sentence% }" "$WORK/plain" || printf ' [%s]' "$sentence"
        done)
    done
    if [ -z "$missing" ]; then ok "$command: the page says what --help says"; else
        not_ok "$command: the page says what --help says"
        printf '    not there: %s\n' "$missing" | head -n 5
    fi
    check "$command: and more" grep -q '^\.SH EXAMPLES' "$page"
done

all=$(find "$pages" -name '*.1' | sort)
for page in $all; do
    for name in $(sed -n 's/^\.BR \(rubato[^ ]*\) (1).*/\1/p' "$page" | sed 's/\\-/-/g'); do
        [ -f "$pages/$name.1" ] || echo "$(basename "$page"): $name(1)"
    done
    chapter=$(sed -n 's/^The chapter \\fI\(.*\)\\fR of the documents\.$/\1/p' "$page" | sed 's/\\-/-/g')
    [ -f "$chapter" ] || echo "$(basename "$page"): chapter $chapter"
    awk -v page="$(basename "$page")" 'variable && /^\./ { print page ": " variable ": no text" } { variable = "" }
        /^\.SH/ { inside = /ENVIRONMENT/ } inside && /^\\fB[A-Z_]+\\fR$/ { variable = $0 }' "$page"
done >"$WORK/lost"
check 'pages refer to pages and chapters that exist' diff "$WORK/lost" /dev/null

if command -v mandoc >/dev/null; then
    # shellcheck disable=SC2086
    check 'mandoc has no complaint' eval '! mandoc -T lint -W warning '"$(echo $all)"' | grep .'
else
    skip 'mandoc -T lint: there is no mandoc'
fi
has_man_db() { man --help 2>/dev/null | grep -q -- --warnings; }
if has_man_db && command -v groff >/dev/null; then
    for page in $all; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>>"$WORK/warnings" >"$WORK/$(basename "$page").text"
    done
    check 'groff has no warnings' diff "$WORK/warnings" /dev/null
    check 'man -l shows the page' grep -q '^ *rubato sweep SPEC.yaml --collect \[-o RESULTS.db\]$' "$WORK/rubato-sweep.1.text"
else
    skip 'man --warnings (2): there is no man-db, or no groff'
fi

# ---- examples
mkdir "$WORK/bin" "$WORK/place"
ln -s "$RUBATO" "$WORK/bin/rubato"
cp -r "$TRACES/triad" "$WORK/place/gem5"
cp -r "$TRACES/gpu-raw" "$WORK/place/kernels"
cp "$TRACES/detailed/sort.rbt" "$WORK/place/program.rbt"
cp docs/examples/modules/next_line.c "$WORK/place"
seq 1 20000 | awk '{ print (7919 * $1) % 100003 }' >"$WORK/place/words.txt"
cat >"$WORK/place/sweep.yaml" <<'END'
system: default
traces: gem5
axes:
  l2.size: [256KiB, 1MiB]
  l1d.mshrs: [4, 8]
END
count=0
for command in '' "${commands[@]}"; do
    page=$pages/rubato${command:+-${command// /-}}.1
    awk '/^\.SH/ { inside = /EXAMPLES/ } inside && /^\.RS 4/ { example = 1; next } /^\.RE/ { if (example) printf "%c", 0; example = 0 } example' "$page" |
        sed 's/\\-/-/g; s/\\(dq/"/g; s/\\(aq/\x27/g; s/\\&//g; s/\\e/\\/g' >"$WORK/examples"
    while IFS= read -r -d '' example; do
        count=$((count + 1))
        case $example in
            *capture*) command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ] || { skip "example: nothing to capture with"; continue; } ;;
            *true.rbt*) [ -f "$WORK/place/true.rbt" ] || { skip 'example: nothing was captured'; continue; } ;;
            *'man -l'*) has_man_db || { skip 'example: there is no man-db'; continue; } ;;
        esac
        (cd "$WORK/place" && PATH=$WORK/bin:$PATH bash -e -o pipefail -c "$example") >"$WORK/said" 2>&1 </dev/null
        code=$?
        if [ $code = 0 ]; then ok "example: ${example%%$'\n'*}"; else
            not_ok "example: ${example%%$'\n'*}"
            echo "    exit code $code"
            head -n 3 "$WORK/said" | sed 's/^/    /'
        fi
    done <"$WORK/examples"
done
check "there are examples ($count)" [ "$count" -gt 40 ]
