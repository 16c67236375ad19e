#!/usr/bin/env bash
# make install and make uninstall, into a folder: the files installed, that the command works from any folder with
# these alone, and that no file is left afterwards. library.sh tests the library.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

if nm "$RUBATO" 2>/dev/null | grep -q __asan_init; then
    skip 'make install (28): a build with sanitizers'
    exit 0
fi
# One such make at a time: library.sh has another.
make_it() { flock "$BUILD/install.lock" make --no-print-directory -s -j2 CC="$CC" "$@" DESTDIR="$WORK/root" PREFIX=/opt/rubato; }
mkdir -p "$WORK/root/opt/rubato/share/fish"
if ! make_it install-here >"$WORK/log" 2>&1; then
    not_ok 'install'
    tail -n 5 "$WORK/log" | sed 's/^/    /'
    exit 1
fi
there=$WORK/root/opt/rubato
for file in bin/rubato lib/rubato/capture-qemu.so lib/librubato.a lib/librubato.so lib/pkgconfig/rubato.pc include/rubato.h \
    share/rubato/configs/laptop.yaml share/rubato/configs/gpu/qv100.yaml share/rubato/stats.schema.json share/rubato/traces/triad/deptrace.proto.gz \
    share/doc/rubato/LICENSE share/doc/rubato/examples/drive.cpp share/man/man1/rubato.1 share/man/man1/rubato-sweep.1 \
    share/bash-completion/completions/rubato share/zsh/site-functions/_rubato share/fish/vendor_completions.d/rubato.fish; do
    check "installed: $file" test -s "$there/$file"
done
check 'nothing outside the prefix' test "$(cd "$WORK/root" && find . ! -type d ! -path './opt/rubato/*' | wc -l)" = 0
check 'every folder of configs' diff <(cd configs && find . | sort) <(cd "$there/share/rubato/configs" && find . | sort)
check 'no name of the staging folder in it' eval "! grep -rqF '$WORK' '$there/lib/pkgconfig' '$there/share'"
check 'links of the library lead to it' test -f "$(readlink -f "$there/lib/librubato.so")"

# ---- it works elsewhere, and found nothing in the repository: strace is not everywhere, a moved folder tells as well
mkdir "$WORK/elsewhere" && mv "$there" "$WORK/moved"
cd "$WORK/elsewhere" || exit 1
installed=$WORK/moved/bin/rubato
check 'replay of the installed trace on an installed system' eval "'$installed' replay laptop '$WORK/moved/share/rubato/traces/triad' >out 2>err && [ ! -s err ]"
check 'the same ticks as from the repository' diff <(grep '^time ' out) <("$RUBATO" replay laptop "$OLDPWD/tests/traces/triad" | grep '^time ')
check 'config list' eval "'$installed' config list | grep -q qv100"
check 'a GPU, by its folder' eval "'$installed' config show gpu/qv100 >out 2>err"
check 'a system that includes others' eval "'$installed' config show detailed/base >out 2>err"
check 'version' test "$("$installed" --version | head -n 1)" = "$("$RUBATO" --version | head -n 1)"
mkdir bin && ln -s "$installed" bin/rubato
check 'called through a link' eval "bin/rubato config show phone >out 2>err"
if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ] && "$RUBATO" --version | grep -q ' Zydis '; then
    check 'capture, with the installed plugin' eval "'$installed' capture -o true.rbt --quiet -- true >out 2>err && [ -s true.rbt ]"
else
    skip 'capture, with the installed plugin: no QEMU, or a build without the decoder of x86'
fi

# ---- and goes
cd "$OLDPWD" && mv "$WORK/moved" "$there" && touch "$there/bin/other" "$there/share/man/man1/other.1"
check 'uninstall' make_it uninstall
check 'uninstall leaves files and folders of others, and nothing else' test "$(cd "$there" && find . | LC_ALL=C sort | tr '\n' ' ')" = \
    '. ./bin ./bin/other ./share ./share/fish ./share/man ./share/man/man1 ./share/man/man1/other.1 '
exit $failures
