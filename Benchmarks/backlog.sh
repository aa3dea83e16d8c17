# Benchmark 3: the cost of a call in a room with 100 chats and in one with 1,000,000, filled by SQL.
# The unread call counts half the room; the page has the 30 newest chats.

backlog_sqlite() {
  note "backlog on SQLite"
  start_server "$work/backlog"
  people 2
  workspace 2
  stop_server
  sqlite3 "$work/backlog/madang.sqlite" "$(fill "${channels[0]}" 100 sqlite) $(fill "${channels[1]}" 1000000 sqlite)"
  start_server "$work/backlog"
  measure_backlog SQLite
}

backlog_postgres() {
  note "backlog on PostgreSQL"
  local server=${MADANG_TEST_POSTGRES%/*}
  psql -q "$MADANG_TEST_POSTGRES" -c 'CREATE DATABASE backlog'
  start_server "$work/backlog-pg" --database-url "$server/backlog"
  people 2
  workspace 2
  stop_server
  psql -q "$server/backlog" -c "$(fill "${channels[0]}" 100 postgres) $(fill "${channels[1]}" 1000000 postgres)" -c 'VACUUM ANALYZE'
  start_server "$work/backlog-pg" --database-url "$server/backlog"
  measure_backlog PostgreSQL
}

# The time of the first chat of a filled room, in seconds; chats follow every 100 ms.
first_chat=1700000000

# fill CHANNEL COUNT ENGINE: SQL that inserts this many chats, written by the room's two people in turn.
fill() {
  local numbers
  case $3 in
    sqlite) numbers="(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) SELECT i FROM n) AS n" ;;
    postgres) numbers="generate_series(1, $2) AS n (i)" ;;
  esac
  cat <<SQL
INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
SELECT 'chat-' || r.id || '-' || n.i, r.id, n.i, 1 + n.i % 2, (n.i + 1) / 2, 'See you at the courtyard at six.', 0,
  ${first_chat}000 + n.i * 100 FROM $numbers JOIN rooms r ON r.uuid = '$1';
UPDATE rooms SET last_seq = $2, last_chat_at = ${first_chat}000 + $2 * 100 WHERE uuid = '$1';
SQL
}

# chat_date SEQ: the cursor of a chat in a filled room.
chat_date() { date -u -d "@$((first_chat + $1 / 10)).$(($1 % 10))" +%Y-%m-%dT%H:%M:%S.%3NZ; }

# measure_backlog ENGINE: the same calls in both rooms, alternating.
measure_backlog() {
  local engine=$1 call size count channel round answer wanted=1.5
  for size in small large; do
    count=100 channel=${channels[0]}
    [ $size = small ] || count=1000000 channel=${channels[1]}
    printf 'GET\t/v1/workspaces/%s/channels/%s/unreads?after=%s\t%s\t\n' \
      "$workspace" "$channel" "$(chat_date $((count / 2)))" "${tokens[0]}" >"$work/unreads.$size"
    printf 'GET\t/v1/workspaces/%s/channels/%s/chats?cursor_date=%s\t%s\t\n' \
      "$workspace" "$channel" "$(chat_date $((count - 30)))" "${tokens[0]}" >"$work/history.$size"
    answer=$(call GET "/workspaces/$workspace/channels/$channel/unreads?after=$(chat_date $((count / 2)))" "${tokens[0]}" | field count)
    [ "$answer" = $((count / 4)) ] || fail "$engine: $answer unread of $((count / 4))"
    answer=$(call GET "/workspaces/$workspace/channels/$channel/chats?cursor_date=$(chat_date $((count - 30)))" "${tokens[0]}" |
      grep -o chat_id | wc -l)
    [ "$answer" = 30 ] || fail "$engine: a page of $answer chats"
  done
  for call in unreads history; do
    for size in small large; do : >"$work/$size"; done
    for round in $(seq "$rounds"); do
      for size in small large; do load "$work/$call.$size" -c 1 -w 0.2 -s "$seconds" -n 2000 >>"$work/$size"; done
    done
    note "$engine $call: 100 chats $(tail -n 1 "$work/small"), 1,000,000 chats $(tail -n 1 "$work/large")"
    backlog_result "$engine $call: CPU us" cpu_ms_per_1000 "$wanted"
    backlog_result "$engine $call: p50 us" p50_us "$wanted"
  done
  stop_server
}

# backlog_result NAME FIELD WANTED
backlog_result() {
  local small large
  small=$(field "$2" <"$work/small" | median)
  large=$(field "$2" <"$work/large" | median)
  result "$1" "$large" "with 100 chats: $small" "$(quotient "$large" "$small")" "<=" "$3"
}
