# The same load on alternatives: a server in Node on PostgreSQL, one in Python on SQLite, and, for messages end to end, an XMPP server with
# its archive on SQLite. All store every chat on disk before they answer. The CPU time of PostgreSQL's own processes is not counted.

peer_cache=${XDG_CACHE_HOME:-$HOME/.cache}/madang-bench-peers

peers() {
  local name round names=(madang madang-postgres node python) kind index
  declare -A peer_ports peer_pids
  [ -x "$peer_cache/python/bin/python" ] || fail "what the peers stand on is missing: Scripts/install bench"
  compile fanout
  compile xmpp
  peer_madang madang-postgres --database-url "$(peer_database madang)"
  peer_madang madang
  peer_of_madang node
  peer_of_madang python
  peer_tables | sqlite3 "$work/python.sqlite"
  peer_tables | psql -q -v ON_ERROR_STOP=1 "$(peer_database node)" >/dev/null
  psql -q "${MADANG_TEST_POSTGRES%/*}/node" -c 'VACUUM ANALYZE'
  peer_listens node env NODE_ENV=production NODE_PATH="$peer_cache/node/usr/share/nodejs:/usr/share/nodejs" \
    node "$here/peers/server.js" PORT "${MADANG_TEST_POSTGRES%/*}/node"
  peer_listens python "$peer_cache/python/bin/python" "$here/peers/server.py" PORT "$work/python.sqlite"
  peer_xmpp
  peer_answers
  for round in $(seq "$rounds"); do
    for name in "${names[@]}"; do peer_round "$name"; done
    kind=$("$work/xmpp" -p "${peer_ports[xmpp]}" -P "${peer_pids[xmpp]}" -u 0.5 -s "$seconds") || fail 'the XMPP server failed'
    note "round $round, xmpp: $kind"
    echo "$kind" >>"$work/peers.xmpp.talk"
  done
  stop_server
  peer_results
}

# peer_database NAME: makes a database and prints its URL.
peer_database() {
  psql -q "$MADANG_TEST_POSTGRES" -c "CREATE DATABASE $1"
  echo "${MADANG_TEST_POSTGRES%/*}/$1"
}

# peer_madang NAME [FLAG]...: starts our server with eight people, a room to read and eight rooms to write to.
peer_madang() {
  local name=$1
  shift
  start_server "$work/$name" "$@"
  people 8
  workspace 9
  stop_server
  if [ "$name" = madang ]; then
    sqlite3 "$work/madang/madang.sqlite" "$(fill "${channels[0]}" 1000 sqlite)"
  else
    psql -q "${MADANG_TEST_POSTGRES%/*}/madang" -c "$(fill "${channels[0]}" 1000 postgres)" -c 'VACUUM ANALYZE'
  fi
  for index in "${tokens[@]}"; do
    printf 'GET\t/v1/workspaces/%s/channels/%s/chats?cursor_date=%s\t%s\t\n' \
      "$workspace" "${channels[0]}" "$(chat_date 970)" "$index"
  done >"$work/peers.$name.history"
  post_requests "$work/peers.all"
  grep -vF "/channels/${channels[0]}/" "$work/peers.all" >"$work/peers.$name.post"
  rooms_file | tail -n 8 >"$work/peers.$name.rooms"
  # All servers restart after the preparation.
  if [ "$name" = madang ]; then
    AT=$(free_port) start_server "$work/madang-postgres" --database-url "${MADANG_TEST_POSTGRES%/*}/madang"
    peer_ports[madang-postgres]=$port peer_pids[madang-postgres]=$server_pid
    start_server "$work/madang"
    peer_ports[madang]=$port peer_pids[madang]=$server_pid
  fi
}

# peer_of_madang NAME: a peer that gets the same requests as our server; the one in Node has plain WebSockets.
peer_of_madang() {
  local kind
  for kind in history post rooms; do cp "$work/peers.madang.$kind" "$work/peers.$1.$kind"; done
  [ "$1" = python ] || awk -F '\t' -v OFS='\t' '{ sub("/ws-channel-", "", $3); $3 = "/sockets?channel=" $3 "&token=" $1; print }' \
    "$work/peers.madang.rooms" >"$work/peers.$1.rooms"
}

# peer_tables: SQL that fills a peer's tables with our server's data.
peer_tables() {
  local index
  cat "$here/peers/server.sql"
  echo 'BEGIN;'
  sqlite3 "$work/madang/madang.sqlite" \
    '.mode insert users' 'SELECT id, uuid, email, nickname, profile_image FROM users' \
    '.mode insert rooms' 'SELECT r.id, r.uuid, c.name, r.last_chat_at FROM rooms r JOIN channels c ON c.room_id = r.id' \
    '.mode insert members' 'SELECT room_id, user_id FROM channel_members' \
    '.mode insert chats' 'SELECT uuid, room_id, author_id, content, created_at FROM chats'
  for index in "${!tokens[@]}"; do
    echo "INSERT INTO tokens SELECT '${tokens[$index]}', id FROM users WHERE email = 'p$((index + 1))@example.org';"
  done
  echo 'COMMIT;'
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# peer_listens NAME COMMAND...: starts a peer, with a free port for the word PORT, and waits until it answers there.
peer_listens() {
  local name=$1 chosen
  shift
  chosen=$(free_port)
  PORT=$chosen "${@/#PORT/$chosen}" >"$work/$name.out" 2>&1 &
  peer_ports[$name]=$chosen peer_pids[$name]=$!
  server_pids+=($!)
  for _ in $(seq 500); do
    ! (exec 3<>"/dev/tcp/127.0.0.1/$chosen") 2>/dev/null || return 0
    kill -0 "${peer_pids[$name]}" 2>/dev/null || break
    sleep 0.02
  done
  cat "$work/$name.out" >&2
  fail "the server $name did not start"
}

peer_xmpp() {
  local index data=$work/xmpp-data
  mkdir -p "$data/localhost/accounts"
  for index in a{0..63} r{0..7}; do echo 'return { ["password"] = "secret" };' >"$data/localhost/accounts/$index.dat"; done
  sqlite3 "$data/archive.sqlite" 'PRAGMA journal_mode = WAL' >/dev/null
  peer_listens xmpp env DATA="$data" prosody --config "$here/peers/prosody.cfg.lua" -F
}

# All give the same answers with the same keys: a page of 30 chats, and a post.
peer_answers() {
  local name path token body answer keys expected
  for name in "${names[@]}"; do
    IFS=$'\t' read -r _ path token _ <"$work/peers.$name.history"
    answer=$(port=${peer_ports[$name]} call GET "${path#/v1}" "$token")
    [ "$(grep -o '"chat_id"' <<<"$answer" | wc -l)" = 30 ] || fail "$name: no page of 30 chats: ${answer:0:300}"
    IFS=$'\t' read -r _ path token body <"$work/peers.$name.post"
    answer+=$(port=${peer_ports[$name]} call POST "${path#/v1}" "$token" -H 'Content-Type: application/json' -d "$body")
    keys=$(grep -oE '"[a-zA-Z_]+": ?[^"0-9]?' <<<"$answer" | tr -d ' ' | sort | uniq -c)
    : "${expected:=$keys}"
    [ "$keys" = "$expected" ] || fail "$name answers other keys: $keys"
  done
}

# peer_round NAME: measures posts, history, a chat to 1,000 sockets of one room, and chats end to end: 64 in progress, in eight rooms of one
# socket each.
peer_round() {
  local name=$1 kind cost plain=()
  [ "$name" != node ] || plain=(-W)
  for kind in post history; do
    cost=$(port=${peer_ports[$name]} server_pid=${peer_pids[$name]} load "$work/peers.$name.$kind" -c 64 -w 0.5 -s "$seconds") ||
      fail "$name, $kind: calls failed"
    note "round $round, $name, $kind: $cost"
    echo "$cost" >>"$work/peers.$name.$kind.costs"
  done
  head -n 1 "$work/peers.$name.rooms" >"$work/peers.room"
  cost=$("$work/fanout" -a "${peer_ports[$name]}" -P "${peer_pids[$name]}" -k "$key" -r "$work/peers.room" -c 1000 -w 1 -u 0.5 \
    -s "$seconds" "${plain[@]}") || fail "$name: a broadcast failed"
  note "round $round, $name, 1,000 sockets: $cost"
  echo "$cost" >>"$work/peers.$name.broadcast"
  cost=$("$work/fanout" -a "${peer_ports[$name]}" -P "${peer_pids[$name]}" -k "$key" -r "$work/peers.$name.rooms" -c 8 -w 64 -u 0.5 \
    -s "$seconds" "${plain[@]}") || fail "$name: a talk failed"
  note "round $round, $name, end to end: $cost"
  echo "$cost" >>"$work/peers.$name.talk"
}

peer_results() {
  local name ours
  for name in "${names[@]}"; do
    figure "peer $name post_cpu_us" "$(middle cpu_ms_per_1000 "$work/peers.$name.post.costs")"
    figure "peer $name posts_per_second" "$(middle per_second "$work/peers.$name.post.costs")"
    figure "peer $name post_p99_ms" "$(milli "$(middle p99_us "$work/peers.$name.post.costs")")"
    figure "peer $name history_cpu_us" "$(middle cpu_ms_per_1000 "$work/peers.$name.history.costs")"
    figure "peer $name delivery_cpu_us" "$(middle cpu_ms_per_1000 "$work/peers.$name.broadcast")"
    figure "peer $name deliveries_per_second" \
      "$(middle per_second "$work/peers.$name.broadcast" | awk '{ print $1 * 1000 }')"
  done
  for name in "${names[@]}" xmpp; do
    figure "peer $name talk_per_second" "$(middle per_second "$work/peers.$name.talk")"
    figure "peer $name talk_cpu_us" "$(middle cpu_us_per_post "$work/peers.$name.talk")"
    figure "peer $name talk_p99_ms" "$(middle post_p99_ms "$work/peers.$name.talk")"
  done
  for name in node python; do
    ours=madang
    [ $name = python ] || ours=madang-postgres
    result "durable chats/s, 64 clients, $([ $name = node ] && echo 'PostgreSQL' || echo 'SQLite')" \
      "$(middle per_second "$work/peers.$ours.post.costs")" "$name: $(middle per_second "$work/peers.$name.post.costs")" \
      "$(quotient "$(middle per_second "$work/peers.$ours.post.costs")" "$(middle per_second "$work/peers.$name.post.costs")")" - -
  done
  result 'chats end to end a second, SQLite' "$(middle per_second "$work/peers.madang.talk")" \
    "prosody: $(middle per_second "$work/peers.xmpp.talk")" \
    "$(quotient "$(middle per_second "$work/peers.madang.talk")" "$(middle per_second "$work/peers.xmpp.talk")")" - -
}
