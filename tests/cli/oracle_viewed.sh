#!/usr/bin/env bash
# Reference runs while somebody watches: ticks and all statistics are the reference's, with the window of another process attached
# (--publish and view --attach), and with a window beside the replay (--view). oracle_viewed.sh [all]: three cases, or ten of all kinds.
# With the bundled reference data, cases of those; without any, of tests/golden. A view that has not seen the run to its end, sample by sample, fails its case.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/display.sh
need_rubato
cases=(two-ranks four-cores-l3 hbm2-pseudo-memops)
more=(wide-gups default-triad ddr5-8400-2ch stride-both private-l2-four memory-cache-2ch powerdown-chase)
is_whole_reference || { cases=(two-ranks four-cores hbm1-4h-64) && more[4]=private-l2-same; }
[ "${1:-}" != all ] || cases+=("${more[@]}")
bundled=(default-qsort default-triad channels-4)

if [ ! -x "$ORACLE" ]; then
    skip "reference runs that are watched (2): there is no $ORACLE"
    exit 0
fi
open_display || { skip 'reference runs that are watched (2): there is no Xvfb, or no SDL2'; exit 0; }
printf 'await samples 2\nawait ended\n' >"$WORK/script"

# The oracle runs this in place of the command: it shows the run, and fails if the view does. The publishing run pauses
# as soon as its ring exists, until the viewer has mapped it: it is stopped, or, if it is short, its event log is not
# read.
[ -d "$SHARED/oracle/elastic" ] && hold=stop || hold=log
cat >"$WORK/window" <<E2
#!/bin/sh
exec "$RUBATO" "\$@" --every 2us --view --script "$WORK/script"
E2
cat >"$WORK/attached" <<E2
#!/usr/bin/env bash
name=oracle-viewed.\$\$ hold=$hold pipe="$WORK/log"
soon() { for _ in \$(seq 4000); do "\$@" 2>/dev/null && return 0; sleep 0.002; done; return 1; }
is_ready() { [ "\$(head -c 8 /dev/shm/rubato.\$name)" = rubring1 ]; }
options=(--every 2us --publish \$name)
[ \$hold = stop ] || { rm -f "\$pipe" && mkfifo "\$pipe" && options+=(--log "\$pipe"); }
"$RUBATO" "\$@" "\${options[@]}" &
run=\$!
[ \$hold = stop ] || exec 3<"\$pipe"
soon is_ready || exit 9
[ \$hold = log ] || kill -STOP \$run || exit 9
"$RUBATO" view --attach \$name --script "$WORK/script" &
viewer=\$!
soon grep -q rubato.\$name /proc/\$viewer/maps || exit 8
[ \$hold = stop ] || cat <&3 >/dev/null
[ \$hold = log ] || kill -CONT \$run
wait \$run
code=\$?
wait \$viewer || code=8
echo >>"$WORK/attached.count"
exit \$code
E2
chmod +x "$WORK/window" "$WORK/attached"

if [ -d "$SHARED/oracle/elastic" ]; then
    compare() { RUBATO=$1 "$ORACLE" --verbose "$SHARED/oracle/elastic" "$SHARED/traces/elastic" "${cases[@]}"; }
else
    cases=("${bundled[@]}")
    for name in "${bundled[@]}"; do
        mkdir -p "$WORK/cases/$name"
        cp "tests/golden/$name/case.json" "$WORK/cases/$name"
        gzip -dc "tests/golden/$name/model.json.gz" >"$WORK/cases/$name/model.json"
        ln -s "$TRACES" "$WORK/cases/$name/traces"
    done
    compare() { RUBATO=$1 "$ORACLE" --verbose --model "${bundled[@]/#/$WORK/cases/}"; }
fi
for how in attached window; do
    compare "$WORK/$how" >"$WORK/all" 2>&1
    if tail -n 1 "$WORK/all" | grep -qx "${#cases[@]} passed, 0 failed"; then
        ok "$how: ticks and statistics of ${#cases[@]} reference runs"
    else
        not_ok "$how: ticks and statistics of ${#cases[@]} reference runs"
        sed 's/^/    /' "$WORK/all" | head -n 30
    fi
done
if [ "$(wc -l <"$WORK/attached.count")" = ${#cases[@]} ]; then ok 'a viewer for each'; else not_ok 'a viewer for each'; fi
exit $failures
