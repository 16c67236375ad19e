#!/usr/bin/env bash
# A victim L3 (docs/systems.md): lines that leave the L2 while an L1 still has them are lost to it, unless l2.forward_clean passes them on
# when the L1 gives them up; with both engines, and random systems agree between them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# ---- 16 lines fill an L1 above an L2 of 8; 16 others drive them out; the first 8 are asked for again
{
    echo '# cpu_trace'
    for i in {0..15} {16..31} {0..7}; do echo "4000 $((64 * i))"; done
} >"$WORK/again.trace"
system=(server --set l1d.prefetcher=none --set l1d.prefetcher2=none --set l2.prefetcher=none --set l2.prefetcher2=none
    --set l2.forward_clean=no --set l1d.size=1KiB --set l1d.assoc=16 --set l2.size=512B --set l2.assoc=8)
misses() { "$RUBATO" replay "${system[@]}" "$WORK/again.trace" --quiet --no-cache --stats /dev/stdout "$@" </dev/null |
    awk '$1 == "system.l3.demandMisses::total" { print $2 }'; }
for engine in plain fast; do
    found=$(misses --engine $engine)
    check "lines of the L1 alone are lost, $engine: ${found:-none} misses of the L3, not 40" [ "$found" = 40 ]
    found=$(misses --engine $engine --set l2.forward_clean=yes)
    check "forward_clean keeps them, $engine: ${found:-none} misses of the L3, not 32" [ "$found" = 32 ]
done

# ---- several cores, random programs: the engines agree, and coherence holds (assertions of the crossbars)
for cores in 1 2 4; do
    traces=("$TRACES/qsort" "$TRACES/gups" "$TRACES/triad" "$TRACES/qsort")
    for engine in plain fast; do
        "$RUBATO" replay server "${traces[@]:0:cores}" --set cores=$cores --set cpu.share=no --set l2.private=yes --set l2.forward_clean=yes --set l2.size=32KiB --set l1d.size=16KiB \
            --set l1d.assoc=8 --set l2.assoc=4 --set l3.size=256KiB --records 20000 --quiet --no-cache --engine $engine --stats "$WORK/$engine.txt" </dev/null 2>"$WORK/said" ||
            sed 's/^/    /' "$WORK/said"
        grep -v '^host' "$WORK/$engine.txt" >"$WORK/$engine.kept"
    done
    check "$cores cores: the engines agree" cmp -s "$WORK/plain.kept" "$WORK/fast.kept"
done
exit $failures
