# Counting the instructions of a replay; source it behind shell.sh. By perf if the machine lets it count, else by valgrind's
# callgrind, which gives the same number every time; INSTRUCTIONS=perf, callgrind or none decides it.

pick_counter() {    # sets `counter`
    counter=${INSTRUCTIONS:-}
    [ -z "$counter" ] || return
    if perf stat -x , -o "$WORK/counter" -e instructions:u true 2>/dev/null && grep -q '^[0-9]' "$WORK/counter"; then
        counter=perf
    elif command -v valgrind >/dev/null; then
        counter=callgrind
    else
        counter=none
    fi
}

instructions() {    # COMMAND...: of the process, in user space; fails if the command does
    if [ "$counter" = perf ]; then
        perf stat -x , -o "$WORK/counter" -e instructions:u "$@" >/dev/null 2>&1 || return 1
        awk -F , '/instructions/ { print $1 }' "$WORK/counter"
    else
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >/dev/null 2>"$WORK/counter" || return 1
        awk '$2 == "Collected" { print $4 }' "$WORK/counter"
    fi
}

# instructions_a_record RECORDS REPLAY...: instructions per record in a replay of RECORDS records, without start-up,
# which is measured by a replay of the first record alone. "-" if no counter is available.
instructions_a_record() {
    local records=$1 all first
    shift
    if [ "$counter" = none ]; then echo -; return; fi
    first=$(instructions "$@" --records 1) && all=$(instructions "$@") || return 1
    awk -v all="$all" -v first="$first" -v records="$records" 'BEGIN { printf "%.1f\n", (all - first) / (records - 1) }'
}

# "gcc 12 x86_64": what decides how many instructions the same source becomes.
compiler_kind() {
    local name=gcc
    "$CC" --version | grep -qi clang && name=clang
    echo "$name $("$CC" -dumpversion | cut -d . -f 1) $(uname -m)"
}
