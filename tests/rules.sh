#!/usr/bin/env bash
# The house rules that a program can check: who may include whom, no cycles, no printing, exiting, argument
# reading or state of its own in the model's folders, sizes of files, names at the top of the tree.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/support/shell.sh
# shellcheck disable=SC2086    # lists of folders and files

# folder, and the project folders it may include
may_include() {
    case $1 in
        base) echo 'base/' ;;
        proto) echo '(base|proto)/' ;;
        memsys) echo '(base/|memsys/|include/rubato_policy\.h)' ;;
        replay) echo '(base/|proto/|memsys/|replay/|include/rubato(_policy)?\.h)' ;;
        sweep) echo '(base|proto|memsys|replay|sweep)/' ;;
        viz) echo '(base/|viz/|memsys/telemetry/(telemetry|telemetry_requests|telemetry_ring|names)\.h|memsys/sim/occupancy\.h)' ;;
        cli) echo '(base/|proto/|memsys/|replay/|sweep/|viz/|cli/|include/rubato(_policy)?\.h)' ;;
    esac
}

report() {    # NAME FINDINGS: ok without findings
    if [ -z "$2" ]; then ok "$1"; else not_ok "$1"; printf '%s\n' "$2" | head -n 20 | sed 's/^/    /'; fi
}

folders='base proto memsys replay sweep viz cli'
# What a captured program's host loads, under the host's licence.
hosted='proto/capture/qemu proto/capture/valgrind'
for folder in $folders; do
    files=$(find "$folder" -path proto/capture/qemu -prune -o -path proto/capture/valgrind -prune -o -name '*.[ch]' -print)
    [ -n "$files" ] || continue
    # shellcheck disable=SC2086
    report "includes of $folder" "$(grep -nE '^ *# *include *"' $files /dev/null |
        grep -vE "include *\"$(may_include "$folder")[^\"]*\"")"
done

for folder in $hosted; do
    [ -d "$folder" ] || continue
    report "includes of $folder: only the ring of the project" "$(grep -nE '^ *# *include *"' "$folder"/*.[ch] /dev/null |
        grep -vE 'include *"(\.\./ring\.h|[a-z_]+\.h)"')"
    report "licence of $folder" "$(grep -L '^/\* SPDX-License-Identifier: GPL-2.0-or-later$' "$folder"/*.[ch]
        [ -f "$folder/LICENSE" ] || echo "$folder/LICENSE: none")"
done
# Oclgrind and LLVM allow plugins under any licence; this plugin has the project's.
report 'includes of proto/capture/oclgrind: only its ring of the project' "$(grep -nE '^ *# *include *"' proto/capture/oclgrind/* /dev/null |
    grep -vE 'include "\.\./opencl/opencl_ring\.h"')"
report 'the rings include no file of the project' "$(grep -nE '^ *# *include *"' proto/capture/opencl/opencl_ring.h)$(grep -nE '^ *# *include *"' proto/capture/ring.h)"
report 'no file of the project includes code loaded by a host' "$(grep -rnE 'include *"(proto/)?capture/(qemu|valgrind|oclgrind)/' --include='*.[ch]' $folders tests)"

# The public library is above the model; the command uses only its version.
report 'the public header includes no file of the project' "$(grep -nE '^ *# *include *"' include/rubato.h)"
report 'no layer below knows the public library' "$(grep -rnE 'include *"(include/rubato\.h|replay/library/)' --include='*.[ch]' $folders |
    grep -vE '^replay/library/|^cli/common/cli\.h:')"

# Models do not know what makes them faster; one place binds it.
report 'includes of folders fast/' "$(grep -rnE '^ *# *include *"[a-z_/]*fast/' --include='*.[ch]' $folders |
    grep -vE '^[a-z_/]*fast/|^(replay/session/session_engine|cli/common/capture_host)\.c:')"
report 'folders without cycles' "$(grep -rnE '^ *# *include *"' --include='*.[ch]' $folders |
    grep -v '^cli/main\.c:' | sed -E 's#^(([a-z_]+/)*)[^/:]*:[0-9]+: *\# *include *"(([a-z_]+/)*)[^/"]*".*#\1 \3#' | awk 'NF == 2 && $1 != $2' | sort -u |
    tsort 2>&1 >/dev/null)"

# Files of one module share a private header; of others, a file that calls functions of a second one is not called from there.
# Kinds that a table lists (policies, formats) are declared by it, so the calls from the table do not count.
private_headers='[a-z0-9_]*internal\.h|[a-z_]*core\.h|[a-z_]*machine\.h|sides\.h'
known_circles='proto/store/store proto/store/store_learnt
proto/gpu/gpu_store proto/gpu/gpu_list
proto/gpu/gpu_store proto/gpu/gpu_stored
proto/gpu/gpu_kernel proto/gpu/gpu_stored
proto/macsim/macsim_pack proto/macsim/set
proto/insn/insn_trace proto/insn/side
proto/insn/insn_trace proto/insn/rbt/rbt_source
memsys/tlb/walker memsys/tlb/mmu
memsys/dram/rank memsys/dram/refresh
replay/fast/fast_accesses replay/fast/memo
replay/fast/border replay/fast/lookahead
cli/common/cli cli/common/shown
cli/options/man cli/options/help
cli/options/options cli/options/help'
calls_between_files() {    # CALLER CALLEE
    { find $folders -name '*.h' -exec grep -oHE '\<[a-z][a-z0-9_]+\(' {} + | sed -E 's,^([^:]*/)?([^/:]+):(.*)\($,D \3 \2,'
      find $folders -name '*.c' | sed -E 's#\.c$##' | while read -r file; do
          [ -f "$BUILD/$file.o" ] && nm "$BUILD/$file.o" | awk -v file="$file" '{ print (NF == 2 ? "U" : $2), $NF, file }'; done
    } | awk -v private="^($private_headers)$" '$1 == "D" { declared[$2] = 1; if ($3 ~ private) hidden[$2] = 1; next }
        $1 == "T" { home[$2] = $3 }
        $1 == "U" { user[++count] = $3; used[count] = $2 }
        END { for (i = 1; i <= count; i++) if (used[i] in home && used[i] in declared && !(used[i] in hidden))
            print user[i], home[used[i]] }' | sort -u | grep -vxF "$known_circles"
}
if [ -f "$BUILD/base/fault.o" ]; then
    report 'files without circles of calls' "$(calls_between_files | tsort 2>&1 >/dev/null)"
fi

# Models need no annotations that repeat the release's profile. floats.c keeps a change of the rounding mode out of
# line.
report 'no hints for the compiler in the cores' "$(grep -rnE '\<(likely|unlikely|NOINLINE|FORCE_INLINE|PREFETCH|__builtin_[a-z]+|_mm_[a-z0-9_]+)\(|\<(NOINLINE|FORCE_INLINE)\>' \
    --include='*.[ch]' replay/elastic replay/detailed | grep -v '^replay/detailed/rv64/floats.c:.*_directed(')"

# The way of a load through the tree has the names of functions: one row, one file.
report 'functions that docs/architecture.md names' "$(awk -F ' *[|] *' '/^## / { is_page = /^## One load/ }
    is_page && NF == 5 && $4 ~ /^`/ { gsub(/[`,]/, "", $3); gsub(/`/, "", $4); count = split($3, names, " ")
        for (i = 1; i <= count; i++) print names[i], $4 }' docs/architecture.md | while read -r name file; do
            if ! grep -qsE "^[a-z].*[ *]$name\\(" "$file"; then echo "$name: not in $file"; fi
        done)"

report 'file names that occur once' "$(find $folders -path proto/capture/qemu -prune -o -path proto/capture/valgrind -prune -o -name '*.[ch]' -printf '%f\n' |
    sort | uniq -d | grep -vx 'ring\.h')"
report 'cli/: one file beside its folders' "$(find cli -maxdepth 1 -name '*.[ch]' ! -name main.c)"

# Of tests, the folders of unit/ mirror the tree and share one.
report 'a README of at most 60 lines in every folder' "$({ find configs docs include -type d; find $folders tests -name '*.[ch]' -printf '%h\n'; } |
    sed -E 's,^(tests/unit)/.*,\1,' | sort -u | while read -r folder; do
        if [ ! -f "$folder/README.md" ]; then echo "$folder: none"
        else awk 'END { if (NR > 60) print FILENAME ": " NR " lines" }' "$folder/README.md"; fi
    done)"

# A changed parameter rebuilds the sources that read it; headers between declare its struct.
report 'parameters that at most 60 sources see' "$(sources=$(find $folders -name '*.c' | sed "s,^,$BUILD/,; s,\\.c\$,.d,")
    for header in $(find $folders -name '*_params.h') replay/config/config.h replay/config/system_config.h; do
        count=$(grep -lsF " $header" $sources | wc -l)
        if [ "$count" -eq 0 ] || [ "$count" -gt 60 ]; then echo "$header: $count"; fi
    done)"

# Programs, unlike models, print and end; so the symbols tell. __assert_fail stays: a broken invariant of our own may stop us.
model_objects=$(find "$BUILD/base" "$BUILD/proto" "$BUILD/memsys" "$BUILD/replay" "$BUILD/sweep" -name '*.o' 2>/dev/null)
if [ -z "$model_objects" ]; then
    not_ok "objects of the model's folders in $BUILD"
elif nm $model_objects | grep -q '__[atu]\{1,2\}san_'; then
    skip 'symbols (2): a build with sanitizers'
else
    # proto/gpu/gpu_group.o may ask where temporary files go; no result depends on it. A worker of a sweep, and what becomes a
    # captured program, or runs natively, are processes, and end as such.
    report 'no printing, exiting, argument reading' "$(nm -A -u $model_objects | grep -vE '/gpu/gpu_group\.o:.* getenv$|/(worker|copier|child|native_process|region_runs)\.o:.* _exit$' |
        grep -wE 'v?printf|__v?printf_chk|puts|putchar|perror|stdout|stderr|exit|_exit|_Exit|quick_exit|getopt|getopt_long|optarg|getenv')"
    # The files that a process reads are the process's: a SIGBUS has an address and nothing else, and an output may be anybody's input. So
    # is the watch over work that stands still, since a timer has one handler; no result depends on it.
    report 'no variables outside functions' "$(for object in $model_objects; do
        objdump -t "$object" | awk -v object="$object" '/ O \.(data|bss|tdata|tbss)\t/ || / O \*COM\*/ { print object ": " $NF }'
    done | grep -v '/base/input_file\.o: \(files\|looking\|copying\)$\|/base/fault\.o: \(texts\|fault_count\)$\|/base/beat\.o: watch$')"
fi

report 'files of at most 800 lines' "$(find $folders tests -name '*.[ch]' -exec wc -l {} + |
    awk '$2 != "total" && $1 > 800 { print $2 ": " $1 " lines" }')"
long_functions=$(find $folders -name '*.[ch]' -exec awk 'FNR == 1 { inside = 0 }
    /^\{/ { inside = 1; start = FNR; name = head }
    /^\}/ && inside { if (FNR - start - 1 > 40) print FNR - start - 1, FILENAME ": " name; inside = 0 }
    /^[a-zA-Z].*\(/ { head = $0 }' {} + | sort -rn)
report 'functions of at most 60 lines' "$(awk '$1 > 60' <<<"$long_functions")"
report 'at most 40 functions of more than 40 lines' "$([ "$(wc -l <<<"$long_functions")" -le 40 ] || echo "$long_functions")"
report 'lines of at most 120 columns' "$(find $folders include docs tests \( -name '*.[ch]' -o -name '*.cpp' \) -exec grep -nE '^.{121}' {} + |
    cut -c 1-60)"
report 'files of Python, of at most 400 lines of at most 120 columns' "$(find python -name '*.py' -exec grep -nE '^.{121}' {} + | cut -c 1-60
    find python -name '*.py' -exec wc -l {} + | awk '$2 != "total" && $1 > 400 { print $2 ": " $1 " lines" }')"
report 'only base/list.c calls realloc' "$(grep -rnE '\brealloc\(' --include='*.[ch]' $folders | grep -v '^base/list\.c:')"
report 'nothing left for later' "$(grep -rnwE 'TODO|FIXME|XXX|HACK' --include='*.[ch]' --include='*.py' $folders python tests)"
# But for cmocka's; two are statistics and registers in tests.
report 'headers that comments and documents name exist' "$(grep -rhvE '^ *# *include' --include='*.[ch]' --include='*.md' $folders tests |
    grep -oE '(^|[^a-zA-Z0-9_.*<])[a-z][a-z0-9_]*\.h\b' | grep -oE '[a-z0-9_]+\.h$' | sort -u | grep -vxE 'cmocka\.h|x\.h|v2\.h' |
    comm -23 - <(find $folders include tests -name '*.h' -exec basename {} \; | sort -u))"
report 'lines of the Makefile of at most 200 characters' "$(awk 'length > 200 { print FILENAME ":" FNR }' Makefile)"
report 'a README of at most 160 lines' "$(awk 'END { if (NR > 160) print NR }' README.md)"

if git rev-parse --git-dir >/dev/null 2>&1 && [ -n "$(git ls-files | head -n 1)" ]; then
    report 'names at the top of the tree' "$(git ls-files | cut -d / -f 1 | sort -u |
        grep -vxE '\.ci|\.gitignore|CHANGELOG\.md|CITATION\.cff|CONTRIBUTING\.md|LICENSE|Makefile|README\.md|base|cli|configs|docs|include|memsys|proto|python|replay|sweep|tests|viz')"
else
    skip 'names at the top of the tree: not a git clone'
fi
