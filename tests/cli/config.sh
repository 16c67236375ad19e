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
check 'cores' shows '^#         `- l2 x2 ' quad --set cores=2
check 'a key of one core' shows '^  - rob: 7 ' quad --set cores.0.rob=7
check 'a prefetcher by name' shows '^    type: tagged ' default --set l2.prefetcher=tagged
check 'a policy' shows '^  replacement: brrip ' default --set l2.replacement=brrip
check 'a memory cache' shows '^memory_cache: ' default --set memory_cache.size=1MiB
check 'the tree' shows '^#      `- l3 +8MiB, 16 ways' quad
check 'private caches in the tree' shows '^#         `- l2 x4 +512KiB' quad
check 'pseudo-channels' shows '^    min_reads_per_switch: 64 ' hbm
printf 'cores: 2\ncpu: {share: yes}\ncaches: [{name: l2a, behind: [l1i0, l1d0]}]\n' >"$WORK/two.yaml"
check 'a cache by name' shows '^    size: 1MiB ' "$WORK/two.yaml" --set l2a.size=1MiB
check 'one core behind it' shows '^#      \|- cpu1.l1i ' "$WORK/two.yaml"
printf 'memories: [{type: simple, size: 4MiB}, {channels: 2}]\n' >"$WORK/memories.yaml"
check 'a memory by number' shows '^    base: 8MiB ' "$WORK/memories.yaml" --set memories.0.size=8MiB
check 'bandwidth of all memories' shows '^#   all memories +39\.30 GB/s' "$WORK/memories.yaml"
"$RUBATO" config keys >"$WORK/keys"
check 'keys: a device' grep -q '^  GDDR5_4000_2x32$' "$WORK/keys"
check 'keys: an item of cores' grep -qE '^  cores\.0\.offset +bytes ' "$WORK/keys"
check 'keys: a prefetcher' grep -qE '^  l2\.prefetcher\.type +name +none .*stride' "$WORK/keys"
check 'keys: a parameter' grep -qE '^  memory\.dram\.tCL +time +13\.75ns ' "$WORK/keys"

# ---- list: a line for each system of each folder, which config show takes by that name
"$RUBATO" config list >"$WORK/list" 2>&1
list_names() { tail -n +2 "$WORK/list" | cut -d ' ' -f 1 | sort; }
file_names() { (cd configs && find . detailed gpu -maxdepth 1 -name '*.yaml') | sed 's:^\./::; s:^gpu/::; s:\.yaml$::' | sort; }
check 'list: all systems' cmp -s <(list_names) <(file_names)
check 'list: cores, caches, memory, description' grep -qE \
    '^quad +4 x 3 GHz +l1i 32KiB x4, l1d 32KiB x4, l2 512KiB x4, l3 8MiB +2 x DDR4_2400_8x8, 38\.42 GB/s +Four cores' "$WORK/list"
check 'list: a GPU' grep -qE '^qv100 +80 SMs, 1\.13 GHz +GPU 128KiB x80, 6MiB +64 x HBM2_1700_1x64, 870\.4 GB/s +NVIDIA' "$WORK/list"
check 'list: every name is shown' bash -c 'cut -d " " -f 1 "$2" | tail -n +2 | while read -r name; do "$1" config show "$name" || exit 1; done \
    >/dev/null' - "$RUBATO" "$WORK/list"
check 'list as JSON has the same systems' cmp <(awk 'NR > 1 { print $1 }' "$WORK/list") \
    <("$RUBATO" config list --json | sed -n 's/^{"name": "\([^"]*\)", "cores": .*/\1/p')
check 'and as CSV' test "$("$RUBATO" config list --csv | head -n 1)" = name,cores,caches,memory,about,reproduces
refused 'forms of something else' 'are for config list' "$RUBATO" config keys --json
check 'list from elsewhere' bash -c 'cd / && "$1" config list | cmp -s - "$2"' - "$RUBATO" "$WORK/list"
refused 'list of something' 'config list: unexpected argument wide' "$RUBATO" config list wide
refused 'list with settings' 'leave --set out' "$RUBATO" config list --set cores=2

refused 'unknown key' '--set: l2\.sise: unknown key; did you mean l2\.size\?' \
    "$RUBATO" config show default --set l2.sise=1MiB
refused 'unknown system' 'did you mean default\?' "$RUBATO" config show defalt
refused 'unknown system of a folder' 'did you mean detailed/lpddr3\?' "$RUBATO" config show detailed/lpddr
refused 'unknown GPU' 'did you mean r9nano\?' "$RUBATO" config show r9nanno
refused 'a system that is like none' 'of that name; `rubato config list` shows all$' "$RUBATO" config show xyzzy
refused 'impossible geometry' 'l2\.size: 500100B .* makes no whole number of sets; give 488KiB or 500224B' "$RUBATO" config show default --set l2.size=500100
refused 'cores that overlap' 'cores\.1: addresses of different traces overlap; give offset: .*, or share: yes' \
    "$RUBATO" config show default --set cores=2
refused 'a cycle' 'goes round' "$RUBATO" config show "$WORK/two.yaml" --set l2.behind=l3 --set l3.behind=l2
refused 'missing device values' 'comes without tCS and tREFI' \
    "$RUBATO" config show default --set memory.device=GDDR5_4000_2x32
printf 'l1d:\n  size: 48KX\n' >"$WORK/bad.yaml"
refused 'line of a file' 'bad\.yaml:2: l1d\.size: "48KX" has an unknown unit' "$RUBATO" config show "$WORK/bad.yaml"
: >"$WORK/empty.yaml"
refused 'empty file' 'holds no settings' "$RUBATO" config show "$WORK/empty.yaml"
refused 'a folder' 'is not a file' "$RUBATO" config show configs
refused 'no system' 'no system was given' "$RUBATO" config show
refused 'unknown word' 'did you mean list\? expected list, show SYSTEM, keys, or import' "$RUBATO" config lyst
refused 'too many words' 'unexpected argument' "$RUBATO" config show default wide
