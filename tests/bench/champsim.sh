#!/usr/bin/env bash
# What a ChampSim trace lacks costs: IPC of programs' .rbt and of the same instructions converted to ChampSim's records, on a detailed
# core, and how many returns of the ChampSim trace were mispredicted. The first five are unseen: the rules of docs/detailed-core.md were chosen on the last five.
#   RUBATO=build/release/rubato [SYSTEM=core/zen4] [SETTINGS="--set l1i.assoc=8"] tests/bench/champsim.sh [PROGRAM...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
export PERL_HASH_SEED=0

seq 1 60000 | awk '{ print ($1 * 7919) % 60013, "line", $1 }' >"$WORK/lines"
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "%s{\"n\": %d, \"t\": \"x%d\"}", i ? "," : "[", i * 7919 % 4001, i; print "]" }' >"$WORK/json"

printf '%s\n' 's = 0' 'for (i = 0; i < 100000; i++) s += i * i % 7' s quit >"$WORK/sum"

figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

# program NAME COMMAND...: a row of the table
program() {
    local name=$1 kind
    shift
    [ ${#chosen[@]} = 0 ] || [[ " ${chosen[*]} " == *" $name "* ]] || return 0
    command -v "$1" >/dev/null || { skip "$name: not installed"; return; }
    "$RUBATO" capture -o "$WORK/p.rbt" --from 2000000 --instructions 900k --quiet -- "$@" >/dev/null 2>"$WORK/said" </dev/null &&
        "$RUBATO" trace convert --to champsim -o "$WORK/p.champsim.xz" "$WORK/p.rbt" --quiet >/dev/null 2>>"$WORK/said" || {
        not_ok "$name: $(tail -n 1 "$WORK/said")"
        return
    }
    for kind in rbt champsim.xz; do
        # shellcheck disable=SC2086
        "$RUBATO" replay "${SYSTEM:-laptop}" ${SETTINGS:-} "$WORK/p.$kind" --model detailed --warmup 400k --no-cache --quiet --stats "$WORK/$kind.txt" || return
    done
    awk -v name="$name" -v one="$(figure "$WORK/rbt.txt" system.cpu.ipc)" -v other="$(figure "$WORK/champsim.xz.txt" system.cpu.ipc)" \
        -v wrong="$(figure "$WORK/champsim.xz.txt" "$WRONG")" -v all="$(figure "$WORK/champsim.xz.txt" "$ALL")" \
        'BEGIN { printf "| %s | %.3f | %.3f | %+.1f | %d of %d |\n", name, one, other, 100 * (other / one - 1), wrong, all }'
}
WRONG=system.cpu.branchPred.mispredicted_0::Return ALL=system.cpu.branchPred.committed_0::Return

chosen=("$@")
echo '| program | `.rbt` | ChampSim | % | returns mispredicted |'
echo '|---|---|---|---|---|'
program mawk mawk '{ s[$1 % 997] += $3 } END { for (k in s) t += s[k]; print t }' "$WORK/lines"
program jq jq '[.[] | .n * 2] | add' "$WORK/json"
program bc bc -q "$WORK/sum"
program sort sort -n "$WORK/lines"
program bzip2 bzip2 -9 -c "$WORK/lines"
program perl perl -e 'my %h; $h{$_ % 1009} += length("$_") for 1 .. 400000; print scalar(keys %h), "\n"'
program sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 200000) select sum(x * x % 7) from c'
program sed sed -n 's/\([0-9]*\) line \([0-9]*\)/\2 \1/p' "$WORK/lines"
program xz xz -1 -c "$WORK/lines"
program tclsh tclsh <(echo 'set s 0; for {set i 0} {$i < 200000} {incr i} { set s [expr {($s * 31 + $i) % 65521}] }; puts $s')
exit $failures
