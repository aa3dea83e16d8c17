# Benchmarks 7 and 8: several servers on one PostgreSQL.

# The time of a chat from its commit at one server to the last of 1,000 sockets at another, at 100 posts a second.
fanout_postgres() {
  local outcome
  note "from one server to 1,000 sockets at another"
  compile fanout
  prepare_nodes fanout 1 1
  start_nodes fanout 2
  rooms_file >"$work/nodes.rooms"
  outcome=$("$work/fanout" -a "${ports[0]}" -b "${ports[1]}" -k "$key" -r "$work/nodes.rooms" -c 1000 -R 100 -s 20) ||
    fail "fan-out failed"
  note "fan-out: $outcome"
  stop_server
  result 'from commit to 1,000 sockets elsewhere: p99 ms' "$(field p99_ms <<<"$outcome")" \
    "p50: $(field p50_ms <<<"$outcome")" - '<=' 20
}

# The cost of a post for a server when one, two and three servers receive 150 posts a second each, over 64 connections, in 64 channels. At
# this rate the processors are not busy; waiting for a busy processor would add other work. Then the highest rate that the servers reach.
nodes_postgres() {
  local count round cost
  note "posts at one, two and three servers"
  prepare_nodes nodes 8 64
  for round in $(seq "$rounds"); do
    for count in 1 2 3; do
      start_nodes nodes "$count"
      cost=$(cpu_of_posts -R 150)
      note "round $round, servers: $count, $cost"
      echo "$cost" >>"$work/nodes.$count"
      cost=$(cpu_of_posts)
      note "round $round, servers: $count, as many as they can: $cost"
      echo "$cost" >>"$work/nodes.full.$count"
      stop_server
    done
  done
  local one
  one=$(field cpu_ms_per_1000 <"$work/nodes.1" | median)
  for count in 2 3; do
    cost=$(field cpu_ms_per_1000 <"$work/nodes.$count" | median)
    result "posts, $count servers: CPU ms per 1,000" "$cost" "one server: $one" "$(quotient "$cost" "$one")" '<=' 1.15
    result "posts, $count servers, as many as they can: chats/s" "$(field per_second <"$work/nodes.full.$count" | median)" \
      "one server: $(field per_second <"$work/nodes.full.1" | median)" - - -
    result "posts, $count servers, as many as they can: CPU ms per 1,000" \
      "$(field cpu_ms_per_1000 <"$work/nodes.full.$count" | median)" \
      "one server: $(field cpu_ms_per_1000 <"$work/nodes.full.1" | median)" - - -
  done
}

# prepare_nodes NAME PEOPLE CHANNELS: makes a database and a data directory with this name, and a workspace.
prepare_nodes() {
  psql -q "$MADANG_TEST_POSTGRES" -c "CREATE DATABASE $1"
  start_nodes "$1" 1
  people "$2"
  workspace "$3"
  post_requests "$work/nodes.requests"
  stop_server
}

# start_nodes NAME COUNT: sets the arrays ports and pids.
start_nodes() {
  local index
  ports=() pids=()
  for index in $(seq "$2"); do
    start_server "$work/data-$1" --database-url "${MADANG_TEST_POSTGRES%/*}/$1" --node "$index"
    ports+=("$port")
    pids+=("$server_pid")
  done
}

# cpu_of_posts [ARGUMENT]...: the total answers of all servers, and their CPU time, with 64 connections each.
cpu_of_posts() {
  local index loads=()
  for index in "${!pids[@]}"; do
    port=${ports[$index]} server_pid=${pids[$index]} load "$work/nodes.requests" -c 64 -w 1 -s "$seconds" "$@" >"$work/nodes.$index.out" &
    loads+=($!)
  done
  for index in "${loads[@]}"; do wait "$index" || fail "posts to several servers failed"; done
  for index in "${!pids[@]}"; do cat "$work/nodes.$index.out"; done | awk -F '[:,]' '
    { rate += $6; cpu += $8 * $6 }
    END { printf "{\"per_second\":%.1f,\"cpu_ms_per_1000\":%.1f}\n", rate, cpu / rate }'
}
