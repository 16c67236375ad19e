#!/usr/bin/env bash
# Figures of prefetches (docs/policies.md): right answers of small traces, and what must hold of random systems, with both engines:
# useful + useless = filled <= issued, late <= useful, shares between 0 and 1. RUNS, SEED: how many random systems, which ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

summary() { "$RUBATO" replay "$@" --quiet --summary "$WORK/summary.json" </dev/null; }
figure() { sed -n "s/^  \"$1\": \([-0-9.e]*\),*\$/\1/p" "$WORK/summary.json"; }
# expect NAME METRIC VALUE
expect() {
    local found
    found=$(figure "$2")
    if [ "$found" = "$3" ]; then ok "$1: $2"; else not_ok "$1: $2 is ${found:-not there}, expected $3"; fi
}

# ---- a stream of 80 lines through an L2 with next_line: each miss fetches the line behind it in time
{
    echo '# cpu_trace'
    for i in {0..79}; do echo "4000 $((64 * i))"; done
} >"$WORK/stream.trace"
alone=()    # the server without the prefetchers that are not meant
for key in l1d.prefetcher l1d.prefetcher2 l2.prefetcher2; do alone+=(--set $key=none); done
for key in degree distance cross_pages; do alone+=(--set l2.prefetcher.$key=0); done
for clusivity in mostly_incl mostly_excl; do
    summary wide "$WORK/stream.trace" --set l2.clusivity=$clusivity --set l2.prefetcher=next_line
    expect "a stream, $clusivity" l2.prefetch.useful 40
    expect "a stream, $clusivity" l2.prefetch.accuracy 1
    expect "a stream, $clusivity" l2.prefetch.coverage 0.5
    expect "a stream, $clusivity" l2.prefetch.late 0
    summary server "${alone[@]}" "$WORK/stream.trace" --set l2.clusivity=$clusivity --set l2.prefetcher=next_line --set l3.prefetcher=next_line
    expect "a stream, two levels, $clusivity" l2.prefetch.useful 40
    summary server "${alone[@]}" --set l2.prefetcher=none "$WORK/stream.trace" --set l3.clusivity=$clusivity --set l3.prefetcher=next_line
    expect "a stream, L3, $clusivity" l3.prefetch.useful 40
    expect "a stream, L3, $clusivity" l3.prefetch.accuracy 1
    # from the middle on: the lines of prefetches before that count nowhere
    summary wide "$WORK/stream.trace" --set l2.clusivity=$clusivity --set l2.prefetcher=next_line --warmup 2520
    check "a stream after a warm-up, $clusivity" awk -v a="$(figure l2.prefetch.accuracy)" 'BEGIN { exit !(a > 0.9 && a <= 1) }'
done

# ---- other pages: with TLBs only where one core's addresses come; gaps between prefetchers close
shared=(laptop-tlb --set cores=2 --set cpu.share=yes --set l3.prefetcher=streamer --set l3.prefetcher.cross_pages=yes)
check 'a shared cache cannot cross pages with TLBs' eval '! "$RUBATO" config show "${shared[@]}" >"$WORK/out" 2>"$WORK/said"'
check '... and the error says how to mend it' grep -q 'l3\.prefetcher\.cross_pages: .*leave it out here, or give l3\.private' "$WORK/said"
check 'one core may' "$RUBATO" config show "${shared[@]}" --set cores=1
check 'without TLBs all may' "$RUBATO" config show "${shared[@]}" --set cpu.tlb=none
"$RUBATO" config show laptop --set l2.prefetcher=none --set l2.prefetcher3=up_down >"$WORK/out"
check 'gaps close' eval 'grep -A1 "^  prefetcher: " "$WORK/out" | grep -q "type: up_down" && ! grep -q prefetcher3 "$WORK/out"'

# ---- the lines are asked for as fast as they come: all prefetches are late, none unnamed
{
    echo '# cpu_trace'
    for i in {0..79}; do echo "4 $((64 * i))"; done
} >"$WORK/hurry.trace"
summary wide "$WORK/hurry.trace" --set l2.prefetcher=next_line --set l1d.mshrs=2
check 'late prefetches are useful and have a name' awk -v late="$(figure l2.prefetch.late)" -v useful="$(figure l2.prefetch.useful)" \
    'BEGIN { exit !(late > 20 && late <= useful) }'

# ---- every eighth line: what next_line fetches is never used
{
    echo '# cpu_trace'
    for i in {0..79}; do echo "4000 $((512 * i))"; done
} >"$WORK/sparse.trace"
summary wide "$WORK/sparse.trace" --set l2.prefetcher=next_line
expect 'every eighth line' l2.prefetch.useful 0
expect 'every eighth line' l2.prefetch.useless 80
expect 'every eighth line' l2.prefetch.accuracy 0

# ---- 16 lines of one set of 16 ways, again and again, hit; next_line of their neighbours displaces them
{
    echo '# cpu_trace'
    for round in {1..4}; do
        for i in {0..3}; do echo "4000 $((4096 * i))"; done
        for i in {0..3}; do echo "4000 $((4096 * (i + 4) - 64))"; done
    done
} >"$WORK/crowded.trace"
small=(--set l2.size=16KiB --set l2.assoc=4 --set l1d.size=128B --set l1d.assoc=1 --set pages.policy=identity)
summary wide "$WORK/crowded.trace" "${small[@]}"
without=$(figure l2.mpki)
summary wide "$WORK/crowded.trace" "${small[@]}" --set l2.prefetcher=next_line
check 'pollution is of demand misses' awk -v p="$(figure l2.prefetch.pollution)" 'BEGIN { exit !(p >= 0 && p <= 1) }'
check 'and there are as many misses without a prefetcher, or fewer' awk -v a="$without" -v b="$(figure l2.mpki)" 'BEGIN { exit !(a <= b) }'

# ---- the table of the summary, and the one of results
check 'the summary has a table' eval '"$RUBATO" replay wide "$WORK/stream.trace" --set l2.prefetcher=next_line |
    grep -qE "^l2 +40 +40 +40 +0 +0 +100\.00 % +50\.00 % +0\.00 % +0\.00 %$"'
check 'only with a prefetcher' eval '! "$RUBATO" replay wide "$WORK/stream.trace" | grep -q "^prefetch"'
check 'each figure is defined' test "$("$RUBATO" results --metrics | grep -cE '(^| )(CACHE\.)?[a-z0-9<>A-Z]*\.?prefetch\.(issued|filled|useful|late|useless|accuracy|coverage|lateness|pollution) ')" -ge 9
check "gem5's own counters are not touched" eval '"$RUBATO" replay wide "$WORK/stream.trace" --set l2.clusivity=mostly_excl \
    --set l2.prefetcher=next_line --quiet --stats "$WORK/stats.txt" && grep -q "l2.prefetcher.pfUnused  *40 " "$WORK/stats.txt" &&
    ! grep -q "prefetch\.issued" "$WORK/stats.txt"'

# ---- random systems
# The lines of a summary whose figures break a rule.
broken() {
    awk -F'[":, ]+' '/prefetch\./ { split($2, part, "."); name = $2; sub(/\.prefetch\..*/, "", name); key = $2; sub(/.*\.prefetch\./, "", key)
            of[name, key] = $3; names[name] = 1 }
        END { for (n in names) {
            mean = n ~ /^mean\./
            if (!mean && of[n, "useful"] + of[n, "useless"] != of[n, "filled"]) print n ": useful + useless is not filled"
            if (of[n, "filled"] > of[n, "issued"] + 1e-9) print n ": more filled than issued"
            if (of[n, "late"] > of[n, "useful"] + 1e-9 || of[n, "useless"] < 0) print n ": late, useless"
            split("accuracy coverage lateness pollution", shares, " ")
            for (i in shares) if (((n, shares[i]) in of) && (of[n, shares[i]] < 0 || of[n, shares[i]] > 1)) print n ": " shares[i]
        } }' "$WORK/summary.json"
}
kinds=(stride tagged next_line stream bop spp ampm ip_stride streamer up_down next_page) sides=(mostly_incl mostly_excl)
RANDOM=${SEED:-44} bad=0
any() { local -n list=$1; picked=${list[RANDOM % ${#list[@]}]}; }
for ((run = 0; run < ${RUNS:-24}; run++)); do
    sets=()
    systems=(wide server laptop quad hetero) && any systems && system=$picked
    levels=(l1i l1d l2)
    [ "$system" = wide ] || [ "$system" = hetero ] || levels+=(l3)
    for level in "${levels[@]}"; do
        any kinds && [ $((RANDOM % 3)) = 0 ] || sets+=(--set "$level.prefetcher=$picked")
        any kinds && [ $((RANDOM % 2)) = 0 ] || sets+=(--set "$level.prefetcher2=$picked")
        any sides && [[ $level = l1? ]] || sets+=(--set "$level.clusivity=$picked")
        [ $((RANDOM % 2)) = 0 ] || sets+=(--set "$level.mshrs=$((2 + RANDOM % 12))")
    done
    sizes=(16KiB 64KiB 256KiB) && any sizes && sets+=(--set "l1d.size=4KiB" --set "l1d.assoc=2" --set "l2.size=$picked" --set "l2.assoc=8")
    programs=("$TRACES/qsort" "$TRACES/gups" "$TRACES/triad") && any programs && traces=("$picked")
    [ "$system" = quad ] && any programs && traces+=("$picked" "$TRACES/qsort" "$TRACES/triad") && sets+=(--set "cpu.share=$([ $((RANDOM % 2)) = 0 ] && echo no || echo yes)")
    warm=() && [ $((RANDOM % 2)) = 0 ] || warm=(--warmup $((1000 + RANDOM % 20000)))
    for engine in plain fast; do
        summary "$system" "${traces[@]}" "${sets[@]}" "${warm[@]}" --engine $engine --stats "$WORK/$engine.json" >"$WORK/log" 2>&1 ||
            { bad=1; sed 's/^/    /' "$WORK/log"; }
        broken >"$WORK/broken"
        [ ! -s "$WORK/broken" ] || { bad=1; sed 's/^/    /' "$WORK/broken"; }
    done
    grep -v '"host\|"engine\|seconds' "$WORK/plain.json" >"$WORK/a"; grep -v '"host\|"engine\|seconds' "$WORK/fast.json" >"$WORK/b"
    cmp -s "$WORK/a" "$WORK/b" || { bad=1; echo '    the engines differ'; }
    [ "$bad" = 0 ] || { not_ok "random systems: $system ${traces[*]} ${sets[*]} ${warm[*]}"; break; }
done
[ "$bad" != 0 ] || ok "random systems: ${RUNS:-24}"
exit $failures
