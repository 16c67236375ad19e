#!/usr/bin/env bash
# The command itself: version, help, wrong usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

prints() {    # PATTERN COMMAND...: exit 0, stdout matches, stderr is empty
    local pattern=$1
    shift
    "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null && grep -qE -- "$pattern" "$WORK/stdout" && [ ! -s "$WORK/stderr" ]
}

version=$(sed -n 's/^#define RUBATO_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/rubato.h | paste -s -d .)
check 'version: that of the header, first' test "$("$RUBATO" --version | head -n 1)" = "rubato $version"
check 'version: compiler' prints "^compiler      (gcc|clang) [0-9].* build$" "$RUBATO" --version
check 'version: engine' prints '^engine        fast: hits, .*; model [0-9a-f]{16}$' "$RUBATO" --version
check 'version: libraries' prints '^libraries     protobuf-c [0-9.]+, zlib [0-9.]+, liblzma [0-9.]+, libzstd [0-9.]+, libyaml [0-9.]+, jansson [0-9.]+, SQLite [0-9.]+$' "$RUBATO" --version
check 'version: libraries loaded on demand' prints '^when needed   .*libisal' "$RUBATO" --version
# Another commit since the build, as make would say.
commit=$(git rev-parse --short=12 HEAD 2>/dev/null)
if [ -n "$commit" ] && grep -qs "$commit" "$BUILD/gen/cli/commit.h"; then
    check 'version: commit' prints "^commit        $commit( with changes)?$" "$RUBATO" --version
else
    check 'version: no commit, or that of the build' prints "^commit        (unknown|[0-9a-f]{12})" "$RUBATO" --version
fi
for file in python/pyproject.toml python/src/rubato/__init__.py; do
    check "version: that of $file" grep -qE "^(__)?version(__)? = \"$version\"$" $file
done
check 'help' prints '^  replay  ' "$RUBATO" --help
for command in replay traffic trace config; do
    check "help of $command" prints "^Usage: rubato $command" "$RUBATO" "$command" --help
    check "help $command" prints "^Usage: rubato $command" "$RUBATO" help "$command"
done
for command in 'trace info' 'trace dump' 'trace build' 'trace cut' 'config show'; do
    # shellcheck disable=SC2086
    check "help of $command" prints "^Usage: rubato $command" "$RUBATO" $command --help
done
refused 'unknown command' 'there is no command reply' "$RUBATO" reply
refused 'mistyped command' 'there is no command resutls; did you mean results\?' "$RUBATO" resutls
refused 'mistyped trace command' 'there is no command trace inof; did you mean info\?' "$RUBATO" trace inof
refused 'mistyped config command' 'lsit is unknown here; did you mean list\?' "$RUBATO" config lsit
refused 'an option like none' 'unknown option --xyzzy; see rubato replay --help$' "$RUBATO" replay --xyzzy
refused 'an option that had another name' '^rubato: --sample is called --every; see rubato replay --help$' "$RUBATO" replay --sample 1us
check 'replay --help: daily options come first, the others in groups' test "$("$RUBATO" replay --help | grep -nE '^(Options|Samples and the view|Traces|GPUs):|^  --(set|every|tick-scale|kernels) ' |
    sed -E 's/^[0-9]+:( *)(--)?//; s/[ :].*//' | paste -sd ' ')" = 'Options set Samples every Traces tick-scale GPUs kernels'
refused 'unknown option' 'unknown option --stat; see rubato replay --help; did you mean --stats\?' "$RUBATO" replay --stat=x
refused 'option without value' '--stats needs a value' "$RUBATO" replay configs/default.yaml tests/traces/triad --stats
refused 'no operands' 'rubato replay --help' "$RUBATO" replay
refused 'not a number' "--records ten is not a number; expected a whole number such as" \
    "$RUBATO" replay configs/default.yaml tests/traces/triad --records ten
refused 'negative number' "--records -1 is negative; expected a whole number such as" \
    "$RUBATO" replay configs/default.yaml tests/traces/triad --records -1

"$RUBATO" >"$WORK/stdout" 2>"$WORK/stderr"
check 'without arguments: exit code 2' test $? = 2
check 'without arguments: usage' grep -q '^Usage: rubato COMMAND' "$WORK/stderr"
if [ -w /dev/full ]; then
    "$RUBATO" --help 2>"$WORK/stderr" >/dev/full
    check 'full disk: exit code 2' test $? = 2
    check 'full disk: one line' grep -q '^rubato: standard output: ' "$WORK/stderr"
else
    skip 'full disk (2): no /dev/full'
fi
