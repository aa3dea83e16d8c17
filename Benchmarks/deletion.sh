# Benchmark 6: how long a post to another room waits while a workspace with 2,000,000 chats is deleted and its rows are removed.

deletion_sqlite() {
  note "deletion on SQLite"
  prepare_deletion "$work/deletion"
  sqlite3 "$work/deletion/madang.sqlite" "$(fill "$victim_channel" 2000000 sqlite)"
  start_server "$work/deletion"
  measure_deletion SQLite sqlite3 "$work/deletion/madang.sqlite"
}

deletion_postgres() {
  note "deletion on PostgreSQL"
  local server=${MADANG_TEST_POSTGRES%/*}
  psql -q "$MADANG_TEST_POSTGRES" -c 'CREATE DATABASE deletion'
  prepare_deletion "$work/deletion-pg" --database-url "$server/deletion"
  psql -q "$server/deletion" -c "$(fill "$victim_channel" 2000000 postgres)" -c 'VACUUM ANALYZE' -c CHECKPOINT
  start_server "$work/deletion-pg" --database-url "$server/deletion"
  measure_deletion PostgreSQL psql -qtA "$server/deletion" -c
}

# prepare_deletion DATA [FLAG]...: makes a workspace to delete and another one. Sets victim and victim_channel.
prepare_deletion() {
  start_server "$@"
  people 2
  workspace 1
  victim=$workspace victim_channel=${channels[0]}
  workspace=$(call POST /workspaces "${tokens[0]}" -F name=other -F description=other -F "image=@$picture" | field workspace_id)
  channels=("$(call POST "/workspaces/$workspace/channels" "${tokens[0]}" -F name=room | field channel_id)")
  tokens=("${tokens[0]}")
  post_requests "$work/deletion.requests"
  stop_server
}

# measure_deletion ENGINE QUERY...: one connection posts continuously, before and during the deletion.
measure_deletion() {
  local engine=$1 quiet busy left=1 begin=$EPOCHREALTIME loading
  shift
  quiet=$(load "$work/deletion.requests" -c 1 -w 1 -s 10)
  load "$work/deletion.requests" -c 1 -w 0.5 -s 300 >"$work/deletion.load" &
  loading=$!
  sleep 1
  begin=$EPOCHREALTIME
  call DELETE "/workspaces/$victim" "${tokens[0]}" >/dev/null
  note "$engine: deleted after $(awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { printf "%.1f ms", (e - b) * 1000 }')"
  for _ in $(seq 600); do
    left=$("$@" "SELECT COUNT(*) FROM (SELECT 1 FROM workspaces WHERE deleted_at IS NOT NULL LIMIT 1) AS w")
    [ "$left" = 0 ] && break
    sleep 0.5
  done
  [ "$left" = 0 ] || fail "$engine: the workspace was not cleared up in time"
  note "$engine: cleared up after $(awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", e - b }')"
  # The process of the program, which is a child of the function's shell.
  pkill -TERM -P "$loading"
  wait "$loading" || fail "$engine: posts failed: $(cat "$work/deletion.load")"
  busy=$(cat "$work/deletion.load")
  note "$engine: quiet $quiet, while the workspace went $busy"
  stop_server
  result "deletion, $engine: longest wait of a post, ms" "$(field max_us <<<"$busy" | awk '{ print $1 / 1000 }')" \
    "quiet: $(field max_us <<<"$quiet" | awk '{ print $1 / 1000 }')" - '<=' 50
  result "deletion, $engine: p99 of posts, ms" "$(field p99_us <<<"$busy" | awk '{ print $1 / 1000 }')" \
    "quiet: $(field p99_us <<<"$quiet" | awk '{ print $1 / 1000 }')" - - -
}
