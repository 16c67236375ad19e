#!/usr/bin/env bash
# A second opinion on decoders (proto/isa): every distinct encoding of real programs, and for A64 and RV64 of random words too,
# disassembled by binutils; registers, memory operands, sizes, kinds of branches, targets and classes are derived from that text by
# tables of their own (isa_opinion*.awk) and compared with what tests/tools/isa_print says. Disagreements are listed by name, with the
# known ones of isa_exceptions.tsv apart; unknown encodings are counted. And executed instructions of traces, whose accesses show
# (tests/tools/isa_traces.c).
#
# isa_opinions.sh            every 16th encoding, the beginning of long files: part of `make check`
# isa_opinions.sh all        all of them; prints a line a program
# EVERY=N chooses every N-th, LINES_EACH=N the beginning of a disassembly, RANDOM_WORDS=N how many random words (of A64, RV64).
# shellcheck disable=SC2317    # functions that are called by name
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

every=${EVERY:-$([ "${1:-}" = all ] && echo 1 || echo 16)}
words=${RANDOM_WORDS:-$([ "${1:-}" = all ] && echo 400000 || echo 20000)}
executed=$([ "${1:-}" = all ] && echo 1000000000 || echo 200000)    # of a trace
lines=$([ "${1:-}" = all ] || echo 400000)    # of a disassembly
PRINT=$BUILD/tests/tools/isa_print
here=tests/reference
[ -x "$PRINT" ] || { not_ok "there is no $PRINT; make tests builds it"; exit 1; }

# objdump's lines as "HEX address text", bytes in the order of memory (REVERSE: they are printed as one word), each encoding once.
encodings() {    # EVERY REVERSE
    awk -F"\t" -v every="$1" -v reverse="$2" -v lines="${LINES_EACH:-$lines}" '/^ +[0-9a-f]+:\t/ && NF >= 3 {
        if (lines && NR > lines) exit
        address = $1; hex = $2; text = $3
        for (i = 4; i <= NF; i++) text = text " " $i
        gsub(/[ :]/, "", address); gsub(/ /, "", hex)
        if (hex in seen || text ~ /^\.[2-9]?byte/) next
        seen[hex] = 1
        if (count++ % every) next
        if (reverse) {
            word = ""
            for (i = length(hex) - 1; i > 0; i -= 2) word = word substr(hex, i, 2)
            hex = word
        }
        print hex "\t" address "\t" text
    }'
}

disassemble() {    # ISA FILE, or ISA FILE binary
    local raw=${3:+-b binary}
    # shellcheck disable=SC2086
    case $1 in
        x86-64) objdump -d --insn-width=16 -M intel "$2" | encodings "$every" '' ;;
        aarch64) aarch64-linux-gnu-objdump ${raw:--d} ${raw:+-D -m aarch64} "$2" | encodings "${3:+1}${3:-$every}" 1 ;;
        riscv64) riscv64-linux-gnu-objdump ${raw:--d} ${raw:+-D -m riscv:rv64} -M no-aliases,numeric "$2" |
            encodings "${3:+1}${3:-$every}" 1 ;;
    esac
}

compared=0
compare() {    # ISA NAME FILE [binary]
    disassemble "$1" "$3" "${4:-}" >"$WORK/text"
    cut -f 1,2 "$WORK/text" | tr '\t' ' ' | "$PRINT" "$1" >"$WORK/facts" 2>"$WORK/messages" || {
        skip "$1: $(head -n 1 "$WORK/messages")"
        return
    }
    paste "$WORK/text" "$WORK/facts" | awk -v isa="$1" -v exceptions=$here/isa_exceptions.tsv \
        -f $here/isa_opinion.awk -f "$here/isa_opinion_${5:-$(short "$1")}.awk" >"$WORK/opinion"
    compared=$(awk '{ for (i = 1; i < NF; i++) if ($(i + 1) == "compared,") n = $i } END { print n + 0 }' "$WORK/opinion")
    check "$2: $(tail -n 1 "$WORK/opinion")" \
        awk -v compared="$compared" 'END { exit !(compared > 0 && / 0 without opinion/ && / 0 disagreements$/) }' "$WORK/opinion"
    grep -v ' encodings, ' "$WORK/opinion" | head -n 60
}
short() { case $1 in x86-64) echo x86 ;; aarch64) echo a64 ;; riscv64) echo rv64 ;; esac; }

random_words() {    # the same each time and everywhere: minimal standard generator
    LC_ALL=C awk -v n="$1" 'BEGIN { x = 28; for (i = 0; i < 4 * n; i++) { x = x * 16807 % 2147483647; printf "%c", int(x / 4096) % 256 } }' \
        >"$WORK/words"
}

programs() {    # ISA TOOL FILE...: those that are there
    local isa=$1 tool=$2 file
    shift 2
    for file; do
        if ! command -v "$tool" >/dev/null; then skip "$isa: no $tool"
        elif [ ! -e "$file" ]; then skip "$isa: no $file"
        else compare "$isa" "$(basename "$file")" "$file"
        fi
    done
}

python=$(readlink -f /usr/bin/python3)
libc=$(ldd "$(command -v awk)" | awk '/libc\.so/ { print $3 }')
programs x86-64 objdump "${libc:-/lib/x86_64-linux-gnu/libc.so.6}" "$python"
programs aarch64 aarch64-linux-gnu-objdump /usr/aarch64-linux-gnu/lib/libc.so.6 /usr/aarch64-linux-gnu/lib/libm.so.6
programs riscv64 riscv64-linux-gnu-objdump /usr/riscv64-linux-gnu/lib/libc.so.6

elves=("$SHARED"/traces/o3/*.elf.xz)
if [ -e "${elves[0]}" ] && command -v riscv64-linux-gnu-objdump >/dev/null; then
    [ "${1:-}" = all ] || elves=("${elves[@]:0:2}")    # the rest differs in few functions
    for elf in "${elves[@]}"; do
        xz -dc "$elf" >"$WORK/$(basename "$elf" .elf.xz)"
        compare riscv64 "$(basename "$elf" .elf.xz)" "$WORK/$(basename "$elf" .elf.xz)"
    done
else
    skip "riscv64 programs (14): no $SHARED/traces/o3, or no riscv64-linux-gnu-objdump"
fi

# ---- executed instructions: their accesses, kinds and targets as traces have them
executed() {    # ISA NAME TRACE...
    local isa=$1 name=$2 code
    shift 2
    [ -e "$1" ] || { skip "$isa, executed: no $1"; return; }
    "$BUILD/tests/tools/isa_traces" "$isa" -n "$executed" "$@" >"$WORK/executed" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$isa: $(head -n 1 "$WORK/executed")"
    elif [ $code = 0 ]; then ok "$name, $(tail -n 1 "$WORK/executed")"
    else not_ok "$name"; cat "$WORK/executed"; fi
}
executed x86-64 'bundled trace' tests/traces/insn/drmemtrace/*.trace.zip
executed x86-64 'samples' "$SHARED"/traces/insn/drmemtrace/*.trace.zip "$SHARED"/traces/insn/drmemtrace/drmemtrace.threadsig.x64.tracedir/*.trace.zip
executed aarch64 'samples' "$SHARED"/traces/insn/drmemtrace/aarch64/*.trace.zip
executed riscv64 'programs' "$SHARED"/traces/o3/*.trace.xz

random_words "$words"
for isa in aarch64 riscv64; do
    tool=${isa}-linux-gnu-objdump
    if command -v "$tool" >/dev/null; then compare $isa "random words" "$WORK/words" binary
    else skip "$isa: no $tool"; fi
done

# A wrong decode fails: facts of one instruction beside the text of another.
paste <(printf '93850500\t0\taddi x10,x12,0\n') <("$PRINT" riscv64 93850500) |
    awk -v isa=riscv64 -f $here/isa_opinion.awk -f $here/isa_opinion_rv64.awk >"$WORK/opinion"
check 'a register that differs is found' grep -q '	addi	reads	text x12:d, decoder x11:d' "$WORK/opinion"
exit $failures
