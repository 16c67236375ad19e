#!/usr/bin/env bash
# Output files of all commands: whole under their names or absent; devices, pipes and links are kept; writers of one
# name do not mix; an option that cannot write reports it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

gups=$PWD/tests/traces/gups
cd "$WORK" || exit 1
"$RUBATO" replay default "$gups" --no-cache --quiet --record r.rec --every 10us >/dev/null 2>&1 || not_ok 'a recording'
printf 'system: default\ntraces: [%s]\naxes:\n  l2.size: [256KiB, 512KiB]\n' "$gups" >spec.yaml
"$RUBATO" sweep spec.yaml -o t.db >/dev/null 2>messages || { not_ok 'a sweep'; cat messages; }
"$RUBATO" trace dump "$gups"/deptrace* --records 0:2000 >dep.txt || not_ok 'a text'

# name, command whose last argument is the file
writers="stats|replay default $gups --no-cache --quiet --stats
log|replay default $gups --no-cache --quiet --log
commands|replay default $gups --no-cache --quiet --commands
record|replay default $gups --no-cache --quiet --every 10us --record
csv|export r.rec --csv
parquet|export r.rec --parquet
perfetto|export r.rec --perfetto
plot|traffic default --plot
report|report t.db -o
text|trace build dep.txt -o"
while IFS='|' read -r name command; do
    # shellcheck disable=SC2086
    write() { timeout 60 "$RUBATO" $command "$1" >stdout 2>stderr </dev/null; }
    write "plain-$name"
    [ $? = 0 ] || { not_ok "$name: $(head -n 1 stderr)"; continue; }
    check "$name: whole, and nothing beside it" test -s "plain-$name" -a -z "$(find . -name "plain-$name.*")"

    ln -sf /dev/null null
    write null
    check "$name: a device and a link to it stay" test $? = 0 -a -L null -a -c /dev/null -a "$(readlink null)" = /dev/null
    write /dev/full
    check "$name: a full disk is reported, with the reason" test $? = 2 -a "$(grep -cE 'No space left on device|make room' stderr)" = 1
    mkfifo pipe
    cat pipe >through &
    write pipe
    wait $!
    check "$name: through a pipe" test -p pipe -a -s through
    rm pipe

    mkdir -p behind
    echo old >behind/file
    chmod 640 behind/file
    ln -sf behind/file link
    write link
    check "$name: a link stays, its file is replaced and keeps its mode" \
        test $? = 0 -a -L link -a "$(head -n 1 behind/file)" != old -a "$(stat -c %a behind/file)" = 640
    ln -sf nowhere dangling
    write dangling
    check "$name: a link to nothing is refused" test $? = 2 -a ! -e nowhere
    rm -f victim.partial
    echo victim >victim
    ln -sf "$PWD/victim" "target-$name.partial"
    write "target-$name"
    check "$name: a link that was planted is not followed" test "$(cat victim)" = victim -a -s "target-$name" -a ! -L "target-$name"
    write no/such/folder
    check "$name: no folder" test $? = 2 -a "$(grep -c 'No such file or directory' stderr)" = 1
done <<<"$writers"

# ---- two writers of one name
"$RUBATO" replay default "$gups" --no-cache --quiet --stats a.txt --set l2.size=256KiB >/dev/null 2>&1
"$RUBATO" replay default "$gups" --no-cache --quiet --stats b.txt --set l2.size=2MiB >/dev/null 2>&1
mixed=0
for ((i = 0; i < 10; i++)); do
    "$RUBATO" replay default "$gups" --no-cache --quiet --stats both.txt --set l2.size=256KiB >/dev/null 2>&1 &
    "$RUBATO" replay default "$gups" --no-cache --quiet --stats both.txt --set l2.size=2MiB >/dev/null 2>&1
    wait
    same() { [ "$(grep -v ^host "$1")" = "$(grep -v ^host both.txt)" ]; }
    same a.txt || same b.txt || mixed=$((mixed + 1))
done
check 'two runs with one file: it is that of one of them' test $mixed = 0
"$RUBATO" replay default "$gups" --no-cache --quiet --stats one.txt --log ./one.txt >/dev/null 2>stderr
check 'two outputs with one name are refused' test $? = 2 -a "$(grep -c 'two outputs' stderr)" = 1 -a ! -e one.txt

# ---- outputs that are inputs
cp -r "$gups" traces
cp -r "$gups" kept
kernels=$(dirname "$gups")/gpu/volta-bfs-2blocks
cp -r "$kernels" kernels
cp -r "$kernels" kept-kernels
configs=$(dirname "$gups")/../../configs
cp "$configs/wide.yaml" wide.yaml
cp dep.txt kept.txt
spares() {    # NAME ARGUMENTS...
    refused "$1: an output that is an input" 'is an input, or a trace' "$RUBATO" "${@:2}"
}
spares pack trace pack traces -o traces/deptrace.proto.gz
spares 'pack of files' trace pack --data traces/deptrace.proto.gz --fetch traces/fetchtrace.proto.gz -o traces/../traces/fetchtrace.proto.gz
spares 'pack of a list' trace pack kernels -o kernels/kernelslist.g
spares 'pack of a kernel' trace pack kernels/kernelslist.g -o kernels/kernel-3.traceg.gz
spares build trace build dep.txt -o ./dep.txt
spares statistics replay wide.yaml traces --no-cache --quiet --stats traces/deptrace.proto.gz
spares 'a log' replay wide.yaml traces --no-cache --quiet --log wide.yaml
ln -s "$PWD/wide.yaml" linked.yaml
spares 'a link' replay wide.yaml traces --no-cache --quiet --stats linked.yaml
spares 'a recording' export r.rec --csv r.rec
spares report report t.db -o t.db
spares traffic traffic wide.yaml --plot wide.yaml
check 'inputs are unchanged' eval 'diff -r traces kept && diff -r kernels kept-kernels && cmp wide.yaml "$configs/wide.yaml" && cmp dep.txt kept.txt'
check 'results in the folder of the traces are replaced' eval '"$RUBATO" replay wide.yaml traces --no-cache --quiet --stats traces/stats.txt &&
    "$RUBATO" replay wide.yaml traces --no-cache --quiet --stats traces/stats.txt'

# ---- what a run that is killed leaves
mkfifo reader               # that does not read: the run is in its midst for ever
"$RUBATO" replay default "$gups" --no-cache --quiet --log killed.log --commands reader >/dev/null 2>&1 &
exec 3<reader
sleep 0.2
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
exec 3<&-
check 'a run that is killed leaves no cut file under the name, nor beside it' test ! -e killed.log -a -z "$(find . -name 'killed.log*')"
exit $failures
