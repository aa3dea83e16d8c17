# Benchmark 7: how long posts wait, at 100 a second, during a backup of 1,000,000 chats and 10,000 files.

backup_sqlite() {
  note "backup on SQLite"
  prepare_backup "$work/backup"
  sqlite3 "$work/backup/madang.sqlite" "$(fill "${channels[1]}" 1000000 sqlite)"
  start_server "$work/backup"
  measure_backup SQLite "$work/backup"
}

backup_postgres() {
  note "backup on PostgreSQL"
  local server=${MADANG_TEST_POSTGRES%/*}
  psql -q "$MADANG_TEST_POSTGRES" -c 'CREATE DATABASE backup'
  prepare_backup "$work/backup-pg" --database-url "$server/backup"
  psql -q "$server/backup" -c "$(fill "${channels[1]}" 1000000 postgres)" -c 'VACUUM ANALYZE' -c CHECKPOINT
  start_server "$work/backup-pg" --database-url "$server/backup"
  measure_backup PostgreSQL "$work/backup-pg" --database-url "$server/backup"
}

# prepare_backup DATA [FLAG]...: makes a channel to post to, a channel to fill, and 10,000 files in 2,000 chats.
prepare_backup() {
  start_server "$@"
  people 2
  workspace 2
  local files=()
  for _ in 1 2 3 4 5; do files+=(-F "files=@$picture"); done
  seq 2000 | xargs -P 8 -n 1 curl -sS --fail-with-body --max-time 60 -o /dev/null -H "SesacKey: $key" \
    -H "Authorization: ${tokens[0]}" "${files[@]}" \
    -X POST "http://127.0.0.1:$port/v1/workspaces/$workspace/channels/${channels[0]}/chats" --url-query
  post_requests "$work/backup.all"
  grep -F "/channels/${channels[0]}/" "$work/backup.all" >"$work/backup.requests"
  stop_server
}

# measure_backup ENGINE DATA [FLAG]...: the first backup shows how long the second will take. No backup is removed: after removing many files,
# ext4 is slow to create files for a minute.
measure_backup() {
  local engine=$1 quiet busy loading took
  shift
  took=$(back_up "$engine-quiet" "$@")
  note "$engine: backed up in $took s on a quiet server"
  quiet=$(load "$work/backup.requests" -c 16 -R 100 -w 1 -s 10)
  load "$work/backup.requests" -c 16 -R 100 -w 0 -s "$took" >"$work/backup.load" &
  loading=$!
  took=$(back_up "$engine-busy" "$@")
  wait "$loading" || fail "$engine: posts failed: $(cat "$work/backup.load")"
  busy=$(cat "$work/backup.load")
  stop_server
  note "$engine: backed up in $took s under load; quiet $quiet, meanwhile $busy"
  quiet=$(field p99_us <<<"$quiet") busy=$(field p99_us <<<"$busy")
  result "backup, $engine: p99 of posts, ms" "$(quotient "$busy" 1000)" "quiet: $(quotient "$quiet" 1000)" \
    "$(quotient "$busy" "$quiet")" '<=' 2
}

# back_up NAME DATA [FLAG]...: makes a backup; prints the seconds it took.
back_up() {
  local begin=$EPOCHREALTIME name=$1
  shift
  "$program" admin backup "$work/backups-$name" --data "$@" >"$work/backup.out" 2>&1 || fail "$(cat "$work/backup.out")"
  awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { printf "%.1f", e - b }'
}
