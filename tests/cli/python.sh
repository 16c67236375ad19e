#!/usr/bin/env bash
# The Python package (python/): its tests with every Python of 3.9 and later that is there, from the sources and installed by
# pip into an environment of its own, without a network; the notebooks once by plain Python and once as Jupyter runs them;
# mypy; Parquet files also with a reader from npm, where .ci/setup could fetch it. Missing tools are skipped by name.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
export RUBATO FIRST_DB=$WORK/first.db RUBATO_NPM=$PWD/build/npm PYTHONDONTWRITEBYTECODE=1

# VERSION PROGRAM: the first program of each version, oldest first.
pythons() {
    local program
    for program in python3 /usr/bin/python3 python3.9 python3.1{0,1,2,3,4} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
        command -v "$program" >/dev/null 2>&1 || continue
        "$program" -c 'import sqlite3, sys
if sys.version_info >= (3, 9): print("%d.%02d" % sys.version_info[:2], sys.executable)' 2>/dev/null
    done | sort -s -k 1,1 | awk '!($1 in seen) { seen[$1] = 1; print }'
}
has() { "$1" -c "import ${2//,/, }" >/dev/null 2>&1; }

mapfile -t found < <(pythons)
if [ ${#found[@]} = 0 ]; then
    skip 'the Python package: there is no Python of 3.9 or later'
    exit 0
fi
rich=    # one with pandas and matplotlib
for program in /usr/bin/python3 $(printf '%s\n' "${found[@]}" | cut -d ' ' -f 2); do
    [ -n "$rich" ] || ! has "$program" pandas,matplotlib || rich=$program
done

# All tests with the oldest and the newest, what differs between Pythons with those between.
alone() {    # VERSION PROGRAM PATTERN...
    local version=$1 program=$2
    shift 2
    LABEL="python ${version/.0/.}, alone" "$program" -I python/tests -notebook -pandas -duckdb -hyparquet -PlotTest -frame_has "$@"
}
for i in "${!found[@]}"; do
    # shellcheck disable=SC2086
    if [ "$i" = 0 ] || [ "$i" = $((${#found[@]} - 1)) ]; then alone ${found[i]}; else alone ${found[i]} test_table test_command a_run_has; fi
done
program=${found[-1]#* }
"$program" -I python/tests notebook -jupyter
if [ -n "$rich" ]; then
    LABEL='python with pandas' "$rich" python/tests frame Plot jupyter pandas document
    LABEL='another reader of Parquet' "$rich" python/tests hyparquet
else
    skip 'python with pandas (8): there is no pandas and matplotlib'
fi

# ---- installed: a wheel has the whole package, and the tests import the wheel, not the sources
installed() {
    cp -R python "$WORK/package" && "$1" -m venv "$WORK/environment" >"$WORK/venv" 2>&1 || return 2
    "$WORK/environment/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$WORK/package" >"$WORK/pip" 2>&1 || {
        sed 's/^/    /' "$WORK/pip"
        return 1
    }
    rm -rf "$WORK/package"
}
for line in $(printf '%s\n' "${found[0]}" "${found[-1]}" | sort -u | tr ' ' ,); do
    version=${line%%,*} program=${line#*,}
    name="pip install ./python with Python ${version/.0/.}"
    rm -rf "$WORK/environment"
    installed "$program"
    case $? in
        0)
            ok "$name"
            bin=$WORK/environment/bin/python
            check "$name: it is found, with its types" test "$(cd "$WORK" && "$bin" -c 'import os, rubato
folder = os.path.dirname(rubato.__file__)
print("environment" in folder, os.path.exists(os.path.join(folder, "py.typed")), rubato.__version__)')" = 'True True 0.1.0'
            ;;
        1) not_ok "$name" ;;
        *) skip "$name (2): this Python makes no environments" ;;
    esac
done
[ ! -x "$WORK/environment/bin/python" ] ||
    LABEL='installed' "$WORK/environment/bin/python" -I python/tests test_command test_a_run_has test_the_usual_columns

mypy=
for program in "$rich" "${found[@]#* }"; do
    [ -n "$mypy" ] || [ -z "$program" ] || ! has "$program" mypy || mypy=$program
done
if [ -n "$mypy" ]; then
    check 'the package is typed: mypy --strict' "$mypy" -m mypy --cache-dir "$WORK/mypy" --config-file python/pyproject.toml python/src/rubato \
        python/backend/rubato_build.py
else
    skip 'the package is typed: there is no mypy'
fi
