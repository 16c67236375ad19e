#!/usr/bin/env bash
# config import of Ramulator's configurations: reference cases, written as its 2.1 exports them, run on the imported system issue the
# reference's commands; presets of 2.0; what has no counterpart is listed, what would change the result unseen is refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
python=$(command -v python3)
cases=$SHARED/oracle/command-dram

# ---- 2.1: resolved sizes, timings, constraints
exported() { PYTHONDONTWRITEBYTECODE=1 "$python" tests/support/ramulator_yaml.py "$cases" "$1"; }
if [ -z "$python" ] || [ ! -f "$cases/index.tsv" ]; then
    skip 'reference cases from their configurations: no python3, or no cases'
else
    # The shortest of each controller, standard, refresh, scheduler, policy, map, defence that an exact system may be.
    chosen=$(awk -F '\t' 'NR > 1 { print $15, $0 }' "$cases/index.tsv" | sort -n | cut -d ' ' -f 2- | awk -F '\t' '
        $1 ~ /^(latthru|readwrite|refresh-)/ || ($1 ~ /hbm.-closed|^mixed-(00|01|21)/) { next }
        { keys = "s" $3 FS "sch" $8 FS "row" $9 FS "ref" $10 FS "map" $11 FS "mit" $12 FS "fe" $13; n = split(keys, key, FS); new = 0
          for (i = 1; i <= n; i++) if (!(key[i] in seen)) { seen[key[i]] = 1; new = 1 }
          if (new) print $1 }')
    same=0 all=0
    for case in $chosen; do
        [ -f "$cases/$case/case.json" ] || continue
        all=$((all + 1))
        exported "$case" >"$WORK/case.yaml" && "$RUBATO" config import "$WORK/case.yaml" -o "$WORK/system.yaml" 2>"$WORK/stderr" ||
            { not_ok "$case is imported"; head -n 1 "$WORK/stderr"; continue; }
        tests/command-dram --system "$WORK/system.yaml" "$cases" "$case" >"$WORK/verdict" && same=$((same + 1)) ||
            { not_ok "$case on the imported system"; head -n 1 "$WORK/verdict"; }
    done
    check "$same of $all cases on imported systems are equal in every command, completion and statistic" test "$same" = "$all" -a "$all" -ge 20
fi

# ---- a file of 2.1, by hand: what is listed and what is refused
cat >"$WORK/ddr4.yaml" <<'END'
frontend:
  impl: External
  clock_ratio: 1
memory_system:
  impl: GenericDRAM
  clock_ratio: 3
  channel_mapper: {impl: CacheLineInterleave, interleave_bits: 1}
  controllers:
    - &one
      impl: GenericDDR
      wr_low_watermark: 0.2
      wr_high_watermark: 0.8
      read_buffer_size: 64
      scheduler: {impl: FRFCFS}
      refresh_manager: {impl: AllBank, scatter_interval: 0, debug: false}
      row_policy: {impl: ClosedCAP, cap: 8}
      addr_mapper: {impl: RoBaRaCoCh}
      controller_plugins:
        - {impl: CmdTraceRecorder, path: x.csv}
      dram:
        impl: DDR4
        org: {dq: 8, count: [1, 2, 4, 4, 65536, 1024]}
        timing: [2400, 4, 16, 17, 16, 39, 55, 18, 9, 12, 4, 6, 4, 6, 3, 9, 26, 433, 9364, 2, 833]
        channel_width: 64
        read_latency: 20
        timing_constraints:
          - [3, [0], [3, 4, 5, 6], 17]
          - [1, [0], [0], 26, 4]
          - [1, [3, 5], [3, 4, 5, 6], 6, 1, true]
    - *one
END
"$RUBATO" config import "$WORK/ddr4.yaml" -o "$WORK/system.yaml" 2>"$WORK/stderr"
has() { check "$1: $2" grep -qE -- "$2" "$WORK/system.yaml"; }
has 'standard' '^  standard: DDR4 '
has 'preset of the sizes' '^  organization: DDR4_8Gb_x8 '
has 'preset of the timings' '^  timing: DDR4_2400R '
has 'a timing of its own' '^    nRCD: 17 '
has 'ranks' '^    rank: 2 '
has 'channels' '^  channels: 2 '
has 'all of the device' '^  size: 32GiB '
has 'interleaving' '^  interleave: 128B '
has 'queue' '^    read_buffer_size: 64 '
has 'row policy' '^    cap: 8 '
has 'the published behaviour' '^    mode: exact '
has 'no latency in front' '^    frontend_latency: 0ns '
has 'a recorder' '^# line [0-9]+, CmdTraceRecorder: give --commands FILE'
has 'the front end' '^# line 1, frontend: '
check 'how many' grep -q 'warning: 4 options have no counterpart' "$WORK/stderr"
check 'it runs' "$RUBATO" replay "$WORK/system.yaml" "$TRACES/gups" --quiet
check 'JSON is YAML' test 1 = "$([ -z "$python" ] && echo 1 || { "$python" - "$WORK/ddr4.json" <<'END'
import json, sys
json.dump({"frontend": {"impl": "External", "clock_ratio": 1}, "memory_system": {"impl": "GenericDRAM", "clock_ratio": 1,
    "controllers": [{"impl": "HBM12", "dram": {"impl": "HBM2", "org": {"preset": "HBM2_8Gb"}, "timing": {"preset": "HBM2_2000Mbps"}}}]}},
    open(sys.argv[1], "w"), indent=2)
END
    "$RUBATO" config import "$WORK/ddr4.json" 2>/dev/null | grep -c '^  timing: HBM2_2000Mbps '; })"

wrong() {    # NAME PATTERN FROM TO: the file with a line changed
    sed "s/$3/$4/" "$WORK/ddr4.yaml" >"$WORK/wrong.yaml"
    cmp -s "$WORK/ddr4.yaml" "$WORK/wrong.yaml" && not_ok "$1: nothing was changed"
    refused "$1" "$2" "$RUBATO" config import "$WORK/wrong.yaml"
}
wrong 'an unknown parameter' 'wrong\.yaml: line 13: GenericDDR has no parameter read_bufer_size' read_buffer_size read_bufer_size
wrong 'an unknown controller' 'line 10: controller: impl "NewDDR": expected one of GenericDDR' 'impl: GenericDDR' 'impl: NewDDR'
wrong 'an unknown scheduler' 'scheduler: impl "BLISS": expected one of FRFCFS' FRFCFS BLISS
wrong 'an unknown standard' 'unknown standard "DDR9"' 'impl: DDR4' 'impl: DDR9'
wrong 'an unknown plugin' 'controller_plugins: impl "MyPlugin": expected one of PARA' CmdTraceRecorder MyPlugin
wrong 'a queue without entries' 'read_buffer_size: 0 is out of range' 'read_buffer_size: 64' 'read_buffer_size: 0'
wrong 'a mark that is no number' 'GenericDDR\.wr_low_watermark: "low": expected a number' 'wr_low_watermark: 0.2' 'wr_low_watermark: low'
wrong 'too few timings' 'line [0-9]+: dram\.timing: expected a list of 21 numbers' 'timing: \[2400, ' 'timing: ['
wrong 'another distance' 'dram\.timing_constraints: 4 pairs of commands have other distances than in rubato.s DDR4' '5, 6\], 17\]' '5, 6], 18]'
wrong 'a latency that does not follow' 'dram\.read_latency: 21, but DDR4 has 20' 'read_latency: 20' 'read_latency: 21'
wrong 'given levels' 'PassThroughChannelMapper is for requests with given levels' CacheLineInterleave PassThroughChannelMapper
wrong 'a section more' 'telemetry: expected frontend and memory_system' '^frontend' 'telemetry: {}\nfrontend'
sed 's/- \*one/- {impl: GenericDDR}/' "$WORK/ddr4.yaml" >"$WORK/wrong.yaml"
refused 'channels that differ' 'controllers: number 1 differs from number 0' "$RUBATO" config import "$WORK/wrong.yaml"
refused 'two files' 'unexpected argument' "$RUBATO" config import "$WORK/ddr4.yaml" "$WORK/ddr4.yaml"

# ---- 2.0: presets
cat >"$WORK/two.yaml" <<'END'
Frontend:
  impl: SimpleO3
  traces: [example_inst.trace]
MemorySystem:
  impl: GenericDRAM
  clock_ratio: 3
  DRAM:
    impl: DDR5-RFM
    org: {preset: DDR5_16Gb_x8, channel: 2, rank: 2}
    timing: {preset: DDR5_3200AN, nRCD: 25}
  Controller:
    impl: Generic
    Scheduler: {impl: FRFCFS}
    RefreshManager: {impl: NoRefresh}
    RowPolicy: {impl: ClosedRowPolicy, cap: 4}
    plugins:
      - ControllerPlugin: {impl: RFMManager, rfm_thresh: 40}
  AddrMapper: {impl: MOP4CLXOR}
END
"$RUBATO" config import "$WORK/two.yaml" -o "$WORK/system.yaml" 2>/dev/null
has '2.0: standard' '^  standard: DDR5_RFM '
has '2.0: channels' '^  channels: 2 '
has '2.0: timing' '^    nRCD: 25 '
has '2.0: plugin' '^  mitigation: .?RFM'
has '2.0: its parameter' '^    RFM_thresh: 40 '
has '2.0: map' '^    mapping: MOP4CLXOR '
exit $failures
