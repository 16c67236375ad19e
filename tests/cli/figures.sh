#!/usr/bin/env bash
# Figures in the README, in docs/ and in READMEs of folders: each number with a unit of measurement is a phrase of docs/figures-in-text.tsv, whose values are
# docs/figures.tsv's, or says there why it is none that is measured. Each value names what measures it: a command, which is run here; or
# a goal of make, or a test, which compares its measurement with the value. Blocks of output that are not run as
# console blocks name the goal that prints them, in a comment of HTML above.
# figures.sh write [SOURCE...]: runs all, with SHARED=DIR also what needs the reference data (gpu, gcn3, o3, without, window,
# compare, others; bench, which needs a quiet machine, only if it is named), and writes values and documents anew.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh
need_rubato

documents="README.md CONTRIBUTING.md CHANGELOG.md docs/*.md $(find base proto memsys replay sweep viz cli python configs tests -name README.md | sort | paste -sd ' ')"
values=docs/figures.tsv phrases=docs/figures-in-text.tsv

report() {    # NAME FINDINGS: ok without findings
    if [ -z "$2" ]; then ok "$1"; else not_ok "$1"; printf '%s\n' "$2" | head -n 40 | sed 's/^/    /'; fi
}

# Values whose command is none of make's: KEY, tab, what the command prints.
quick() {
    local key command
    while IFS=$'\t' read -r key _ command; do
        case $key in '#'*) continue ;; esac
        case $command in make\ *) continue ;; esac
        printf '%s\t%s\n' "$key" "$(eval "$command" 2>/dev/null)"
    done <$values
}

# measure [SOURCE...]: with the reference data; sources are the functions below
measure() {
    local source
    is_whole_reference || { echo "without $SHARED only what needs no reference data is measured" >&2; return; }
    [ $# -gt 0 ] || set -- gpu gcn3 o3 without window compare others
    for source; do
        echo "$source" >&2
        "measure_$source"
    done
}
o3_timing() { "$O3_TIMING" --jobs "$(nproc)" "$@" 2>/dev/null; }
o3=("$SHARED/oracle/o3" "$SHARED/traces/o3") elastic=$SHARED/traces/elastic
compare() { "$RUBATO" compare "$1" --traces "$elastic" --run --tsv --no-cache "${@:2}" 2>/dev/null; }

measure_gpu() {
    "$GPU_TIMING" "$SHARED/oracle/gpu" "$SHARED/traces/gpu" >"$WORK/all" 2>/dev/null
    figures_of gpu-timing "$WORK/all"
}
# What each part of r9nano-mgpusim is worth, and how near r9nano comes.
measure_gcn3() {
    gcn3 "$WORK/all"
    figures_of gpu-timing "$WORK/all"
    gcn3_without r9nano --gcn3-system r9nano --set gpu.tlb.page=4KiB
    gcn3_without r9nano-pages --gcn3-system r9nano
    gcn3_without translation --set gpu.tlb.page=0B
    gcn3_without fetch --set gpu.array.sms=0
    gcn3_without valu $(for unit in int sp dp sfu; do echo "--set gpu.units.$unit.latency=6 --set gpu.units.$unit.interval=6"; done)
    gcn3_without addresses --set gpu.sm.address_latency=0
    gcn3_without tags --set gpu.l1.data_latency=0 --set gpu.l1.latency=132
    gcn3_without in_flight --set gpu.l1.in_flight=0
    gcn3_without order --set gpu.l1.in_flight=0 --set gpu.l1.reorder=0
    gcn3_without open --set memory.dram.page_policy=open
    gcn3_without channels --set gpu.l2.interleave=4KiB --set gpu.l2.letters=0000RRRR.RRRRRRRR.RBBBBCCC.CCCSSSSS \
        --set memory.dram.device_rowbuffer_size=2KiB --set memory.dram.ranks_per_channel=1
    gcn3_without pause --set gpu.dispatch_pause=0
    gcn3_without turns --set gpu.sm.issue_in_turn=no
}
gcn3() {    # FILE OPTION...: all programs of GCN3 that MGPUSim ran
    local sets=$SHARED/traces/gpu
    # shellcheck disable=SC2046    # words
    "$GPU_TIMING" "${@:2}" "$SHARED/oracle/gpu" "$sets" $(cd "$sets" && dirname gcn3-*/mgpusim-reference.tsv) >"$1" 2>/dev/null
}
gcn3_without() {    # PART OPTION...
    gcn3 "$WORK/all" "${@:2}"
    awk -F '\t' -v part="gcn3-without.$1" '$1 == "gcn3" && $3 > 0 { sub(/^gcn3-/, "", $2); printf "%s.%s\t%.3f\n", part, $2, 100 * ($4 / $3 - 1) }
        ($1 == "value" || $1 == "worst") && $2 == "gcn3_time_mape_pct" { print part ($1 == "value" ? ".mean" : ".worst") "\t" $3 }' "$WORK/all" |
        figures_are "$1"
}
measure_o3() {
    o3_timing "${o3[@]}" >"$WORK/all"
    figures_of o3-timing "$WORK/all"
}
measure_without() {    # what each part of the detailed core is worth
    o3_timing --no-stages "${o3[@]}" .base >"$WORK/all"
    parts_of none "$WORK/all"
    for part in cpu.wrongPathValues=no cpu.wrongPath=no cpu.storeSets=no cpu.branchPred.type=perfect cpu.idealFetch=yes; do
        o3_timing --no-stages --set $part "${o3[@]}" .base >"$WORK/all"
        parts_of "$part" "$WORK/all"
    done
    o3_timing --no-stages --set cpu.wrongPathValues=no "${o3[@]}" .ideal >"$WORK/all"
    figures_of o3-without-values "$WORK/all"
}
measure_window() {
    local program model form
    compare "$SHARED/oracle/detailed" --model window >"$WORK/all"
    pairs_of window "$WORK/all"
    o3_timing --no-stages --model window "${o3[@]}" interp recurse forward >"$WORK/all"
    runs_of window "$WORK/all"
    awk -F '\t' '$1 == "value" && $2 == "cycles_mape_pct" { print "window.three\t" $3 }' "$WORK/all" | figures_are window
    for program in nbody spmv; do
        awk -F '\t' -v OFS='\t' -v program=$program 'NR == 1 { print "program", "system", "detailed_ticks", "replay_ticks"
            for (i = 1; i <= NF; i++) if ($i == "detailed_ticks") at = i }
            $1 == program && $2 == "base" { print program "-512", "base", $at, 1 }' "$SHARED/oracle/detailed/table.tsv" >"$WORK/512.tsv"
        for model in window elastic; do
            compare "$WORK/512.tsv" --model $model | awk -F '\t' -v key="window.$([ $model = window ] || echo elastic.)$program-512" \
                'NF == 10 { printf "%s\t%.2f\n", key, 100 * ($5 / $3 - 1) }' | figures_are window
        done
    done
    for program in qsort nbody; do
        for model in elastic window; do
            "$RUBATO" trace pack "$elastic/$program" --model $model -o "$WORK/packed" --quiet && stat -c %s "$WORK/packed"
        done | paste -sd ' ' | awk -v program=$program '{ printf "pack-window.growth.%s\t%.2f\n", program, 100 * ($2 / $1 - 1) }' | figures_are window
    done
}
measure_compare() {
    compare "$SHARED/oracle/detailed" >"$WORK/all"
    pairs_of compare "$WORK/all"
}
measure_bench() { make --no-print-directory bench bench-policies | sed 's/ *$//' >"$WORK/bench"; }    # only if it is named
measure_others() {
    export FIGURES_TO
    bash tests/reference/insn_elastic.sh >/dev/null
    bash tests/reference/oracle.sh files >/dev/null
}
# Errors of the cycles of tests/o3-timing's runs: with their signs by run; of one part left out their means.
runs_of() { awk -F '\t' -v source="$1" '$1 == "run" && $5 > 0 { printf "%s.%s.%s\t%.2f\n", source, $2, $3, 100 * ($6 / $5 - 1) }' "$2" | figures_are "$1"; }
parts_of() {
    awk -F '\t' -v part="o3-without.$(printf %s "${1%%=*}" | tr '[:upper:]' '[:lower:]')" '$1 == "run" && $5 > 0 { s = 100 * ($6 / $5 - 1); e = s < 0 ? -s : s; sum += e; signed += s; n++
        if (e > most) { most = e; worst = s } each[$2] = sprintf("%.2f", s) }
        END { if (!n) exit; printf "%s.mean\t%.4f\n%s.signed\t%+.4f\n%s.worst\t%+.2f\n", part, sum / n, part, signed / n, part, worst
            for (program in each) printf "%s.%s\t%s\n", part, program, each[program] }' "$2" | figures_are "$1"
}

# The document with its blocks run again that need the reference data: their first lines are `$ ./rubato ... $SHARED...`.
shared_blocks() {
    local line skipping=''
    while IFS= read -r line; do
        [ "$line" != '```' ] || skipping=''
        [ -n "$skipping" ] || printf '%s\n' "$line"
        case $line in
            '$ ./rubato '*'$SHARED'*)
                skipping=yes
                (SHARED=$SHARED eval "${line#\$ ./}") 2>/dev/null | sed "s/ *\$//; s|$SHARED|\$SHARED|g" ;;
        esac
    done <"$1"
}

# printed_blocks OUTPUT DOCUMENT: the document with blocks behind <!-- make ... --> as OUTPUT has them: a block begins with the same line
# there, and ends before a blank one. Times of benchmarks become others so: look at them before they are committed.
printed_blocks() {
    awk 'NR == FNR { printed[++count] = $0; next }
        /^ *```/ { inside = !inside && before ~ /^<!-- make /; skipping = 0; first = inside }
        inside && !/^ *```/ && first {
            first = 0
            for (i = 1; i <= count && printed[i] != $0; i++) { }
            for (; i <= count && printed[i] != ""; i++) { skipping = 1; sub(/ +$/, "", printed[i]); print printed[i] }
        }
        !skipping || /^ *```/ { print }
        !/^ *$/ { before = $0 }' "$1" "$2"
}

if [ "${1:-}" = write ]; then
    FIGURES_TO=$WORK/found
    quick >"$FIGURES_TO"
    measure "${@:2}"
    cp $values "$WORK/old"
    awk -F '\t' -v OFS='\t' 'NR == FNR { found[$1] = $2; next } !/^#/ && $1 in found && found[$1] != "" && found[$1] != $2 {
        print $1 ": " found[$1] ", was " $2 >"/dev/stderr"; $2 = found[$1] } { print }' "$FIGURES_TO" "$WORK/old" >$values
    for document in $documents; do
        awk -f tests/support/figures.awk -v mode=rewrite -v old="$WORK/old" -v name="$document" $values $phrases "$document" >"$WORK/document"
        cmp -s "$WORK/document" "$document" || cp "$WORK/document" "$document"
        is_whole_reference || continue
        if [ -s "$WORK/bench" ]; then
            printed_blocks "$WORK/bench" "$document" >"$WORK/document"
            cmp -s "$WORK/document" "$document" || cp "$WORK/document" "$document"
        fi
        shared_blocks "$document" >"$WORK/document"
        cmp -s "$WORK/document" "$document" || cp "$WORK/document" "$document"
    done
    exit
fi

# A block that a goal prints, in the midst of other output.
printf '%s\n' 'cc' '' 'program  ms' 'a  1.5' 'c  3.5' '' 'other' >"$WORK/printed"
printf '%s\n' '```' 'program  ms' 'x' '```' '<!-- make bench -->' '' '```' 'program  ms' 'a  1.0' 'b  2.0' '```' 'text' >"$WORK/before"
check 'blocks that goals print are written anew' diff <(printed_blocks "$WORK/printed" "$WORK/before") \
    <(printf '%s\n' '```' 'program  ms' 'x' '```' '<!-- make bench -->' '' '```' 'program  ms' 'a  1.5' 'c  3.5' '```' 'text')

report 'a line of figures has a key of its own, a value and a command' "$(awk -F '\t' '!/^#/ && (NF != 3 || $1 !~ /^[a-z0-9_.-]+$/ || $2 == "" || known[$1]++) {
    print FILENAME ":" FNR ": " $0 }' $values)"
report 'documents have the figures, and no others' "$(for document in $documents; do
    awk -f tests/support/figures.awk -v mode=check -v name="$document" $values $phrases "$document" 2>&1
done; awk -F '\t' '!/^#/ { print $1 }' $phrases | sort -u | while IFS= read -r document; do [ -f "$document" ] || echo "$phrases: $document: no such document"; done)"
report 'nothing was measured by hand' "$(grep -v '^#' $phrases | grep -F 'by hand')"
report 'each figure is used' "$(awk -f tests/support/figures.awk -v mode=keys -v name=all $values $phrases /dev/null 2>/dev/null | sort >"$WORK/used"
    awk -F '\t' '!/^#/ { print $1 }' $values | sort | comm -23 - "$WORK/used")"
report 'quick figures equal the output of their commands' "$(quick | awk -F '\t' 'NR == FNR { found[$1] = $2; next } $1 in found && found[$1] != $2 {
    print $1 ": " $3 " prints " found[$1] ", docs/figures.tsv has " $2 }' - $values)"
goals=$(sed -nE 's/^#: make ([a-z-]+) .*/\1/p' Makefile)
# make GOAL, or make check TESTS=NAME, of a test that compares.
named() {
    local goal test script
    goal=$(printf '%s\n' "$1" | sed -nE 's/^make ([a-z-]+).*/\1/p')
    printf '%s\n' "$goals" | grep -qx -- "$goal" || { echo "$1: no goal of \`make help\`"; return; }
    test=$(printf '%s\n' "$1" | sed -nE 's/.*TESTS=([a-z_0-9-]+).*/\1/p')
    [ -n "$test" ] || return
    script=tests/cli/${test#cli-}.sh
    [ -f "$script" ] || script=tests/reference/$(printf %s "$test" | tr - _).sh
    [ -f "$script" ] || script=tests/reference/$(printf %s "${test%%-*}" | tr - _).sh
    grep -qE 'figures_of|figures_are|pairs_of' "$script" 2>/dev/null || echo "$1: $script compares no figures"
}
report 'the program that measures a figure exists' "$(awk -F '\t' '!/^#/ && $3 ~ /^make / { print $3 }' $values $phrases | sort -u | while IFS= read -r command; do named "$command"; done)"
report 'blocks of output are run, or name their command' "$(for document in $documents; do
    awk -v document="$document" '
        /^ *```/ { if (code) { if (figures && !known) print document ":" begun ": no comment names what prints this"; code = 0 }
            else { code = 1; figures = 0; begun = FNR; known = / *```[a-z]/ || before ~ /^<!-- make / } next }
        code && /^\$ / { if (!($0 ~ /\$SHARED/)) known = 1 }
        code && /[0-9]\.[0-9]/ { figures = 1 }
        !code && !/^ *$/ { before = $0 }' "$document"
    sed -nE 's/^<!-- (make .*) -->$/\1/p' "$document" | sort -u | while IFS= read -r command; do named "$command" | sed "s|^|$document: |"; done
done)"
