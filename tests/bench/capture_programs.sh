# The programs that benchmarks of captures run; to be sourced. each_program FUNCTION calls FUNCTION NAME COMMAND... for each that is
# installed. WORK and RUBATO as tests/support/shell.sh sets them.
export PERL_HASH_SEED=0                  # the same way each time

each_program() {
    program_line() {    # FUNCTION NAME COMMAND...
        command -v "$3" >/dev/null || { skip "$2: not installed"; return; }
        "$@"
    }
    head -c 2000000 "$RUBATO" >"$WORK/input"
    program_line "$1" xz xz -1 -c "$WORK/input"
    program_line "$1" perl perl -e 'my %h; $h{$_ % 1009} += $_ for 1 .. 400000; print scalar(keys %h), "\n"'
    program_line "$1" sqlite3 sqlite3 :memory: \
        'with recursive c(x) as (select 1 union all select x + 1 from c where x < 200000) select sum(x * x % 7) from c'
    program_line "$1" gzip gzip -9 -c "$WORK/input"
}
