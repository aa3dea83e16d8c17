# 17,000 people, of whom 5,000 have a room open: posts while people change rooms, and the effect of a restart on them.

village=17000 sockets=5000

# prepare_village DATA: makes 100 rooms of 200 chats each. Some people have tokens, which the sockets share; the others only have accounts.
prepare_village() {
  start_server "$1"
  people 50
  workspace 1
  stop_server
  sqlite3 "$1/madang.sqlite" "
    BEGIN;
    CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $village) SELECT i FROM n;
    INSERT INTO users (uuid, email, email_key, nickname, phone, coins, created_at)
      SELECT $uuid_of_i, 'v' || i || '@example.org', 'v' || i || '@example.org', 'v' || i, '', 0, ${first_chat}000 FROM n WHERE i <= $village - 50;
    INSERT OR IGNORE INTO workspace_members (workspace_id, user_id, joined_at) SELECT w.id, u.id, ${first_chat}000 FROM users u, workspaces w;
    INSERT INTO rooms (uuid, workspace_id, kind, created_at)
      SELECT $uuid_of_i, (SELECT id FROM workspaces), 'channel', ${first_chat}000 FROM n WHERE i <= 100;
    INSERT INTO channels (room_id, workspace_id, name, description, owner_id, is_default)
      SELECT id, workspace_id, 'village' || id, '', 1, 0 FROM rooms WHERE id NOT IN (SELECT room_id FROM channels);
    INSERT OR IGNORE INTO channel_members (room_id, user_id, joined_at)
      SELECT c.room_id, u.id, ${first_chat}000 FROM channels c, users u WHERE c.name LIKE 'village%' AND u.id <= 50;
    COMMIT;"
  mapfile -t channels < <(sqlite3 "$1/madang.sqlite" \
    "SELECT r.uuid FROM rooms r JOIN channels c ON c.room_id = r.id WHERE c.name LIKE 'village%' ORDER BY r.id")
  local channel
  for channel in "${channels[@]}"; do fill "$channel" 200 sqlite; done | sqlite3 "$1/madang.sqlite" 'BEGIN' '.read /dev/stdin' 'COMMIT'
}

# A version 4 UUID made by SQLite.
uuid_of_i="lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))))"

# Changes of rooms are 42 of 100 actions: at 56 posts a second there are 40.6 changes a second.
mix() {
  local outcome length=20
  compile fanout
  prepare_village "$work/mix"
  start_server "$work/mix"
  [ "$(call GET "/workspaces/$workspace/channels/${channels[0]}/chats?cursor_date=$(chat_date 170)" "${tokens[0]}" |
    grep -o chat_id | wc -l)" = 30 ] || fail "no page of 30 chats"
  rooms_file "?cursor_date=$(chat_date 170)" >"$work/mix.rooms"
  outcome=$("$work/fanout" -a "$port" -P "$server_pid" -k "$key" -r "$work/mix.rooms" -c "$sockets" -A 16 -R 56 -S 40.6 -u 2 -s $length) ||
    fail "the mix failed"
  note "mix: $outcome"
  stop_server
  figure 'mix answer_p99_ms' "$(field answer_p99_ms <<<"$outcome")"
  result "17,000 people, 5,000 sockets, 56 posts/s, 42% changes of rooms: p99 ms of a post" "$(field answer_p99_ms <<<"$outcome")" \
    "p50: $(field answer_p50_ms <<<"$outcome")" - '<=' 25
  result "the same: p99 ms of a change of rooms" "$(field change_p99_ms <<<"$outcome")" "p50: $(field change_p50_ms <<<"$outcome")" - - -
}

reconnect() {
  local outcome before after again port_before empty waiting
  compile reconnect
  prepare_village "$work/village"
  start_server "$work/village"
  rooms_file >"$work/reconnect.rooms"
  port_before=$port empty=$(resident VmRSS)
  "$work/reconnect" -p "$port" -r "$work/reconnect.rooms" -c "$sockets" >"$work/reconnect.out" &
  waiting=$!
  for _ in $(seq 600); do
    ! grep -q ready "$work/reconnect.out" || break
    kill -0 $waiting || fail "the sockets did not come in"
    sleep 0.1
  done
  sleep 2
  before=$(resident VmRSS)
  stop_server
  AT=$port_before start_server "$work/village"
  wait $waiting || fail "the sockets did not come back"
  outcome=$(tail -n 1 "$work/reconnect.out")
  sleep 0.5
  after=$(resident VmRSS)
  stop_server
  note "reconnect: $outcome, kB resident without sockets $empty, with them $before, after the restart $after"
  result "5,000 sockets after a restart: s until all are back" "$(field seconds <<<"$outcome")" \
    "p50: $(field p50_ms <<<"$outcome") ms" - '<=' 5
  result "5,000 sockets after a restart: refused" "$(field refused <<<"$outcome")" - - '<=' 0
  result "5,000 sockets after a restart: MiB resident" "$((after / 1024))" "before: $((before / 1024))" "$(quotient "$after" "$before")" \
    '<=' 1.1
}
