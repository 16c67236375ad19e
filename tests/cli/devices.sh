#!/usr/bin/env bash
# DRAM devices: the shipped files have the figures of the specification; a user's own file is simulated or refused, with file, line and key;
# what `config show` writes of it loads without the file; results know its contents.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

root=$PWD
dram_of() { "$RUBATO" config show "$@" | awk '/^  controller:/ { dram = 0 } dram { sub(/ *#.*/, ""); print $1, $2 } /^  dram:/ { dram = 1 }' | sort; }
given='--set memory.policy=device --set memory.size=64GiB'

# --- the tables of classic-memory 12, whose heads name the columns: "class key value", times in ps
awk -F ' *[|] *' '/^### 12\.[12] / { table = 1; head = 0 } /^### 12\.3/ { table = 0 }
    table && /^\|/ && !head { for (i = 2; i < NF; i++) name[i] = $i; columns = NF; head = 1; next }
    table && /^\|/ && $2 !~ /^-/ { for (i = 3; i < columns; i++) print $2, name[i], $i }' docs/spec/classic-memory.md |
    sed -E 's/ device_size / device_size /; s/ bus bits / device_bus_width /; s/ BL / burst_length /; s/ dev row buf / device_rowbuffer_size /
        s/ devs\/rank / devices_per_rank /; s/ ranks / ranks_per_channel /; s/ banks / banks_per_rank /; s/ bank groups / bank_groups_per_rank /
        s/ rd buf / read_buffer_size /; s/ wr buf / write_buffer_size /; s/ page policy / page_policy /; s/ act limit / activation_limit /
        s/ 2-cycle ACT / two_cycle_activate /; s/ clk sync / data_clock_sync /; /\*/d' >"$WORK/specified"
check 'the specification has 22 classes of 41 figures' test "$(wc -l <"$WORK/specified")" = $((22 * 41))
wrong=$(while read -r class key value; do
    [ "$value" = — ] && value=unknown
    line=$(grep "^$key: " "configs/dram/$class.yaml") || { echo "$class has no $key"; continue; }
    found=${line#*: }
    case $found in
        *us) found=$(awk -v us="${found%us}" 'BEGIN { printf "%.10g", us * 1000000 }') ;;
        *ns) found=$(awk -v ns="${found%ns}" 'BEGIN { printf "%.10g", ns * 1000 }') ;;
        *ps) found=${found%ps} ;;
    esac
    case $found in yes) found=1 ;; no) found=0 ;; esac
    [ "$found" = "$value" ] || echo "$class: $key is $found, specified $value"
done <"$WORK/specified")
check 'shipped devices have the figures of the specification' test -z "$wrong"
[ -z "$wrong" ] || head -n 5 <<<"$wrong"
names=$(cd configs/dram && printf '%s\n' *.yaml | sed 's/\.yaml$//' | LC_ALL=C sort)
check 'config keys lists the files' test "$("$RUBATO" config keys | sed '1,/^DRAM devices/d; s/^ *//')" = "$names"

# --- a file of the user's
cd "$WORK" || exit 1
mkdir -p parts
mine() { sed -E "s/^tRCD: .*/tRCD: 20ns/; ${1:-}" "$root/configs/dram/DDR4_2400_8x8.yaml"; }
mine >parts/mine.yaml
printf 'include: default\nmemory: {device: ./mine.yaml, size: 1GiB}\n' >parts/system.yaml
check 'a file is its values' test "$(dram_of default $given --set memory.device=parts/mine.yaml | diff - \
    <(dram_of default $given --set memory.device=DDR4_2400_8x8) | tr '\n' ' ')" = '29c29 < tRCD: 20ns --- > tRCD: 14.16ns '
check 'a system names one beside it' test "$(dram_of parts/system.yaml | grep 'tRCD:')" = 'tRCD: 20ns'
"$RUBATO" config show parts/system.yaml >shown.yaml
mkdir -p elsewhere && cp shown.yaml elsewhere/system.yaml
check 'the printed form loads without the file' eval '(cd elsewhere && "$RUBATO" config show system.yaml) | cmp - shown.yaml'
check 'the name of the file stays' grep -q '^  device: mine  ' shown.yaml
check 'a shipped file by its path is that device' grep -q 'device: DDR4_2400_8x8 ' \
    <("$RUBATO" config show default --set memory.device="$root/configs/dram/DDR4_2400_8x8.yaml")
check 'the policy that a file proposes' test "$("$RUBATO" config show default --set memory.device=parts/mine.yaml \
    --set memory.policy=device | sed -nE 's/^ *read_buffer_size: ([0-9]+).*/\1/p')" = 64

wrong() {    # WHAT SED-COMMAND EXPECTED
    mine "$2" >bad.yaml
    "$RUBATO" config show default --set memory.device=./bad.yaml >stdout 2>stderr
    check "refused: $1" test "$? $(cat stderr)" = "2 rubato: $3"
}
line=$(grep -n '^tRCD:' parts/mine.yaml | cut -d : -f 1)
wrong 'no unit' 's/^tRCD: 20ns/tRCD: 20/' "./bad.yaml:$line: tRCD: \"20\" has no unit; give a time such as 13.75ns, 500ps or 7.8us"
wrong 'out of bounds' 's/^tRCD: 20ns/tRCD: 20ms/' "./bad.yaml:$line: tRCD: 20ms is out of range; give 0ns to 10us"
wrong 'an unknown key' 's/^tRCD:/tRDC:/' "./bad.yaml:$line: tRDC: unknown key; did you mean tRCD?"
wrong 'a missing key' '/^tRCD:/d' './bad.yaml:1: tRCD is missing: activate to read; give it, such as tRCD: 13.75ns'
wrong 'a key given twice' '/^tRCD:/p' "./bad.yaml:$((line + 1)): tRCD: given twice, first in line $line; leave one of them"
wrong 'values that do not go together' 's/^bank_groups_per_rank:.*/bank_groups_per_rank: 3/' \
    "./bad.yaml:$(grep -n '^bank_groups' parts/mine.yaml | cut -d : -f 1): bank_groups_per_rank: 3 does not divide the 16 banks; give 0 for none, or a divisor"
wrong 'a time that nobody gives' 's/^tRCD: 20ns/tRCD: unknown/' \
    'system default: memory.device bad comes without tRCD; give it, for example memory.dram.tRCD: 13.75ns'
wrong 'a list' 's/^tRCD: 20ns/tRCD: [20ns]/' "./bad.yaml:$line: tRCD: expected a time such as 13.75ns, 500ps or 7.8us, found a list"
mine >DDR4_2400_8x8.yaml
says() { "$RUBATO" config show default --set memory.device="$1" 2>&1 >/dev/null; }
check 'refused: the name of a shipped device, other values' test "$(says ./DDR4_2400_8x8.yaml)" = \
    'rubato: --set: memory.device: ./DDR4_2400_8x8.yaml: has the name of a shipped device and other values; rename it'
check 'refused: no file' test "$(says ./none.yaml)" = "rubato: --set: memory.device: ./none.yaml: no such file; expected one with the keys of \
memory.dram, or the name of a device that \`rubato config keys\` lists"
check 'refused: a folder' eval 'says parts/ | grep -q "digits\|no such file"'

# --- sweeps
cat >parts/sweep.yaml <<END
system: default
traces: $TRACES/gups
axes: {memory.device: [DDR4_2400_8x8, ./mine.yaml]}
END
sweep() { "$RUBATO" sweep parts/sweep.yaml --output sweep.db >stdout 2>stderr; }
time_of() { "$RUBATO" results sweep.db --csv --where 'point == 2' --columns time_ms | tail -n 1; }
check 'a sweep over devices takes a file beside its own' sweep
slow=$(time_of)
check 'the results name it' eval '"$RUBATO" results sweep.db | grep -q "parts/mine.yaml"'
check 'the same file: nothing is run again' eval 'sweep && grep -q "^run  *0 done, 0 failed, 2 done before" stdout'
mine 's/^tRCD: .*/tRCD: 14.16ns/' >parts/mine.yaml
check 'other contents: that point alone is run again' eval 'sweep && grep -q "^run  *1 done, 0 failed, 1 done before" stdout'
check 'another time' test "$(time_of)" != "$slow"
check 'the time of the device that it now equals' test "$(time_of)" = \
    "$("$RUBATO" results sweep.db --csv --where 'point == 1' --columns time_ms | tail -n 1)"
