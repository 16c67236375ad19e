#!/usr/bin/env bash
# Speed of DRAM command by command, by itself (tests/tools/command_speed.c: one channel, a closed loop that keeps the queues full, 4 reads to
# 1 write): requests a second of user time in both modes beside Ramulator 2.1's (ramulator_requests.tsv; the goal is twenty times as many),
# then what idle time costs, with a request each simulated millisecond, and the most memory of all these runs. Each figure is that of the
# fastest of RUNS runs.
# commands.sh [REQUESTS]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

requests=${1:-3000000}
runs=${RUNS:-3}
tool=$BUILD/tests/tools/command_speed
[ -x "$tool" ] || { not_ok "there is no $tool; make test_tools builds it"; exit 1; }

most_kib=0
# Sets kilo (thousands of requests a second), user (seconds) and simulated (us) of the fastest run.
measure() {    # STANDARD ORGANIZATION TIMING PATTERN REQUESTS MODE
    local run line fields
    kilo=0
    for ((run = 0; run < runs; run++)); do
        line=$("$tool" "$1" "$2" "$3" "$4" "$5" fast "$6") || exit 1
        IFS=$'\t' read -ra fields <<<"$line"
        if ((fields[3] >= kilo)); then
            kilo=${fields[3]} user=${fields[2]} simulated=${fields[4]}
        fi
        if ((fields[5] > most_kib)); then most_kib=${fields[5]}; fi
    done
}

printf '%-10s %-7s %-6s %12s %12s %7s\n' device pattern mode requests/s Ramulator times
reached=0 rows=0 devices=()
while IFS=$'\t' read -r name standard organization timing pattern reference; do
    for mode in exact sane; do
        measure "$standard" "$organization" "$timing" "$pattern" "$requests" $mode
        printf '%-10s %-7s %-6s %12d %12d %7s\n' "$name" "$pattern" $mode $((kilo * 1000)) $((reference * 1000)) \
            "$(awk -v k="$kilo" -v r="$reference" 'BEGIN { printf "%.1f", k / r }')"
        rows=$((rows + 1)) reached=$((reached + (kilo >= 20 * reference)))
    done
    [ "$pattern" != random ] || devices+=("$name $standard $organization $timing")
done < <(grep -v '^#' tests/bench/ramulator_requests.tsv | tail -n +2)
echo "$reached of $rows are at least 20 times as fast"

echo
echo 'user time of a simulated millisecond with one request'
for device in "${devices[@]}"; do
    read -r name standard organization timing <<<"$device"
    measure "$standard" "$organization" "$timing" idle 20000 sane
    awk -v name="$name" -v user="$user" -v us="$simulated" 'BEGIN { printf "%-10s %-7s %9.1f us\n", name, "idle", user * 1e9 / us }'
done
echo
awk -v kib="$most_kib" 'BEGIN { printf "most memory: %.1f MB (limit 64)\n", kib / 1024 }'
