#!/usr/bin/env bash
# Errors in lists and kernel files of GPU traces give one clear line with file and line, exit code 2, no crash, no hang
# (gpu-traces 1 to 6). Input that is only odd is read, with a warning.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

sample=$TRACES/gpu/pascal-vectoradd-100
grid='-grid dim = (1,1,1)\n-block dim = (64,1,1)\n'
head=$grid'-binary version = 70\n-accelsim tracer version = 3\n#traces format\n'
block='#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R1 MOV 0 0\n'
end='0010 ffffffff 0 EXIT 0 0\n#END_TB\n'

# file NAME TEXT: a file of that text, with printf's escapes; says its path
file() {
    # shellcheck disable=SC2059
    printf -- "$2" >"$WORK/$1"
    echo "$WORK/$1"
}
refused_kernel() { refused "$1" "$2" "$RUBATO" trace info "$(file kernel-1.traceg "$3")"; }
refused_list() { refused "$1" "$2" "$RUBATO" trace info "$(file kernelslist.g "$3")"; }

# warned NAME PATTERN FILE TEXT: a file that is read, with a warning
warned() {
    if "$RUBATO" trace info "$(file "$3" "$4")" >"$WORK/out" 2>"$WORK/err" &&
        grep -qE "^rubato: warning: .*$2" "$WORK/err"; then ok "$1"
    else not_ok "$1"; head -n 3 "$WORK/err"; fi
}

check 'a sound kernel file' "$RUBATO" trace info "$(file kernel-1.traceg "$head$block$end")" >/dev/null
check 'a sound list' "$RUBATO" trace info "$(file kernelslist.g 'MemcpyHtoD,0x1000,64\r\nkernel-1.traceg')" >/dev/null
check 'a folder for its list' "$RUBATO" trace info "$WORK" >/dev/null
check 'a bundled set as JSON' "$RUBATO" trace info --json "$sample" >/dev/null
check 'a bundled set, dumped' "$RUBATO" trace dump "$sample" >/dev/null
check 'a bundled set, dumped as JSON' "$RUBATO" trace dump --json "$sample" >/dev/null

# --- lists
refused_list 'a kernel that is not there' 'kernelslist.g: line 1: the kernel.s file .*kernel-9.traceg is not there' 'kernel-9.traceg\n'
refused_list 'a container that is not there' 'kernelslist.g: line 2: .*kernel-9.tracez is not there' 'MemcpyHtoD,0x1,2\nkernel-9.tracez\n'
refused_list 'a copy without a size' "kernelslist.g: line 1: the line ends where the copy's size" 'MemcpyHtoD,0x1000\n'
refused_list "a copy's size beyond 64 bits" "line 1: .*the copy's size" 'MemcpyHtoD,0x1000,99999999999999999999\n'
refused_list 'a copy beyond 64 bits' 'line 1: the copy ends beyond 64 bits' 'MemcpyHtoD,0xffffffffffffffff,2\n'
refused_list 'control characters in a name' 'line 1: found "kernel-\?\[2J"' 'kernel-\033[2J\n'
refused 'a container that is none' 'byte 1: the header.s text has no zero byte' "$RUBATO" trace info "$(file x.tracez x)"
mkdir "$WORK/bare"
file bare/kernelslist 'kernel-1.trace\n' >/dev/null
refused 'a folder whose kernels are not there' 'kernelslist: line 1: the kernel' "$RUBATO" trace info "$WORK/bare"
refused 'no such file' 'nowhere' "$RUBATO" trace info "$WORK/nowhere"

# --- headers
refused_kernel 'an empty file' 'kernel-1.traceg: is empty; expected a kernel' ''
refused_kernel 'version 7' 'kernel-1.traceg: line 3: traces of tracer version 7 are not read' "$grid-accelsim tracer version = 7\n#\n"
refused_kernel 'a version that is none' 'line 3: accelsim tracer version is "x"; expected a number' "$grid-accelsim tracer version = x\n#\n"
refused_kernel 'a grid beyond 32 bits' 'line 1: grid dim is .*; expected three numbers' '-grid dim = (4294967296,1,1)\n#\n'
refused_kernel 'a block of too many threads' 'line 2: block dim has more than 65536' '-grid dim = (1,1,1)\n-block dim = (65536,2,1)\n#\n'
refused_kernel 'a warp size of 16' 'line 3: warp size is "16"; expected 32 or 64' "$grid-warp size = 16\n#\n"
refused_kernel 'a header without its grid' 'without "-grid dim' '-block dim = (1,1,1)\n#\n'
refused_kernel 'a header that does not end' 'ends within the header' "$grid"
refused_kernel 'a line that is no key' 'line 3: found "x" where -key = value' "${grid}x\n"

# --- layout
refused_kernel 'cut within a warp' 'line 10: the file ends within a warp, after 1 of 2 lines' "$head$block"
refused_kernel 'cut within a block' 'the file ends within a block' "$head${block}0010 ffffffff 0 EXIT 0 0\n"
refused_kernel 'fewer lines than insts' 'line 11: the warp ends after 1 lines; expected the 2 that line 9' "$head$block#END_TB\n"
refused_kernel 'more lines than insts' 'line 12: .*more lines than its insts' "$head${block}0010 ffffffff 0 EXIT 0 0\n$end"
refused_kernel 'a block within a block' 'line 8: a block begins within a block' "$head#BEGIN_TB\nthread block = 0,0,0\n#BEGIN_TB\n"
refused_kernel 'a line outside of a block' 'line 13: .*where #BEGIN_TB' "$head$block$end$end"
refused_kernel 'four billion lines announced' 'ends within a warp' "$head#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4294967295\n"
refused_kernel 'a warp beyond all blocks' 'below 2048' "$head#BEGIN_TB\nthread block = 0,0,0\nwarp = 99999\n"

# --- lines
line() { refused_kernel "$1" "line 11: $2" "$head$block$3\n#END_TB\n"; }
line 'a mask wider than the warp' 'the mask has more than the 32 lanes' '0010 1ffffffff 0 EXIT 0 0'
line 'a width without a mode' 'the line ends where the mode' '0010 ffffffff 1 R1 LDG 1 R2 4'
line 'mode 3' 'found "3 0x0" where the mode' '0010 ffffffff 1 R1 LDG 1 R2 4 3 0x0'
line 'fewer deltas than lanes' 'the line ends where the step' '0010 0000000f 1 R1 LDG 1 R2 4 2 0x0 4 4'
line 'an address beyond 64 bits' '.*the first address' '0010 0000000f 1 R1 LDG 1 R2 4 1 0x10000000000000000 4'
line 'addresses that run beyond 64 bits' 'the addresses run beyond 64 bits' '0010 0000000f 1 R1 LDG 1 R2 4 1 0xfffffffffffffff0 8'
line 'a register that there is not' 'found "R256 MOV 0 0" where a register' '0010 ffffffff 1 R256 MOV 0 0'
line 'control characters' 'found "\?\[31mx" where' '0010 ffffffff 0 EXIT 0 \033[31mx'

# --- odd input, which is read
warned 'a grid of 0' 'has 1 blocks, but its grid is \(0,1,1\)' kernel-1.traceg \
    "-grid dim = (0,1,1)\n-block dim = (64,1,1)\n-binary version = 70\n-accelsim tracer version = 3\n#\n$block$end"
warned 'a warp without an end' 'line 11: the warp.s last instruction does not end it' kernel-1.traceg \
    "$head${block}0010 ffffffff 1 R1 MOV 0 0\n#END_TB\n"
file kernel-1.traceg "$head$block$end" >/dev/null
warned 'unknown lines of a list' '"cudaMalloc" is neither' kernelslist.g 'kernel-1.traceg\ncudaMalloc,1,2\n'

# --- compressed
# shellcheck disable=SC2059
printf -- "$head$block$end" | gzip -n >"$WORK/z"
head -c 60 "$WORK/z" >"$WORK/kernel-1.traceg"
refused 'gzip cut short' 'kernel-1.traceg: .*breaks off' "$RUBATO" trace info "$WORK/kernel-1.traceg"
head -c 1500 "$TRACES/gpu/gcn3-fir/kernel-463.trace.xz" >"$WORK/kernel-463.trace.xz"
refused 'xz cut short' 'kernel-463.trace.xz: .*the xz data breaks off' "$RUBATO" trace info "$WORK/kernel-463.trace.xz"
cp "$TRACES/gpu/gcn3-fir/kernel-463.trace.xz" "$WORK/kernel-463.trace.xz"
printf 'XXXX' | dd of="$WORK/kernel-463.trace.xz" bs=1 seek=1000 conv=notrunc 2>/dev/null
refused 'xz damaged' 'kernel-463.trace.xz: (.*the xz data is damaged|line [0-9]*: )' "$RUBATO" trace info "$WORK/kernel-463.trace.xz"

# --- options
refused 'gem5 form of a GPU trace' 'is a GPU trace' "$RUBATO" trace dump --gem5 "$sample"

# Any byte changed: read or refused with one line, never more.
bad=0 size=$(wc -c <"$sample/kernel-1.traceg")
for ((i = 0; i < 60; i++)); do
    cp "$sample/kernel-1.traceg" "$WORK/kernel-1.traceg"
    printf "\\x$(printf %02x $((i * 37 % 256)))" |
        dd of="$WORK/kernel-1.traceg" bs=1 seek=$((i * 7919 % size)) conv=notrunc 2>/dev/null
    timeout 20 "$RUBATO" trace info "$WORK/kernel-1.traceg" >"$WORK/out" 2>"$WORK/err"
    code=$?
    { [ "$code" = 0 ] || { [ "$code" = 2 ] && [ "$(wc -l <"$WORK/err")" = 1 ]; }; } || bad=$((bad + 1))
    LC_ALL=C grep -q '[^ -~]' "$WORK/err" "$WORK/out" && bad=$((bad + 1))
done
if [ "$bad" = 0 ]; then ok 'changed bytes (60)'; else not_ok "changed bytes: $bad of 60"; fi
