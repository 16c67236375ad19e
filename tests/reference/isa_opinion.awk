# Compares what a decoder says of instructions with what the text of a disassembler shows. A line an encoding, by tabs: the columns
# of the disassembly (hex, address, text), then those of tests/tools/isa_print. An architecture's file has
#
#     cleaned(text)       without comments; is_undefined(name): the disassembler does not know it
#     scope(name, text)   what extension it belongs to, for exceptions: its name, if that does not matter
#     opinion(name, n)    what text says of instruction `name` with operands op[1..n]; false: no opinion
#
# which calls data(r), address(r), writes(r), writes_address(r), operand(kind, size), and sets kind, class, marks, target.
# exceptions (-v): lines "ISA name-pattern field reason": known differences, by tabs. Columns of the output: disagreements by name
# and field, instructions that one side does not know, then the sums.

function add(list, r) {    # "r1 r2", each once
    return r == "" || index(" " list " ", " " r " ") ? list : list == "" ? r : list " " r
}
function data(r) { data_list = add(data_list, r) }
function address(r) {
    address_list = add(address_list, r)
    at = add(at, r)
}
function writes(r,    part, n, i, kept) {    # what is also written back holds what was read
    n = split(write_list, part, " ")
    for (i = 1; i <= n; i++) if (part[i] != r "!") kept = add(kept, part[i])
    write_list = add(kept, r)
}
function data_not_addresses(    part, n, i) {    # there is no operand that they address
    n = split(address_list, part, " ")
    for (i = 1; i <= n; i++) data(part[i])
    address_list = at = ""
}
function writes_address(r) { if (r != "" && !index(" " write_list " ", " " r " ")) write_list = add(write_list, r "!") }
function operand(what, size) {    # of the addresses named since the last one
    operand_list = (operand_list == "" ? "" : operand_list " ") what size "(" commas(sorted(at)) ")"
    at = ""
}
function commas(s) { gsub(/ /, ",", s); return s }
function sorted(list,    part, n, i, j, t, out) {
    n = split(list, part, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && part[j - 1] > part[j]; j--) { t = part[j]; part[j] = part[j - 1]; part[j - 1] = t }
    for (i = 1; i <= n; i++) out = out (i > 1 ? " " : "") part[i]
    return out
}
function reads_text(    part, n, i, out, all) {
    all = address_list
    n = split(data_list, part, " ")
    for (i = 1; i <= n; i++) all = add(all, part[i])
    n = split(all, part, " ")
    for (i = 1; i <= n; i++)
        out = add(out, part[i] ":" (index(" " address_list " ", " " part[i] " ") ? "a" : "") \
                  (index(" " data_list " ", " " part[i] " ") ? "d" : ""))
    return sorted(out)
}
function sorted_operands(list,    part, n, i, inside, out, start) {
    n = split(list, part, " ")
    for (i = 1; i <= n; i++) {
        start = index(part[i], "(")
        inside = substr(part[i], start + 1, length(part[i]) - start - 1)
        gsub(/,/, " ", inside)
        out = out (i > 1 ? " " : "") substr(part[i], 1, start) commas(sorted(inside)) ")"
    }
    return out
}
function none(s) { return s == "" ? "-" : s }
function is_marked(list, mark) { return index(" " list " ", " " mark " ") > 0 }

function known(name, field,    i) {
    for (i = 1; i <= exception_count; i++)
        if (isa == exception_isa[i] && field ~ ("^(" exception_field[i] ")$") && name ~ ("^(" exception_name[i] ")$")) {
            exception_uses[i]++
            return 1
        }
    return 0
}
function compare(field, expected, got) {
    if (expected == got) return
    if (known(shown, field)) { explained++; return }
    disagreements++
    seen = shown "\t" field
    count[seen]++
    if (!(seen in example)) example[seen] = "text " none(expected) ", decoder " none(got) ": " $1 " " $3
}

# "a, [b, c], {d, e}" into op[]: commas within brackets do not split.
function split_operands(s,    i, c, depth, n) {
    n = 0
    if (s == "") return 0
    op[n = 1] = ""
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c ~ /[[{(]/) depth++
        if (c ~ /[]})]/) depth--
        if (c == "," && depth == 0) { op[++n] = ""; continue }
        if (c == " " && op[n] == "") continue
        op[n] = op[n] c
    }
    return n
}

BEGIN {
    FS = "\t"
    while (exceptions != "" && (getline line < exceptions) > 0) {
        if (line ~ /^#/ || split(line, part, "\t") < 4) continue
        i = ++exception_count
        exception_isa[i] = part[1]; exception_name[i] = part[2]; exception_field[i] = part[3]; exception_reason[i] = part[4]
    }
}
{
    total++
    text = cleaned($3)
    name = text; sub(/[ \t].*/, "", name)
    rest = text; if (!sub(/^[^ \t]+[ \t]+/, "", rest)) rest = ""
    is_unknown_here = $6 == "unknown"
    is_unknown_there = is_undefined(name)
    if (is_unknown_here && is_unknown_there) { both_unknown++; next }
    if (is_unknown_here || is_unknown_there) {
        name = is_unknown_there ? "(undefined)" : name
        if (known(is_unknown_there ? name : scope(name, text), is_unknown_there ? "only-decoder" : "unknown")) { if (is_unknown_there) explained++; else unknown++; next }
        if (is_unknown_here) unknown++
        disagreements++
        seen = name "\t" (is_unknown_there ? "only the decoder knows" : "unknown")
        count[seen]++
        if (!(seen in example)) example[seen] = $1 " " $3 (is_unknown_there ? " " $6 " " $7 " " $8 " " $9 : "")
        next
    }
    shown = name
    data_list = address_list = write_list = operand_list = at = kind = class = marks = target = ""
    if (!opinion(name, split_operands(rest))) {
        without++
        without_names[name]++
        without_example[name] = $1 " " $3
        next
    }
    compared++
    got_reads = $8 == "-" ? "" : sorted($8)
    got_writes = $9 == "-" ? "" : sorted($9)
    got_operands = $10 == "-" ? "" : sorted_operands($10)
    # A register that is only kept in step with the flags of another column compares by itself.
    compare("size", length($1) / 2, $5 + 0)
    compare("reads", reads_text(), got_reads)
    compare("writes", sorted(write_list), got_writes)
    compare("operands", operand_list, got_operands)
    compare("kind", kind == "" ? "other" : kind, $7)
    if (class != "") compare("class", class, $6)
    if (target != "") compare("target", target, $12)
    compare("atomic", is_marked(marks, "atomic"), is_marked($11, "atomic"))
    compare("prefetch", is_marked(marks, "prefetch"), is_marked($11, "prefetch"))
    compare("string", is_marked(marks, "string"), is_marked($11, "string"))
}
END {
    for (seen in count) print "  differs\t" count[seen] "\t" seen "\t" example[seen] | "sort -t'\t' -k2,2nr -k3"
    close("sort -t'\t' -k2,2nr -k3")
    for (seen in without_names) print "  no opinion\t" without_names[seen] "\t" seen "\t" without_example[seen] | "sort -t'\t' -k2,2nr -k3"
    close("sort -t'\t' -k2,2nr -k3")
    for (i = 1; i <= exception_count; i++)
        if (exception_uses[i])
            print "  known\t" exception_uses[i] "\t" exception_name[i] "\t" exception_field[i] "\t" exception_reason[i]
    printf "%s: %d encodings, %d compared, %d without opinion, %d unknown to the decoder (%.3f %%), %d to both, %d known differences, %d disagreements\n",
        isa, total, compared, without, unknown, total ? 100 * unknown / total : 0, both_unknown, explained, disagreements
    exit disagreements > 0
}
