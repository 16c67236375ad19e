#!/usr/bin/env bash
# rubato sweep --on slurm against a real Slurm of one node: the job that is written, submitted and run, and the merged results,
# which equal the local ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/slurm.sh
need_rubato

cd "$WORK" || exit 1
cat >grid.yaml <<END
system: wide
traces: [$TRACES/gups, $TRACES/qsort]
axes:
  l2.size: {from: 128KiB, to: 2MiB, times: 2}
  l1d.mshrs: [2, 8]
END
"$RUBATO" sweep grid.yaml -o local.db >/dev/null 2>&1
"$RUBATO" results local.db --csv --columns all,point,hash,state >local.csv

# --- the job, without a Slurm
"$RUBATO" sweep grid.yaml -o "with space 100%.db" --on slurm --dry-run -j 2 --shards 5 --throttle 2 --partition other --time 5 \
    --sbatch --exclusive=no >job.sh
for line in '#SBATCH --array=1-5%2' '#SBATCH --cpus-per-task=2' '#SBATCH --partition=other' '#SBATCH --time=5' \
    '#SBATCH --exclusive=no' "#SBATCH --output=\"$WORK/with space 100%%.shards/%a.log\""; do
    check "the job has $line" grep -qxF -- "$line" job.sh
done
check 'the job is a script' bash -n job.sh
check '--dry-run makes nothing' test ! -e 'with space 100%.shards'
mkdir bin
ln -s "$(command -v bash)" bin/bash
refused 'no sbatch' 'sbatch cannot be started' env PATH="$WORK/bin" "$RUBATO" sweep grid.yaml --on slurm -o none.db

# --- names that a shell or sbatch could take for something else
lines_of() { grep -c '' job.sh; }
expected=$("$RUBATO" sweep grid.yaml --on slurm --dry-run | grep -c '')
odd="a\$(touch pwned) \`touch pwned\` 'b' #c;d"
for name in "$odd" "x\"y z" "back\\slash"; do
    cp grid.yaml "$name.yaml"
    "$RUBATO" sweep "$name.yaml" --on slurm --dry-run -o odd.db >job.sh
    check "a sweep called $name: lines of the job" test "$(lines_of)" = "$expected"
    check "a sweep called $name: quotes of the options are closed" test "$(grep '^#SBATCH' job.sh | tr -cd '"\\' | tr -d '\n')" = '""""'
    sed 's/^exec [^ ]* /set -- /' job.sh >words.sh
    check "a sweep called $name: one word" test "$(bash -c '. ./words.sh; echo "$2"')" = "$name.yaml"
done
check 'nothing of a name is run' test ! -e pwned
for name in $'new\nline.yaml' $'tab\tbed.yaml'; do
    cp grid.yaml "$name"
    refused "a sweep called $(printf %q "$name")" 'control character' "$RUBATO" sweep "$name" --on slurm --dry-run -o odd.db
done
refused 'a result file with a line feed' 'control character' "$RUBATO" sweep grid.yaml --on slurm --dry-run -o $'odd\n#SBATCH x.db'
refused 'a result file with a quote' 'give another file' "$RUBATO" sweep grid.yaml --on slurm --dry-run -o 'odd"x.db'
refused 'a partition with a line feed' 'control character' "$RUBATO" sweep grid.yaml --on slurm --dry-run --partition $'x\ntouch pwned'
refused 'a partition of two words' 'must not contain spaces' "$RUBATO" sweep grid.yaml --on slurm --dry-run --partition 'x --uid=0'
refused 'a time with a line feed' 'control character' "$RUBATO" sweep grid.yaml --on slurm --dry-run --time $'5\ntouch pwned'
refused 'an option of sbatch with a line feed' 'one line' "$RUBATO" sweep grid.yaml --on slurm --dry-run --sbatch $'--x\ntouch pwned'
mkdir fake
printf '#!/bin/sh\necho 7\n' >fake/sbatch
chmod +x fake/sbatch
PATH=$PWD/fake:$PATH "$RUBATO" sweep "$odd.yaml" --on slurm -o "$odd.db" >stdout
eval "set -- $(sed -n 's/^afterwards *//p' stdout)"
check 'the command to paste: one word each' test "$#|$3|$5" = "6|$odd.yaml|$odd.db"

# --- a real one
if why=$(slurm_missing); then
    skip "a real Slurm (9): $why"
    exit 0
fi
trap 'slurm_stop; rm -rf "$WORK"' EXIT
if ! slurm_start "$WORK/slurm"; then
    skip "a real Slurm (9): it did not start: $(tail -qn 1 "$WORK"/slurm/*.out "$WORK"/slurm/*.log 2>/dev/null | tr '\n' ' ' | cut -c 1-300)"
    exit 0
fi
finished() { slurm_wait 100 eval '[ -z "$(squeue -h)" ]'; }
"$RUBATO" sweep grid.yaml -o "remote one.db" --on slurm --shards 4 --throttle 2 --partition other --time 5 >stdout 2>stderr
code=$?
check 'submitted' test "$code" = 0
check 'the job has a number' grep -qE '^submitted +job [0-9]+, 4 tasks for 20 points' stdout
check 'the tasks end' finished
check 'each task has a file of its own' test "$(find 'remote one.shards' -name '*-of-4.db' | wc -l)" = 4
check 'no lock is left' test -z "$(find 'remote one.shards' -name '*.lock')"
check 'collected' eval '"$RUBATO" sweep grid.yaml -o "remote one.db" --collect | grep -qE "^points +20, 0 failed, 0 to do"'
check 'merged results equal the local ones' eval '"$RUBATO" results "remote one.db" --csv --columns all,point,hash,state | cmp - local.csv'
"$RUBATO" sweep grid.yaml -o "remote one.db" --on slurm --partition nowhere >stdout 2>stderr
code=$?
check 'a refusal of sbatch is reported' eval '[ "$code" = 2 ] && grep -q "^rubato: sbatch refused .*invalid partition" stderr'

# --- tasks that are killed, and run again
"$RUBATO" sweep grid.yaml -o again.db --on slurm --shards 2 >/dev/null 2>&1
slurm_wait 20 eval '[ -n "$(find again.shards -name "*.db" 2>/dev/null)" ]'
scancel --signal=KILL --full --user=root 2>/dev/null
finished
"$RUBATO" sweep grid.yaml -o again.db --on slurm --shards 2 >/dev/null 2>&1
finished
"$RUBATO" sweep grid.yaml -o again.db --collect >stdout 2>stderr
check 'killed and submitted again: the same results' eval '"$RUBATO" results again.db --csv --columns all,point,hash,state | cmp - local.csv'
