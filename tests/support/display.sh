# A display for windows: source it behind shell.sh. It goes with the script.

# open_display OPTIONS...: a private Xvfb; fails if Xvfb is not installed, or if the command has no windows. Sets
# `xvfb`.
open_display() {
    command -v Xvfb >/dev/null && ! "$RUBATO" view "$WORK" --attach x 2>&1 </dev/null | grep -q 'without SDL2' || return 1
    Xvfb -displayfd 3 -noreset -screen 0 2000x1300x24 "$@" 3>"$WORK/display" >"$WORK/xvfb.log" 2>&1 &
    xvfb=$!
    trap 'kill $xvfb 2>/dev/null; rm -rf "$WORK"' EXIT
    for _ in $(seq 300); do [ -s "$WORK/display" ] && break; sleep 0.1; done    # a busy machine takes long
    [ -s "$WORK/display" ] || return 1
    export DISPLAY=:$(cat "$WORK/display") SDL_VIDEODRIVER=x11
    unset WAYLAND_DISPLAY
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0     # the X libraries do not free their memory
}

# wait_until COMMAND...: until it succeeds, twenty seconds at most.
wait_until() {
    for _ in $(seq 1000); do
        "$@" 2>/dev/null && return 0
        sleep 0.02
    done
    return 1
}

# need_pictures WHAT (COUNT): no display from here on, pictures all the same; skips the rest of the script if the
# command cannot draw them.
need_pictures() {
    unset DISPLAY WAYLAND_DISPLAY
    export SDL_VIDEODRIVER=dummy
    "$RUBATO" view wide "$TRACES/triad" --frames "$WORK/none" --at 1us 2>&1 </dev/null | grep -q SDL || return 0
    skip "$1: built without SDL2, or it is not installed"
    exit $failures
}

# scripted NAME ARGUMENTS... < steps: rubato view, in the folder of the test's files, performs them, and their
# expectations hold
scripted() {
    local name=$1
    shift
    cat >"$WORK/script"
    if (cd "$WORK" && timeout 100 "$RUBATO" view "$@" --script "$WORK/script" </dev/null 2>"$WORK/stderr"); then ok "$name"
    else not_ok "$name"; sed 's/^/    /' "$WORK/stderr" | head -n 3; fi
}
