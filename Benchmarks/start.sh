# Benchmark 5: from exec to the line "madang listening on" with an existing SQLite database.

start() {
  local runs=10 round begin line end
  note "start"
  start_server "$work/start"
  people 1
  workspace 1
  stop_server
  for round in $(seq "$runs"); do
    mkfifo "$work/line.$round"
    begin=$EPOCHREALTIME
    MADANG_LOG_LEVEL=warning "$program" serve --port 0 --data "$work/start" >"$work/line.$round" 2>"$work/stderr" &
    server_pids=($!)
    read -r -t 30 line <"$work/line.$round" || fail "the server did not start: $(cat "$work/stderr")"
    end=$EPOCHREALTIME
    [[ $line == 'madang listening on '* ]] || fail "the server said: $line"
    stop_server
    awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.1f\n", (e - b) * 1000 }' >>"$work/starts"
  done
  note "start: ms $(tr '\n' ' ' <"$work/starts")"
  result "start: ms, median of $runs" "$(median <"$work/starts")" - - '<=' 300
}
