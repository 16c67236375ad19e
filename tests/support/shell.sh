# What the test scripts share; source it from the repository's root. Variables that make does not give have defaults, so that a
# script also runs by hand: bash tests/cli/NAME.sh

BUILD=${BUILD:-build}                       # objects and test programs
RUBATO=${RUBATO:-$PWD/rubato}               # the command, an absolute path
ORACLE=${ORACLE:-$PWD/tests/oracle}         # the comparison program
GPU_COUNTS=${GPU_COUNTS:-$PWD/tests/gpu-counts}    # counts of GPU traces
INSN_COUNTS=${INSN_COUNTS:-$PWD/tests/insn-counts} # counts of instruction traces
GPU_TIMING=${GPU_TIMING:-$PWD/tests/gpu-timing}    # GPU runs against the reference
O3_TIMING=${O3_TIMING:-$PWD/tests/o3-timing}       # runs of the detailed core against the reference
MACSIM_FACTS=${MACSIM_FACTS:-$PWD/tests/macsim-facts}    # figures of MacSim traces
TRACES=${TRACES:-$PWD/tests/traces}         # bundled traces
# Reference data: beside the repository the whole, otherwise the bundled part of it.
[ -n "${SHARED:-}" ] || { [ -d ../shared ] && SHARED=../shared || SHARED=build/reference; }
[ "$SHARED" != build/reference ] || SHARED=$PWD/build/reference
[ "$SHARED" != "$PWD/build/reference" ] || tests/reference/unpack.sh || exit 1
is_whole_reference() { [ -d "$SHARED" ] && [ ! -e "$SHARED/part" ]; }
export SHARED
MODEL=${MODEL:-$PWD/tests/refmodel}         # the reference model
CC=${CC:-gcc}                               # the compiler that built the command
SEEDS=${SEEDS:-1:20}                        # seeds of random cases, FIRST:LAST

# A folder of the script's own, gone when it ends.
WORK=$(mktemp -d "${TMPDIR:-/tmp}/rubato-test.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT

# Stores that replays keep stay in that folder.
export XDG_CACHE_HOME=$WORK/cache

ok() { echo "ok $*"; }
not_ok() { failures=1 && echo "not ok $*"; }    # a script that make runs by itself ends with exit $failures
failures=0
skip() { echo "skip $*"; }

# The command must have been built.
need_rubato() {
    [ -x "$RUBATO" ] && return 0
    not_ok "there is no $RUBATO; make builds it"
    exit 1
}

# check NAME COMMAND...: ok if the command succeeds.
check() {
    local name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name"; fi
}

# refused NAME PATTERN COMMAND...: ok if the command exits with 2, says nothing on stdout and exactly one line on stderr, which
# begins "rubato: " and matches the extended regular expression.
refused() {
    local name=$1 pattern=$2 code
    shift 2
    timeout 20 "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null
    code=$?
    if [ "$code" = 2 ] && [ "$(wc -l <"$WORK/stderr")" = 1 ] && grep -q '^rubato: ' "$WORK/stderr" &&
        grep -qE -- "$pattern" "$WORK/stderr" && [ ! -s "$WORK/stdout" ]; then
        ok "$name"
    else
        not_ok "$name"
        echo "    command: $*"
        echo "    exit code $code, expected 2; expected one line like: $pattern"
        head -n 5 "$WORK/stderr" | cut -c 1-300 | sed 's/^/    stderr: /'
        head -n 3 "$WORK/stdout" | cut -c 1-300 | sed 's/^/    stdout: /'
    fi
}

# count_results LOG: its totals: passed, failed, skipped.
count_results() {
    awk '/^(not )?ok .*# SKIP/ { skipped++; next }    # cmocka says "not ok" to a skipped test, too
         /^ok / { passed++; next }
         /^not ok/ { failed++; next }
         /^skip / { skipped += match($0, /\([0-9]+\)/) ? substr($0, RSTART + 1, RLENGTH - 2) : 1; next }
         /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; skipped += $5 }
         END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}
