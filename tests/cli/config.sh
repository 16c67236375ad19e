#!/usr/bin/env bash
# rubato config: what show prints loads again, --set works, shipped systems are found from anywhere, faults are one line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

shows() {    # PATTERN ARGUMENTS...: config show prints a line like that
    local pattern=$1
    shift
    "$RUBATO" config show "$@" >"$WORK/stdout" 2>"$WORK/stderr" && grep -qE -- "$pattern" "$WORK/stdout"
}
comes_back() {    # SYSTEM: what show prints is shown the same
    "$RUBATO" config show "$1" >"$WORK/same.yaml" && mkdir -p "$WORK/again" && cp "$WORK/same.yaml" "$WORK/again/$1.yaml" &&
        "$RUBATO" config show "$WORK/again/$1.yaml" | cmp -s - "$WORK/same.yaml"
}
from_elsewhere() { (cd / && shows '^ +rob: 192 ' "$1"); }

check 'L1 hit of etrace-l2' shows '^#   L1D hit +2ns ' etrace-l2
check 'L2 hit of etrace-l2' shows '^#   L2 hit +15ns ' etrace-l2
check 'memory of etrace-l2' shows '^#   memory, closed bank +90ns ' etrace-l2
check 'peak bandwidth' shows '^#   memory +12\.80 GB/s' etrace-l2
for system in configs/*.yaml; do
    check "show $system" comes_back "$(basename "$system" .yaml)"
done
check 'set' shows '^  size: 512KiB ' etrace --set l2.size=512KiB
check 'set twice' shows '^l2: none ' etrace --set l2.size=512KiB --set=l2=none
check 'name from elsewhere' from_elsewhere wide
check 'path of the repository from elsewhere' from_elsewhere configs/wide.yaml
"$RUBATO" config keys >"$WORK/keys"
check 'keys: a device' grep -q '^  GDDR5_4000_2x32$' "$WORK/keys"
check 'keys: a parameter' grep -qE '^  memory\.dram\.tCL +time +13\.75ns ' "$WORK/keys"

refused 'unknown key' '--set: l2\.sise: unknown key; did you mean l2\.size\?' \
    "$RUBATO" config show default --set l2.sise=1MiB
refused 'unknown system' 'did you mean default\?' "$RUBATO" config show defalt
refused 'impossible geometry' 'l2\.size: 500KiB .*; give 256KiB or 512KiB' "$RUBATO" config show default --set l2.size=500KiB
refused 'missing device values' 'comes without tCS and tREFI' \
    "$RUBATO" config show default --set memory.device=GDDR5_4000_2x32
printf 'l1d:\n  size: 48KX\n' >"$WORK/bad.yaml"
refused 'line of a file' 'bad\.yaml:2: l1d\.size: "48KX" has an unknown unit' "$RUBATO" config show "$WORK/bad.yaml"
: >"$WORK/empty.yaml"
refused 'empty file' 'holds no settings' "$RUBATO" config show "$WORK/empty.yaml"
refused 'a folder' 'is no file' "$RUBATO" config show configs
refused 'no system' 'which system\?' "$RUBATO" config show
refused 'unknown word' 'expected show SYSTEM, or keys' "$RUBATO" config list
refused 'too many words' 'one word too many' "$RUBATO" config show default wide
