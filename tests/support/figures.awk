# Figures of documents. Files, in this order: docs/figures.tsv (KEY VALUE COMMAND), docs/figures-in-text.tsv (DOCUMENT PHRASE [REASON]),
# then one document; lines with # are comments. A PHRASE stands in its document, with {KEY} for the value as it is, or {KEY:FORM}, where
# FORM is any of a (magnitude), d (in percent), c (how much less than 100 that is), t (in thousands), g (digits in groups of three),
# + (with its sign), and then the number of decimals.
#
#     awk -f tests/support/figures.awk -v mode=check -v name=docs/accuracy.md docs/figures.tsv docs/figures-in-text.tsv docs/accuracy.md
#
# mode check: a line for each phrase that is not there, and for each figure that no phrase has: a number with %, times, million,
# billion, thousand, MB, GB or a time behind it; outside code, and, in docs/, of signed or two decimals alone in cells of tables.
# mode rewrite, with old=OLD_VALUES: the document with the new values where the old ones stood.
# mode keys: the keys that phrases use.

function shown(key, form, values,    value, decimals) {
    if (!(key in values)) {
        print name ": {" key "} is not in docs/figures.tsv" >"/dev/stderr"
        return "{" key "}"
    }
    value = values[key]
    used[key] = 1
    if (form == "")
        return value
    decimals = form
    gsub(/[^0-9]/, "", decimals)
    value += 0
    if (form ~ /d/) value *= 100
    if (form ~ /c/) value = 100 - value
    if (form ~ /a/ && value < 0) value = -value
    if (form ~ /t/) value /= 1e3
    value = sprintf("%" (form ~ /\+/ ? "+" : "") "." (decimals + 0) "f", value)
    if (form ~ /g/)
        while (match(value, /[0-9][0-9][0-9][0-9]+(,|$)/)) {
            match(value, /[0-9][0-9][0-9](,|$)/)
            value = substr(value, 1, RSTART - 1) "," substr(value, RSTART)
        }
    return value
}

function filled(phrase, values,    text, slot, colon) {
    text = ""
    while (match(phrase, /\{[a-z0-9_.-]+(:[actdg+]*[0-9]+)?\}/)) {
        slot = substr(phrase, RSTART + 1, RLENGTH - 2)
        text = text substr(phrase, 1, RSTART - 1)
        phrase = substr(phrase, RSTART + RLENGTH)
        colon = index(slot, ":")
        text = text (colon ? shown(substr(slot, 1, colon - 1), substr(slot, colon + 1), values) : shown(slot, "", values))
    }
    return text phrase
}

# Every occurrence of `phrase` becomes `other`.
function replaced(text, phrase, other,    out, at) {
    out = ""
    while ((at = index(text, phrase)) > 0) {
        out = out substr(text, 1, at - 1) other
        text = substr(text, at + length(phrase))
    }
    return out text
}

function is_figure(text) {
    return match(text, /(^|[^A-Za-z0-9])[0-9][0-9.,]*( |-)?(%|times[^a-z]|million|billion|thousand|(s|ms|us|ns|seconds?|minutes?|hours?|[KMGT]B)[^a-zA-Z0-9])/)
}

function find_rest(paragraph,    rest, cell, cells, count, i) {
    gsub(/`[^`]*`/, "`", paragraph)
    gsub(/\]\([^)]*\)/, "]", paragraph)
    rest = paragraph " "
    while (is_figure(rest)) {
        print name ": no phrase of docs/figures-in-text.tsv has " substr(rest, RSTART > 30 ? RSTART - 30 : 1, RLENGTH + 50)
        rest = substr(rest, RSTART + RLENGTH)
    }
    if (paragraph !~ /^ *\|/ || name !~ /^docs\//)
        return
    count = split(paragraph, cells, "|")
    for (i = 1; i <= count; i++) {
        cell = cells[i]
        gsub(/^ +| +$/, "", cell)
        if (cell ~ /^[+-][0-9]+\.[0-9]+$/ || cell ~ /^[0-9]+\.[0-9][0-9]+$/)
            print name ": no phrase has the cell " cell " of " substr(paragraph, 1, 60)
    }
}

function end_paragraph() {
    if (paragraph != "")
        paragraphs[++paragraph_count] = paragraph
    paragraph = ""
}

BEGIN {
    FS = "\t"
    while (old != "" && (getline line < old) > 0)
        if (split(line, parts, "\t") >= 2 && line !~ /^#/)
            old_values[parts[1]] = parts[2]
}
FNR == 1 { file++ }
file == 1 && !/^#/ { new_values[$1] = $2 }
file == 2 && !/^#/ && ($1 == name || mode == "keys") { phrases[++phrase_count] = $2; if ($2 !~ /\{[a-z0-9_.-]+(:|\})/ && NF < 3) print name ": neither key nor reason: " $2 }
file == 3 && mode == "rewrite" { whole = whole $0 "\n" }
file == 3 && mode == "check" {
    if (/^ *```/) { code = !code; end_paragraph(); next }
    if (code) next
    if (/^ *$/ || /^ *\|/ || /^ *- / || /^#/) end_paragraph()
    if (/^ *$/) next
    line = $0
    gsub(/^ +/, "", line)
    paragraph = paragraph (paragraph == "" ? "" : " ") line
}
END {
    if (mode == "check") {
        end_paragraph()
        for (i = 1; i <= phrase_count; i++) {
            phrase = filled(phrases[i], new_values)
            found = 0
            for (p = 1; p <= paragraph_count; p++) if (index(paragraphs[p], phrase)) {
                found = 1
                paragraphs[p] = replaced(paragraphs[p], phrase, "@")
            }
            if (!found) print name ": is not there: " phrase
        }
        for (p = 1; p <= paragraph_count; p++) find_rest(paragraphs[p])
    } else if (mode == "keys") {
        for (i = 1; i <= phrase_count; i++) filled(phrases[i], new_values)
        for (key in used) print key
    } else {
        for (i = 1; i <= phrase_count; i++) {
            phrase = filled(phrases[i], old_values)
            other = filled(phrases[i], new_values)
            if (phrase == other) continue
            # Lines may end at any of its blanks.
            count = split(phrase, words, " ")
            split(other, others, " ")
            pattern = ""
            for (w = 1; w <= count; w++) {
                word = words[w]
                gsub(/[][\\.*+?()|^$\/{}]/, "[&]", word)
                gsub(/\[\\\]/, "\\\\", word); gsub(/\[\^\]/, "\\^", word)
                pattern = pattern (w > 1 ? "[ \n]+" : "") word
            }
            if (!match(whole, pattern)) { print name ": is not there: " phrase >"/dev/stderr"; continue }
            piece = substr(whole, RSTART, RLENGTH)
            head = substr(whole, 1, RSTART - 1)
            whole_rest = substr(whole, RSTART + RLENGTH)
            out = ""
            for (w = 1; w <= count; w++) {
                piece = substr(piece, length(words[w]) + 1)
                match(piece, /^[ \n]*/)
                out = out others[w] substr(piece, 1, RLENGTH)
                piece = substr(piece, RLENGTH + 1)
            }
            whole = head out whole_rest
        }
        printf "%s", whole
    }
}
