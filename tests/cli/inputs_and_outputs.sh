#!/usr/bin/env bash
# No output is an input, by whatever name, and no two outputs are one file: each pair of input and output of each command. What a new
# file takes over of the one that it replaces; planted links, pipes and locks; standard descriptors that are closed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cd "$WORK" || exit 1
mkdir -p in
cp -r "$TRACES/gups" in/pair
"$RUBATO" trace cut "$TRACES/detailed/matrix.rbt" --records 100:5000 -o in/a.rbt >cut.out || not_ok "a trace without its program"
{ head -c 18 "$RUBATO"; printf '\363\0'; tail -c +21 "$RUBATO" | cat; } | xz -c >in/a.elf.xz    # RISC-V, as the trace
cp -r "$TRACES/gpu/volta-bfs-2blocks" in/kernels
cp "$(dirname "$TRACES")/../configs/wide.yaml" in/base.yaml
printf 'include: base.yaml\n' >in/system.yaml
printf 'system: in/system.yaml\ntraces: [in/pair]\naxes:\n  l2.size: [256KiB, 512KiB]\n' >sweep.yaml
printf '0x1a40 R\n0x2000 W\n' >in/requests.txt
"$RUBATO" replay in/system.yaml in/pair --no-cache --quiet --record in/r.rec --every 100us --summary in/s.json >/dev/null 2>&1 || not_ok 'a recording'
"$RUBATO" sweep sweep.yaml -o in/r.db --no-cache >/dev/null 2>&1 || not_ok 'a sweep'
"$RUBATO" trace dump in/pair/deptrace.proto.gz --records 0:2000 >in/dep.txt || not_ok 'a text'
"$RUBATO" trace pack in/pair -o in/p.pack --quiet >/dev/null 2>&1 || not_ok 'a store'
printf '#!/bin/sh\n' >in/script.sh
printf 'int main(void) { return 0; }\n' | "${CC%% *}" -x c - -o in/program || not_ok 'a program'
chmod +x in/script.sh
printf 'key q\n' >in/keys

# command with {} for the output; its inputs
commands="replay in/system.yaml in/pair --no-cache --quiet --stats {}|in/system.yaml in/base.yaml in/pair/deptrace.proto.gz in/pair/fetchtrace.proto.gz
replay in/system.yaml in/pair --no-cache --quiet --log {}|in/system.yaml in/base.yaml in/pair/deptrace.proto.gz
replay in/system.yaml in/pair --no-cache --quiet --commands {}|in/system.yaml in/base.yaml in/pair/fetchtrace.proto.gz
replay in/system.yaml in/pair --no-cache --quiet --record {}|in/system.yaml in/base.yaml in/pair/deptrace.proto.gz
replay in/system.yaml in/pair --no-cache --quiet --summary {}|in/system.yaml in/base.yaml in/pair/deptrace.proto.gz
replay in/system.yaml --data in/pair/deptrace.proto.gz --fetch in/pair/fetchtrace.proto.gz --no-cache --quiet --stats {}|in/pair/deptrace.proto.gz in/pair/fetchtrace.proto.gz
replay in/system.yaml in/p.pack --quiet --stats {}|in/p.pack in/base.yaml
replay laptop in/a.rbt --model detailed --quiet --stats {}|in/a.rbt
replay laptop in/a.rbt --model detailed --quiet --pipeline {}|in/a.rbt
replay qv100 in/kernels --quiet --stats {}|in/kernels/kernelslist.g in/kernels/kernel-3.traceg.gz
sweep sweep.yaml --no-cache -o {}|sweep.yaml in/system.yaml in/base.yaml in/pair/deptrace.proto.gz
results in/r.db --csv -o {}|in/r.db
results in/r.db --format json -o {}|in/r.db
report in/r.db -o {}|in/r.db
traffic in/system.yaml --plot {}|in/system.yaml in/base.yaml
traffic in/system.yaml --trace in/requests.txt --commands {}|in/system.yaml in/base.yaml in/requests.txt
export in/r.rec --csv {}|in/r.rec
export in/r.rec --parquet {}|in/r.rec
export in/r.rec --perfetto {}|in/r.rec
trace build in/dep.txt -o {}|in/dep.txt
trace pack in/pair -o {}|in/pair/deptrace.proto.gz in/pair/fetchtrace.proto.gz
trace pack in/kernels -o {}|in/kernels/kernelslist.g in/kernels/kernel-3.traceg.gz
trace cut in/a.rbt --records 0:100 -o {}|in/a.rbt
trace cut in/a.rbt --salvage -o {}|in/a.rbt
trace info in/a.rbt --reuse --svg {}|in/a.rbt
trace convert in/a.rbt --format lackey -o {}|in/a.rbt
view in/pair --frames frames --script in/keys --record {}|in/pair/deptrace.proto.gz in/keys
capture -o {} -- in/program|in/program
capture -o {} -- in/program in/dep.txt|in/dep.txt
capture -o {} -- in/script.sh|in/script.sh"

# same FILE COMMAND...: refused with one line, and all inputs are unchanged
cp -r in kept
cp sweep.yaml kept.sweep
is_kept() { diff -r in kept >/dev/null && cmp -s sweep.yaml kept.sweep; }
is_refused() {
    timeout 60 "$RUBATO" "$@" >stdout 2>stderr </dev/null
    [ $? = 2 ] && grep -q '^rubato: ' stderr && is_kept
}
while IFS='|' read -r command inputs; do
    bad=
    for input in $inputs; do
        rm -rf link hard.* other
        ln -s "$input" link
        ln "$input" "hard.${input##*[./]}"
        mkdir other
        for name in "$input" "./in/../$input" "$PWD/$input" link "hard.${input##*[./]}"; do
            # shellcheck disable=SC2086
            is_refused ${command//'{}'/$name} || bad="$bad $name ($?: $(head -n 1 stderr | cut -c 1-120))"
            is_kept || { rm -rf in && cp -r kept in && cp kept.sweep sweep.yaml; bad="$bad $name:REPLACED"; }
        done
    done
    rm -rf link hard.*
    check "$command: no name of an input$bad" test -z "$bad"
done <<<"$commands"

ln in/a.elf.xz elf.txt
refused 'the ELF file beside a trace, by another name' 'is an input' "$RUBATO" replay laptop in/a.rbt --model detailed --quiet --stats elf.txt
check 'inputs are unchanged' is_kept

# ---- two outputs
touch one.txt
ln -s one.txt same.txt
ln one.txt hard.txt
for pair in '--stats two.txt --log ./two.txt' '--stats one.txt --log same.txt' '--stats one.txt --pipeline hard.txt' '--record x.rec --commands x.rec'; do
    # shellcheck disable=SC2086
    refused "two outputs: $pair" 'two outputs' "$RUBATO" replay in/system.yaml in/pair --no-cache --quiet $pair
done
refused 'two outputs of an export' 'two outputs' "$RUBATO" export in/r.rec --csv x --parquet ./x
check 'two outputs may be one device' "$RUBATO" replay in/system.yaml in/pair --no-cache --quiet --stats /dev/null --log /dev/null

# ---- modes
stats() { "$RUBATO" replay in/system.yaml in/pair --no-cache --quiet --stats "$@" >stdout 2>stderr; }
for mode in 600 640 604 400 777 4755 2755 1777 6777; do
    rm -f mode.txt
    touch mode.txt
    chmod $mode mode.txt
    stats mode.txt
    check "a file of mode $mode: no bits above 0777" test "$(stat -c %a mode.txt)" = $((8#$mode & 8#777 ? $(printf '%o' $((8#$mode & 8#777))) : 0))
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    chmod 755 "$WORK"
    mkdir shared
    chmod 1777 shared
    umask 022
    for mode in 4777 2777 666 606 600; do
        nobody sh -c "rm -f shared/x; : >shared/x; chmod $mode shared/x"
        stats shared/x
        check "another user's file of mode $mode gives nothing to root's" test "$(stat -c '%U %a' shared/x)" = 'root 644'
        rm -f shared/x
    done
    echo secret >victim
    nobody ln -s "$PWD/victim" shared/planted
    stats shared/planted
    check "another user's link in a folder for all is not followed" test $? = 2 -a "$(cat victim)" = secret -a "$(grep -c 'another user' stderr)" = 1
    nobody mkfifo shared/pipe
    timeout 20 "$RUBATO" replay in/system.yaml in/pair --no-cache --quiet --stats shared/pipe >stdout 2>stderr
    check "nor is another user's pipe written to" test $? = 2
    nobody ln -s "$PWD/victim" shared/planted.db
    timeout 60 "$RUBATO" sweep sweep.yaml --no-cache -o shared/planted.db >stdout 2>stderr
    check "nor such a link to results" test $? = 2 -a "$(cat victim)" = secret
    nobody sh -c ': >shared/own.rbt; chmod 4777 shared/own.rbt'
    "$RUBATO" trace cut in/a.rbt --records 0:100 -o shared/own.rbt >stdout 2>stderr
    check 'a trace over it likewise' test "$(stat -c '%U %a' shared/own.rbt)" = 'root 644'
    touch group.txt
    chown 0:65534 group.txt
    chmod 660 group.txt
    stats group.txt
    check 'a group is kept' test "$(stat -c '%g %a' group.txt)" = '65534 660'
else
    skip 'files of other users (10): not root'
fi

# ---- results and their lock
sweep() { timeout 60 "$RUBATO" sweep sweep.yaml --no-cache -o "$1" >stdout 2>stderr; }
echo mine >mine
cp mine notes.db.lock
sweep notes.db
check "a user's own file that has a lock's name is not emptied" test $? = 2 -a "$(cat notes.db.lock)" = mine -a "$(grep -c 'notes.db.lock' stderr)" = 1
ln mine hard.db.lock
sweep hard.db
check 'a hard link that has a lock'"'"'s name is not emptied' test $? = 2 -a "$(cat mine)" = mine
: >empty
ln empty linked.db.lock
sweep linked.db
check 'nor removed' test $? = 2 -a -e linked.db.lock -a ! -s empty
ln -s mine soft.db.lock
sweep soft.db
check 'a link likewise' test $? = 2 -a "$(cat mine)" = mine -a -L soft.db.lock
mkfifo pipe.db.lock
sweep pipe.db
check 'a pipe that has a lock'"'"'s name' test $? = 2 -a -p pipe.db.lock
printf 'process 99999999 on elsewhere\n' >dead.db.lock
sweep dead.db
check 'a lock of a dead process is taken over' test $? = 0 -a ! -e dead.db.lock
for ending in -wal -shm -journal; do
    ln mine "x.db$ending"
    sweep x.db
    check "a hard link as $ending is not written to" test $? = 2 -a "$(cat mine)" = mine
    rm "x.db$ending"
done
ln -s nowhere dangling.db
sweep dangling.db
check 'results through a link to nothing are refused' test $? = 2 -a ! -e nowhere -a -L dangling.db
ln -s real.db good.db
sweep real.db
sweep good.db
check 'results through a link to results' test $? = 0 -a -L good.db

# ---- standard descriptors
same_stats() { diff <(grep -v ^host "$1") <(grep -v ^host "$2") >/dev/null; }
stats open.txt
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-' '<&- 2>&-'; do
    rm -f closed.txt closed.log
    eval '"$RUBATO" replay in/system.yaml in/pair --no-cache --log closed.log --stats closed.txt >/dev/null 2>/dev/null '"$closed"
    check "closed: $closed" same_stats open.txt closed.txt
done
rm -f closed.db
eval 'timeout 60 "$RUBATO" sweep sweep.yaml --no-cache -o closed.db <&- >&- 2>&-'
check 'closed, of a sweep' eval '"$RUBATO" results closed.db --check >stdout 2>stderr'

# ---- cells that a spreadsheet would take for a formula
printf 'system: in/system.yaml\ntraces: [{name: "=HYPERLINK(1)", traces: in/pair}, {name: "-b", traces: in/pair}, {name: "@c", traces: in/pair}]\naxes:\n  l2.size: [256KiB]\n' >formula.yaml
"$RUBATO" sweep formula.yaml -o formula.db --no-cache >stdout 2>stderr || { not_ok 'a sweep with odd names'; head -n 1 stderr; }
"$RUBATO" results formula.db --csv --columns traces,time_ms -o formula.csv >stdout 2>stderr
check 'cells that begin as formulas do' test "$(cut -d , -f 1 formula.csv | sort | tr '\n' ' ')" = "\"'-b\" \"'=HYPERLINK(1)\" \"'@c\" traces "
exit $failures
