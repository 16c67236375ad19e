#!/usr/bin/env bash
# The documents hold together: each section of docs/spec that a comment, script or document cites ("classic-memory 4.8") exists, and
# so does each file and heading that a document links to.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

report() {    # NAME FINDINGS: ok without findings
    if [ -z "$2" ]; then ok "$1"; else not_ok "$1"; printf '%s\n' "$2" | head -n 40 | sed 's/^/    /'; fi
}

# The headings of documents outside code blocks, as FILE:TEXT.
headings() { awk '/^ *```/ { code = !code } !code && /^#+ / { sub(/^#+ +/, ""); print FILENAME ":" $0 }' "$@"; }

names=$(find docs/spec -name '*.md' ! -name README.md -printf '%f\n' | sed 's/\.md$//' | paste -sd '|')
headings docs/spec/*.md | sed -nE 's,^docs/spec/(.*)\.md:(Appendix )?([0-9.]+[0-9]|[0-9]|[A-Z])[. ].*,\1 \3,p' | sort -u >"$WORK/sections"

# Citations may go over the end of a comment's line and name several sections: "classic-memory 4.8, 4.10 and 5.3".
citations() {
    local file
    for file in "$@"; do
        sed -E 's|^ *[*#]+ +||' "$file" | tr '\n' ' ' | grep -oE "\b($names)(\.md)?,? +(section )?[0-9]+(\.[0-9]+)*((,| and| to|;) [0-9]+(\.[0-9]+)+)*" |
            sed -E 's/\.md//; s/section //; s/,|;| and| to/ /g' | awk -v file="$file" '{ for (i = 2; i <= NF; i++) print $1, $i, file }'
    done
}
mapfile -t files < <(find Makefile README.md base proto memsys replay sweep viz cli configs tests docs \
    \( -name '*.[ch]' -o -name '*.sh' -o -name '*.md' -o -name '*.yaml' -o -name '*.tsv' -o -name Makefile \) ! -path '*/golden/*' \
    ! -name docs.sh -exec grep -lE "\b($names)\b" {} +)
citations "${files[@]}" | sort >"$WORK/citations"
[ "$(wc -l <"$WORK/citations")" -gt 250 ] || not_ok 'citations are found'
# Systems whose comments are numbers of sections say so at the top, with the document's name.
for file in configs/*.yaml configs/*/*.yaml; do
    spec=$(sed -nE 's,.*sections of docs/spec/([a-z-]+)\.md.*,\1,p' "$file")
    [ -z "$spec" ] || sed -nE 's/^[^#]*[^# ].*# ([0-9]+(\.[0-9]+)*)([:,;].*|)$/\1/p' "$file" | sed "s|.*|$spec & $file|" >>"$WORK/citations"
done
report 'cited sections exist' "$(awk 'NR == FNR { known[$1, $2] = 1; next } !(($1, $2) in known) { print $3 ": " $1 " " $2 }' \
    "$WORK/sections" "$WORK/citations")"

# A heading's anchor, as web pages of repositories make it: small letters, digits and hyphens.
mapfile -t documents < <(find . -name '*.md' ! -path './build/*' | sed 's|^\./||')
headings "${documents[@]}" | awk '{
    colon = index($0, ":"); file = substr($0, 1, colon - 1); text = tolower(substr($0, colon + 1))
    gsub(/[][`!"#$%&\x27()*+,.\/:;<=>?@\\^{|}~]/, "", text); gsub(/ /, "-", text)
    print file "#" text
}' >"$WORK/anchors"
broken=$(for file in "${documents[@]}"; do
    awk '/^ *```/ { code = !code } !code { gsub(/`[^`]*`/, ""); print }' "$file" | grep -oE '\]\([^() ]+\)' | sed -E 's/^..//; s/.$//' |
        grep -vE '^(https?|mailto):' | while IFS= read -r link; do
        path=${link%%#*}
        if [ -n "$path" ]; then path=$(realpath -m --relative-to=. "$(dirname "$file")/$path"); else path=$file; fi
        [ -e "$path" ] || { echo "$file: $link: no such file"; continue; }
        case $link in
            *#*) grep -qxF "$path#${link#*#}" "$WORK/anchors" || echo "$file: $link: no such heading" ;;
        esac
    done
done)
report 'links lead somewhere' "$broken"
# Pictures that documents show: the help of a goal of make says that it makes them, the file or its folder by name.
report 'a goal of make makes each picture' "$(for file in "${documents[@]}"; do
    grep -oE '!\[[^]]*\]\([^() ]+\)|<img [^>]*src="[^"]+"' "$file" | sed -E 's/^.*(\(|src=")//; s/[)"].*$//' | while IFS= read -r picture; do
        path=$(realpath -m --relative-to=. "$(dirname "$file")/$picture")
        awk -v path="$path" -v folder="$(dirname "$path")" '/^#: make [a-z-]+ / { for (i = 4; i <= NF; i++) {
            word = $i; sub(/[:,.;]+$/, "", word); found += word == path || word == folder } } END { exit !found }' Makefile ||
            echo "$file: $picture: no line of \`make help\` names it or its folder"
    done
done)"
# Files that documents name, such as `memsys/sim/event.h`, but for programs that are built and three that the guide's reader makes.
report 'files that documents name exist' "$(for file in "${documents[@]}"; do
    case $file in docs/spec/[!R]*) continue ;; esac
    grep -oE '`(base|proto|memsys|replay|sweep|viz|cli|configs|tests|docs)/[A-Za-z0-9_./*-]+`' "$file" | tr -d '`' | sort -u |
        grep -vE '/(nmru|previous_line|last)\.c$|NAME|\.\.\./|^tests/(oracle|gpu-counts|gpu-timing|macsim-facts|o3-timing)$' | while IFS= read -r path; do
        compgen -G "$path" >/dev/null || compgen -G "$(dirname "$file")/$path" >/dev/null || echo "$file: $path"
    done
done)"
# Files that comments name, by their path from the top, or from tests/ or tests/unit/; generated files are in build/.
report 'files that comments name exist' "$(grep -roE '\b(base|proto|memsys|replay|sweep|viz|cli|configs|tests|docs)/[A-Za-z0-9_/-]+\.(c|h|sh|md|tsv|yaml)\b' \
    --include='*.[ch]' base proto memsys replay sweep viz cli tests | sort -u | while IFS=: read -r file path; do
        [ -e "$path" ] || [ -e "tests/$path" ] || [ -e "tests/unit/$path" ] || [ -e "configs/$path" ] || [ -e "$BUILD/gen/$path" ] ||
            grep -qF "gen/$path" Makefile || echo "$file: $path"
    done)"
find base proto memsys replay sweep viz cli tests -printf '%f\n' | sort -u >"$WORK/files"
report 'files that READMEs of folders name exist' "$(find base proto memsys replay sweep viz cli tests -name README.md | while IFS= read -r file; do
    grep -oE '`[a-z0-9_]+\.(c|h|sh|tsv)`' "$file" | tr -d '`' | sort -u | grep -vxFf "$WORK/files" | sed "s|^|$file: |"
done)"

# Options named in documents are in the help of a command.
mapfile -t commands < <("$RUBATO" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; "$RUBATO" trace --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/trace \1/p')
for command in '' "${commands[@]}"; do
    # shellcheck disable=SC2086    # "trace info" is two words
    "$RUBATO" $command --help
done | grep -oE -- '--[a-z0-9-]+' | sort -u >"$WORK/options"
report 'options that documents name exist' "$(for file in README.md docs/*.md; do
    awk '/^ *```/ { code = !code } !code' "$file" | grep -oE '`[^`]+`' | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u |
        grep -vxFf "$WORK/options" | sed "s|^|$file: |"
done)"
report 'every document is in a table of contents' "$(for file in docs/*.md docs/spec/*.*; do
    case $file in
        */README.md) continue ;;
    esac
    grep -qF "($(basename "$file"))" "$(dirname "$file")/README.md" || echo "$file"
done)"
report 'each fast path is in the table of docs/architecture.md' "$(sed -nE 's/^ +F\(([a-z_]+), ".*/\1/p' memsys/sim/sim_engine.h | while IFS= read -r name; do
    grep -q "^| .$name. |" docs/architecture.md || echo "$name"
done)"
