#!/usr/bin/env bash
# tests/published itself, with a stand-in for the command whose cycles are given: differences, means, the search for the window, what fails;
# and its table: each core and key exists, each core of configs/core has rows or was compared with silicon.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

equal() {    # NAME GOT EXPECTED
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $2, expected $3"; fi
}
mkdir "$WORK/machine"
# A core that holds 100 instructions, adds at 0.25 cycles, and whose mispredictions take 14 cycles, of half the branches.
cat >"$WORK/rubato" <<'EOF'
#!/usr/bin/env bash
case $1 in
capture) while [ "$1" != -o ]; do shift; done; [[ $2 != *vadd* ]] || exit 3; echo >"$2" ;;
trace) echo '{"instructions": 1000}' ;;
replay)
    while [ $# -gt 0 ]; do
        case $1 in *.rbt) name=$(basename "$1" .rbt) ;; --summary) summary=$2 ;; esac
        shift
    done
    case $name in
    add) cycles=250 ;; branch_0) cycles=6000 ;; branch_1) cycles=13000 ;; turns_*) cycles=$((${name#turns_} + 2 > 100 ? 200 : 101)) ;;
    *) cycles=1000 ;;
    esac
    printf '{\n  "metrics": {\n    "cycles": %s,\n  }\n}\n' "$cycles" >"$summary" ;;
esac
EOF
chmod +x "$WORK/rubato"
printf 'case\tprogram\tcapture\twarm\tper\tunit\tpages\tcycles\tquartile\tspread\tspread_all\trounds\tagainst\tisolates\n' >"$WORK/machine/native.tsv"
awk -F '\t' 'NR > 1 { n = split($3, cases, " - "); for (i = 1; i <= n; i++) if (cases[i] != "window") print cases[i] }' tests/published.tsv | sort -u |
    while read -r case; do printf '%s\tmicrobench\t%s\t0\t1000\toperation\t4K\t1\t1\t0\t0\t5\t\tit\n' "$case" "$case"; done >>"$WORK/machine/native.tsv"
run() { RUBATO=$WORK/rubato tests/published --keep "$WORK/kept" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null; }
row() { awk -v key="$1" '$1 == key { print $(NF - 2), $(NF - 1), $NF }' "$WORK/out"; }

check 'a case that cannot be captured is a failure' eval '! run "$WORK/machine" neoverse-n1'
equal 'and is shown' "$(row fuPool.SIMD_Unit)" '0.5 - -'
equal 'a figure' "$(row fuPool.IntALU)" '0.333 0.250 -25.0'
equal 'a difference, times its factor' "$(row fetchToDecodeDelay)" '11.000 14.000 +27.3'
equal 'a window that is searched for' "$(row numROBEntries)" '128.000 100.000 -21.9'
check 'a core by name' eval '! run "$WORK/machine" nothing'
check 'that has no row' grep -q 'nothing has no row' "$WORK/err"
check 'a folder without cases' eval '! run "$WORK"'
check 'is named' grep -q 'native.tsv cannot be read' "$WORK/err"

for core in configs/core/*.yaml; do
    core=$(basename "$core" .yaml)
    case $core in reference | zen4) continue ;; esac
    check "$core has rows" grep -q "^$core"$'\t' tests/published.tsv
    "$RUBATO" config show "core/$core" | sed -n 's/^ *\([A-Za-z_0-9]*\): .*/\1/p' | sort -u >"$WORK/keys"
    awk -F '\t' -v core="$core" '$1 == core { sub(/.*[.]/, "", $2); print $2 }' tests/published.tsv | sort -u >"$WORK/named"
    check "$core has their keys" test -z "$(comm -13 "$WORK/keys" "$WORK/named")"
done
equal 'no row is of another core' "$(tail -n +2 tests/published.tsv | cut -f 1 | sort -u | while read -r core; do [ -e "configs/core/$core.yaml" ] || echo "$core"; done)" ''
exit $failures
