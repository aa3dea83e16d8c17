# Benchmarks 1 and 2: durable chats over HTTP, against the same statements without a server.
# 64 keep-alive connections: 8 people in 8 channels of one workspace.

posts_sqlite() {
  note "posts on SQLite"
  start_server "$work/posts"
  people 8
  workspace 8
  post_requests "$work/posts.requests"
  stop_server
  cp "$work/posts/madang.sqlite" "$work/reference.sqlite"
  compile one-commit-per-row -lsqlite3
  start_server "$work/posts"
  measure_posts 'posts, SQLite' 4 "one commit per row" env "${slower[@]}" "$work/one-commit-per-row" "$work/reference.sqlite" "$seconds"
}

posts_postgres() {
  note "posts on PostgreSQL"
  local server=${MADANG_TEST_POSTGRES%/*}
  psql -q "$MADANG_TEST_POSTGRES" -c 'CREATE DATABASE posts'
  start_server "$work/posts-pg" --database-url "$server/posts"
  people 8
  workspace 8
  post_requests "$work/posts.requests"
  stop_server
  # pgbench computes only numbers, so the reference's ids are made from them.
  psql -q "$MADANG_TEST_POSTGRES" -c 'CREATE DATABASE reference TEMPLATE posts'
  psql -q "$server/reference" -c "UPDATE rooms SET uuid = 'room-' || id" -c "UPDATE workspaces SET uuid = 'workspace-' || id"
  start_server "$work/posts-pg" --database-url "$server/posts"
  measure_posts 'posts, PostgreSQL' 2 "pgbench, 8 connections" pgbench_posts "$server/reference"
}

pgbench_posts() {
  local output
  output=$(pgbench -n -M prepared -c 8 -j 2 -T "$seconds" -f "$here/post.pgbench" "$1" 2>"$work/pgbench.log") || {
    cat "$work/pgbench.log" >&2
    return 1
  }
  sed -n 's/^tps = \([0-9.]*\) .*/{"per_second":\1}/p' <<<"$output"
}

# measure_posts NAME WANTED REFERENCE COMMAND...: alternating rounds of the server and the reference.
measure_posts() {
  local name=$1 wanted=$2 reference=$3 round ours theirs
  shift 3
  : >"$work/ours"
  : >"$work/theirs"
  for round in $(seq "$rounds"); do
    ours=$(load "$work/posts.requests" -c 64 -w 1 -s "$seconds") || fail "$name: calls failed: $ours"
    theirs=$("$@")
    note "$name round $round: $ours, $reference: $theirs"
    echo "$ours" >>"$work/ours"
    echo "$theirs" >>"$work/theirs"
  done
  stop_server
  ours=$(field per_second <"$work/ours" | median)
  theirs=$(field per_second <"$work/theirs" | median)
  result "$name: chats/s" "$ours" "$reference: $theirs" "$(quotient "$ours" "$theirs")" '>=' "$wanted"
  result "$name: server CPU ms per 1,000" "$(field cpu_ms_per_1000 <"$work/ours" | median)" - - - -
  result "$name: p50 and p99 ms" "$(field p50_us <"$work/ours" | median | awk '{ print $1 / 1000 }')" \
    "$(field p99_us <"$work/ours" | median | awk '{ print $1 / 1000 }')" - - -
}
