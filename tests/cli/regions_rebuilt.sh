#!/usr/bin/env bash
# Regions of a program that was rebuilt since: each command that takes them refuses them, and says how to mend it; chosen anew they run.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
if ! command -v qemu-x86_64 >/dev/null 2>&1 || [ "$(uname -m)" != x86_64 ]; then
    skip 'regions of rebuilt programs (8): no qemu-x86_64, or another processor'
    exit ${failures:-0}
fi
cd "$WORK" || exit 1
cat >steps.c <<'EOF'
static volatile unsigned table[4096];
int main(void)
{
    unsigned x = 1;
    for (int i = 0; i < 20000; i++)
        table[x >> 20 & 4095] += x = x * 1664525u + STEP;
    return 0;
}
EOF
build() { "$CC" -O1 -DSTEP="$1" steps.c -o steps && "$RUBATO" capture -o steps.rbt --quiet -- ./steps; }
replay=("$RUBATO" replay detailed/base steps.regions --model detailed --quiet --summary)
choose() { "$RUBATO" regions steps.rbt --interval 5k --warmup 5k --regions 6 --quiet; }

build 1013904223u && choose
check 'as built: runs' "${replay[@]}" first.json
printf 'system: detailed/base\ntraces: [steps.regions]\nset: {cpu.model: detailed}\naxes:\n  cpu.issueWidth: [4, 8]\n' >sweep.yaml
build 1013904225u
why='steps.regions: its regions are of another trace than steps.rbt is now .*was the program rebuilt.*Choose them anew with .rubato regions'
refused 'rebuilt: replay' "$why" "${replay[@]}" second.json
check 'rebuilt: no result is written' test ! -e second.json
refused 'rebuilt: sweep' "$why" "$RUBATO" sweep sweep.yaml -o swept.db
refused 'rebuilt: view' "$why" "$RUBATO" view detailed/base steps.regions --model detailed --view text
refused 'rebuilt: diff' "$why" "$RUBATO" diff detailed/base core/zen4 --traces steps.regions --set cpu.model=detailed
cp steps.regions.warm old.warm && choose
check 'chosen anew: they run' "${replay[@]}" third.json
cp old.warm steps.regions.warm
refused 'the states of the program before' 'steps.regions.warm: .*its states are of another trace' "${replay[@]}" fourth.json
exit $failures
