# The CPU cost of a request of each kind, over 64 keep-alive connections, one kind after another: without data, one row, an unread count, 30
# chats of history, and a durable chat. All on the same server.

requests() {
  local kind kinds=(livez me unreads history post) after round cost
  start_server "$work/requests"
  people 8
  workspace 9
  stop_server
  # The first room has 1,000 chats to read; posts go to the other rooms.
  sqlite3 "$work/requests/madang.sqlite" "$(fill "${channels[0]}" 1000 sqlite)"
  cp "$work/requests/madang.sqlite" "$work/reads.sqlite"
  start_server "$work/requests"
  requests_of_each_kind
  start_bare
  compile sql-reads -lsqlite3
  for round in $(seq "$rounds"); do
    for kind in "${kinds[@]}"; do
      cost=$(load "$work/requests.$kind" -c 64 -w 0.5 -s "$seconds") || fail "$kind: calls failed"
      note "round $round, $kind: $cost"
      echo "$cost" >>"$work/cpu.$kind"
    done
    cost=$(port=$bare_port server_pid=$bare_pid load "$work/requests.me" -c 64 -w 0.5 -s "$seconds") || fail "bare Hummingbird failed"
    note "round $round, bare Hummingbird: $cost"
    echo "$cost" >>"$work/cpu.bare"
    for kind in unreads history; do
      [ $kind = unreads ] && after=500 || after=970
      cost=$("$work/sql-reads" "$work/reads.sqlite" "${channels[0]}" $((first_chat * 1000 + after * 100)) $kind "$seconds")
      note "round $round, SQL of $kind alone: $cost"
      echo "$cost" >>"$work/cpu.sql-$kind"
    done
  done
  stop_server
  for kind in "${kinds[@]}" bare sql-unreads sql-history; do figure "cpu_us $kind" "$(middle cpu_ms_per_1000 "$work/cpu.$kind")"; done
  requests_results
}

# requests_of_each_kind: writes the request files of the load program.
requests_of_each_kind() {
  local person path answer
  path=/workspaces/$workspace/channels/${channels[0]}
  for person in "${tokens[@]}"; do
    printf 'GET\t/livez\t\t\n' >>"$work/requests.livez"
    printf 'GET\t/v1/users/me\t%s\t\n' "$person" >>"$work/requests.me"
    printf 'GET\t/v1%s/unreads?after=%s\t%s\t\n' "$path" "$(chat_date 500)" "$person" >>"$work/requests.unreads"
    printf 'GET\t/v1%s/chats?cursor_date=%s\t%s\t\n' "$path" "$(chat_date 970)" "$person" >>"$work/requests.history"
  done
  post_requests "$work/requests.all"
  grep -vF "/channels/${channels[0]}/" "$work/requests.all" >"$work/requests.post"
  answer=$(call GET "$path/chats?cursor_date=$(chat_date 970)" "${tokens[0]}" | grep -o chat_id | wc -l)
  [ "$answer" = 30 ] || fail "a page of $answer chats"
  answer=$(call GET "$path/unreads?after=$(chat_date 500)" "${tokens[2]}" | field count)
  [ "$answer" = 500 ] || fail "$answer unread of 500"
}

# build_bare: prints the program's path. Built like our server, with the same versions of dependencies as far as they are known.
build_bare() {
  local package=$here/peers/bare-hummingbird runtime options
  [ ! -e "$here/../Package.resolved" ] || cp "$here/../Package.resolved" "$package/"
  options=(-c release -Xswiftc -enforce-exclusivity=unchecked --package-path "$package" --scratch-path "$here/../.build/bare-hummingbird")
  runtime=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  [ ! -d "${runtime}_static" ] || options+=(--static-swift-stdlib)
  swift build "${options[@]}" >&2
  echo "$(swift build "${options[@]}" --show-bin-path)/bare"
}

# start_bare: starts bare Hummingbird, which gives our server's answer about the first person. Sets bare_pid and bare_port.
start_bare() {
  [ -n "$bare" ] || bare=$(build_bare)
  call GET /users/me "${tokens[0]}" >"$work/me.json"
  start_peer "$bare" 0 "$work/me.json"
  bare_pid=$peer_pid bare_port=$peer_port
}

requests_results() {
  local livez me post kind sql
  livez=$(middle cpu_ms_per_1000 "$work/cpu.livez")
  me=$(middle cpu_ms_per_1000 "$work/cpu.me")
  post=$(middle cpu_ms_per_1000 "$work/cpu.post")
  bare_cost=$(middle cpu_ms_per_1000 "$work/cpu.bare")
  result 'durable chat by HTTP, SQLite, 64 clients: CPU us' "$post" "GET /livez: $livez" "$(quotient "$post" "$livez")" '<=' 2
  result 'GET /v1/users/me: requests per CPU second' "$(quotient 1000000 "$me")" \
    "bare Hummingbird: $(quotient 1000000 "$bare_cost")" "$(quotient "$bare_cost" "$me")" '>=' 0.6
  for kind in history unreads; do
    sql=$(middle cpu_ms_per_1000 "$work/cpu.sql-$kind")
    me=$(middle cpu_ms_per_1000 "$work/cpu.$kind")
    result "$([ $kind = history ] && echo '30 chats of history' || echo 'unread count'), SQLite: CPU us" "$me" "its SQL alone: $sql" \
      "$(quotient "$me" "$sql")" '<=' 2
  done
}
