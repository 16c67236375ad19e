#!/usr/bin/env bash
# rubato report --serve: the page over HTTP on this host, made anew when the results change; wrong requests get an answer and end nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

printf 'system: wide\ntraces: [%s/gups]\naxes: {l1d.mshrs: [2, 8]}\n' "$TRACES" >"$WORK/first.yaml"
printf 'system: wide\ntraces: [%s/gups]\naxes: {l1d.mshrs: [2, 8, 16]}\n' "$TRACES" >"$WORK/more.yaml"
cd "$WORK" || exit 1
"$RUBATO" sweep first.yaml -o results.db >said 2>&1 || { cat said; exit 1; }

refused 'a port that is no number' '--serve 1zz' "$RUBATO" report results.db --serve 1zz
refused 'a port that is none' '--serve 70000: a port is at most 65535' "$RUBATO" report results.db --serve 70000
refused 'a file that is not there' 'none.db' "$RUBATO" report none.db --serve 0
refused 'with a file to write' '--serve writes no file' "$RUBATO" report results.db --serve 0 -o page.html

"$RUBATO" report results.db --serve 0 --no-traffic >address 2>err &
server=$!
trap 'kill $server 2>/dev/null' EXIT
for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
port=$(sed -n 's|^http://127.0.0.1:\([0-9]*\)/ until Ctrl-C$|\1|p' address)
check "it says where: $port" test -n "$port"
refused 'a port that is taken' "--serve $port: cannot listen there" "$RUBATO" report results.db --serve "$port"

# ask REQUEST-LINE [HOST]: the answer, with its head
ask() {
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return
    printf '%s\r\nHost: %s\r\n\r\n' "$1" "${2-127.0.0.1:$port}" >&3
    tr -d '\r' <&3
    exec 3>&-
}
ask 'GET / HTTP/1.1' >page
check 'the page' grep -q '<h1>Sweep results.db</h1>' page
check 'with its length' test "$(sed -n 's/^Content-Length: //p' page)" = "$(sed '1,/^$/d' page | wc -c)"
check 'may ask its server, and load nothing else' grep -q "default-src 'none';.*connect-src 'self'\"" page
check 'the page of a file may not' eval '"$RUBATO" report results.db --no-traffic -o page.html >/dev/null && ! grep -q connect-src page.html'
stamp=$(ask 'GET /stamp HTTP/1.1' | sed '1,/^$/d')
check 'and has the stamp of its results' grep -qF "<meta name=\"stamp\" content=\"$stamp\">" page
check 'the same stamp again, while nothing changes' test "$(ask 'GET /stamp HTTP/1.1' | sed '1,/^$/d')" = "$stamp"
check 'another host is refused' eval "ask 'GET / HTTP/1.1' evil.example:$port | head -1 | grep -q ' 403 '"
check 'another path' eval "ask 'GET /../first.yaml HTTP/1.1' | head -1 | grep -q ' 404 '"
check 'another method' eval "ask 'POST / HTTP/1.1' | head -1 | grep -q ' 405 '"
check 'a head without an end' eval "ask \"\$(head -c 9000 /dev/zero | tr '\\0' x)\" | head -1 | grep -q ' 400 '"
"$RUBATO" sweep more.yaml -o results.db >said 2>&1
check 'more results, another stamp' test "$(ask 'GET /stamp HTTP/1.1' | sed '1,/^$/d')" != "$stamp"
ask 'GET / HTTP/1.1' >page
check 'and another page: 3 points' grep -q '3 points, 3 done' page
kill -TERM $server
wait $server
check 'it ends when it is asked to' test $? = 0
check 'and has nothing to complain of' test ! -s err


# --- sweep --report: the page in the end
"$RUBATO" sweep more.yaml -o results.db --report own.html >said 2>&1
check 'a sweep writes its page' test $? = 0 -a -s own.html
check 'and says so' grep -q '^own.html: charts of 3 points$' said
"$RUBATO" report results.db -o own2.html >/dev/null
check 'which is that of rubato report' cmp own.html own2.html
printf 'system: wide\ntraces: [%s/gups]\naxes: {l1d.assoc: [2, 7]}\n' "$TRACES" >fails.yaml
"$RUBATO" sweep fails.yaml --report fails.html >said 2>&1
check 'with points that failed: the page, and the exit code of the sweep' test $? = 3 -a -s fails.html
refused 'a page of another kind' 'an HTML page' "$RUBATO" sweep more.yaml --report page.db
refused 'of a shard' '--report is for a sweep that runs here as a whole' "$RUBATO" sweep more.yaml --shard 1/2 --report page2.html
exit $failures
