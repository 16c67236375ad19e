#!/usr/bin/env bash
# Programs of which there are both the committed instructions and the elastic trace of the same run: dependences of accesses are the
# probe's, and how far the times of both replays are apart. No limit is set to the latter: the instructions know nothing of what the
# core that captured the elastic trace lost in its front end.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh
need_rubato

programs=$SHARED/traces/o3
if [ ! -d "$programs/elastic" ] || ! command -v python3 >/dev/null; then
    skip "instruction traces against elastic ones (6): no $programs/elastic, or no python3"
    exit 0
fi
ticks() { "$RUBATO" replay wide "$@" --no-cache 2>/dev/null | awk '/^time/ { sub("\\(", "", $4); print $4 }'; }
for program in gups qsort lz interp recurse forward; do
    [ -d "$programs/elastic/$program" ] || continue
    "$RUBATO" trace convert "$programs/$program.trace.xz" -o "$WORK/$program" --clock 2GHz --window 576 --quiet
    "$RUBATO" trace dump "$WORK/$program/deptrace.proto.gz" >"$WORK/ours"
    "$RUBATO" trace dump "$programs/elastic/$program/deptrace.proto.gz" >"$WORK/theirs"
    figures=$(python3 tests/reference/insn_elastic.py "$WORK/ours" "$WORK/theirs" 576)
    read -r matched accesses equal known missing more <<<"$figures"
    echo "# $program: $matched of $accesses accesses matched, $equal with equal dependences; of $known of the probe $missing are missing, $more are more"
    own=$(ticks "$programs/$program.trace.xz") elastic=$(ticks "$programs/elastic/$program")
    echo "# $program: replay on wide $own ps, of the elastic trace $elastic ps"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$program" "$matched" "$accesses" "$equal" "$own" "$elastic" >>"$WORK/all"
    # the differences are in the first microseconds, where the probe's window begins
    check "$program: dependences of accesses" test "$((1000 * matched))" -ge "$((999 * accesses))" -a "$((1000 * equal))" -ge "$((995 * matched))"
done
is_whole_reference && awk -F '\t' -v OFS='\t' '{ accesses += $3; if ($3 - $2 > lost) lost = $3 - $2; equal = 100 * $4 / $2
    if (NR == 1 || equal < least) least = equal; if (equal > most) most = equal
    printf "insn-elastic.%s.time\t%.2f\n", $1, 100 * ($5 / $6 - 1) }
    END { print "insn-elastic.accesses", accesses; print "insn-elastic.lost", lost
        printf "insn-elastic.equal.least\t%.2f\ninsn-elastic.equal.most\t%.2f\n", least, most }' "$WORK/all" | figures_are insn-elastic
exit $failures
