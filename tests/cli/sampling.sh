#!/usr/bin/env bash
# A part of tests/sampling: a short program, whole and from its regions, on two systems; and its table's own arithmetic.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

printf 'name\tcommand\nwaves\t{built}/waves 4 64\n' >"$WORK/short.tsv"
tests/sampling/sampling.sh --programs "$WORK/short.tsv" --keep "$WORK/kept" --system core/zen4 --system 'core/zen4 l2.size=64KiB' \
    --interval 20K --warmup 40K --regions 40 >"$WORK/table" 2>&1
sed 's/^/# /' "$WORK/table"

# within BOUND LINES: of each pair the error in percent
within() {
    awk -F '\t' -v bound="$1" -v lines="$2" '
        $1 == "waves" { n++; error = $5 + 0; if (error > bound || error < -bound) off = 1 }
        END { exit n != lines || off }' "$WORK/table"
}
check 'CPI of two systems from regions, within 5 % of the whole runs' within 5 2

# Known pairs: errors of +0.9 and -0.9 %, one of them outside its interval; 10 s over 0.02.
pair() { printf '%s\t%s\t%s\t%s\t10\t10\t1\t1\t0.1\t0.2\t2\t2\t%s\t%s\t%s\n' "$@"; }
{
    pair one a 1.0 1.009 0.02 10 0.02
    pair one b 2.0 1.982 0.01 10 0.02
} | awk -F '\t' -v pairs=2 -f tests/sampling/pairs.awk >"$WORK/known"
check 'mean error' grep -q '^ok mean error of CPI: 0.90 % of 2' "$WORK/known"
check 'intervals' grep -q '^not ok truth inside the interval: 1 of 2' "$WORK/known"
check 'change between systems' grep -q '^not ok change from the first system: 1.78 % off' "$WORK/known"
check 'speed-up' grep -q '^ok speed-up: 500,' "$WORK/known"
check 'rare misses are a part of one in a thousand' grep -q $'^one\ta\t.*\t+10.0\t+0.0\t500$' "$WORK/known"
check 'its last line' grep -q '^3 passed, 2 failed$' "$WORK/known"
awk -F '\t' -v pairs=3 -f tests/sampling/pairs.awk </dev/null >"$WORK/known"
check 'pairs that are missing fail' grep -q '^not ok pairs: 0 of 3' "$WORK/known"
exit $failures
