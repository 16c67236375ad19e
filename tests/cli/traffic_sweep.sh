#!/usr/bin/env bash
# rubato traffic --sweep: a loaded-latency curve for each read share, the same on any number of threads; CSV, JSON, picture; faults.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
cd "$WORK" || exit 1
sweep() { "$RUBATO" traffic commands-ddr4 --sweep --requests 3000 "$@"; }

sweep --csv --jobs 1 >one.csv && sweep --csv --jobs 5 >five.csv
check 'the same on one thread and on five' cmp -s one.csv five.csv
check 'shares of 0 to 100 %' test "$(tail -n +2 one.csv | cut -d , -f 1 | uniq | tr '\n' ' ')" = '0 0.25 0.5 0.75 1 '
check 'rates rise, the last one is too high, then full queues' awk -F , 'NR == 1 { next }
    $1 != share { if (NR > 2 && last != "full") bad = 1; share = $1; rate = 0; first = 1 }
    first { if ($2 != "unloaded") bad = 1; first = 0 }
    $2 == "rate" { if ($4 <= rate || high) bad = 1; rate = $4; high = $14; seen++ }
    $2 == "full" { high = 0 } { last = $2 }
    END { exit bad || seen < 30 || last != "full" }' one.csv
check 'each has latencies of reads' awk -F , 'NR > 1 && !($7 > 30 && $9 > 30) { bad = 1; print } END { exit bad }' one.csv
check 'no point is above the peak' awk -F , 'NR > 1 && !($6 <= 1) { bad = 1 } END { exit bad }' one.csv

# A curve of one share is that of --curve but for the rates between the last two.
"$RUBATO" traffic commands-ddr4 --read-share 0.5 --requests 3000 --csv | grep -v ',1$' | cut -d , -f 1-4 >curve
grep '^0.5,' one.csv | cut -d , -f 2-5 >line
check 'points of --curve are among them' test "$(tail -n +2 curve | grep -vxFf line | wc -l)" = 0

sweep --plot curve.svg --read-shares 0,0.5,1 >text
check 'text: a row a share' test "$(grep -cE '^ *(0|50|100) %  ' text)" = 3
check 'text: the peak' grep -q ': peak 19.2 GB/s$' text
check 'picture: a line a share' test "$(grep -c '<polyline' curve.svg)" = 3
check 'picture: the peak is marked' grep -q '>peak 19.2 GB/s<' curve.svg
check 'picture: whole' test "$(tail -n 1 curve.svg)" = '</svg>'
check 'a picture of eleven shares' eval "sweep --requests 500 --read-shares 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1 --plot eleven.svg >out &&
    [ \$(grep -c '<polyline' eleven.svg) = 11 ]"
for system in default hbm near-far; do
    check "also $system" eval "'$RUBATO' traffic $system --sweep --requests 500 --read-shares 0.5 --csv >out && [ \$(wc -l <out) -gt 4 ]"
done
if command -v python3 >/dev/null; then
    sweep --json --read-shares 0.5,1 >json
    check 'JSON: points with their shares' python3 -c 'import json, sys
told = json.load(open(sys.argv[1]))
assert sorted({p["read_share"] for p in told["points"]}) == [0.5, 1] and "read_share" not in told, told' json
fi

refused 'a share above 1' '--read-shares 0,2: expected up to 11 different numbers' "$RUBATO" traffic wide --sweep --read-shares 0,2
refused 'a share twice' '--read-shares 1,1: expected' "$RUBATO" traffic wide --sweep --read-shares 1,1
refused 'no share' '--read-shares ,: expected' "$RUBATO" traffic wide --sweep --read-shares ,
refused 'shares of one curve' '--read-shares is for --sweep' "$RUBATO" traffic wide --read-shares 1
refused 'threads of one curve' '--jobs is for --sweep' "$RUBATO" traffic wide --jobs 2
refused 'one share' '--sweep takes --read-shares in place of --read-share' "$RUBATO" traffic wide --sweep --read-share 0.5
refused 'a rate' '--sweep has its own rates and requests; leave --rate out' "$RUBATO" traffic wide --sweep --rate 1GB/s
refused 'a trace' '--sweep has its own rates and requests; leave the trace out' "$RUBATO" traffic wide x --sweep
exit $failures
