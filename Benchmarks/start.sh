# Benchmark 5: the time from exec to the line "madang listening on" with an existing SQLite database, also in development mode. The latter
# is our part of `make run`; before it the Swift package manager checks whether anything must be built.

start() {
  local times
  start_server "$work/start"
  people 1
  workspace 1
  stop_server
  times=$(starts "$work/start")
  note "start: ms $(tr '\n' ' ' <<<"$times")"
  result 'start: ms, median of 10' "$(median <<<"$times")" - - '<=' 48
  times=$(starts "$work/start" --dev)
  note "start in development mode: ms $(tr '\n' ' ' <<<"$times")"
  result 'start of make run, all built: ms, median of 10' "$(median <<<"$times")" - - '<=' 48
}

# starts DATA [FLAG]...: ten times in ms.
starts() {
  local round begin line end data=$1 fifo
  shift
  for round in $(seq 10); do
    fifo=$(mktemp -u "$work/line.XXXXXX")
    mkfifo "$fifo"
    begin=$EPOCHREALTIME
    MADANG_LOG_LEVEL=warning "$program" serve --port 0 --data "$data" "$@" >"$fifo" 2>"$work/stderr" &
    server_pids=($!)
    read -r -t 30 line <"$fifo" || fail "the server did not start: $(cat "$work/stderr")"
    end=$EPOCHREALTIME
    [[ $line == 'madang listening on '* ]] || fail "the server said: $line"
    stop_server
    awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.1f\n", (e - b) * 1000 }'
  done
}
