# What the benchmarks share. Sourced by `run`, which sets $work (a directory of its own), $program, $rounds and $seconds.

key=benchmark-key
picture=$here/../Sources/MadangCore/Resources/default.png
server_pids=()

note() { echo "bench: $*" >&2; }
fail() { note "$*"; exit 1; }

# start_server DATA [FLAG]...: sets server_pid and port; several may run at once. The limit on calls per session is off: it is not what we measure.
start_server() {
  local data=$1 line
  shift
  mkdir -p "$data"
  MADANG_KEYS=$key=2024-10 MADANG_LIMITS_REQUESTS=0 MADANG_LOG_LEVEL=warning \
    env "${slower[@]}" "$program" serve --port 0 --data "$data" "$@" >"$work/stdout" 2>"$work/stderr" &
  server_pid=$!
  server_pids+=("$server_pid")
  for _ in $(seq 1500); do
    if line=$(grep -m 1 '^madang listening on' "$work/stdout"); then
      port=${line##*:}
      return 0
    fi
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.02
  done
  cat "$work/stderr" >&2
  fail "the server did not start"
}

# Stops all servers that run.
stop_server() {
  [ ${#server_pids[@]} -gt 0 ] || return 0
  kill "${server_pids[@]}" 2>/dev/null || true
  wait "${server_pids[@]}" 2>/dev/null || true
  server_pids=()
}

# call METHOD PATH TOKEN [CURL ARGUMENT]...: one request; the body of its answer.
call() {
  local method=$1 path=$2 token=$3
  shift 3
  curl -sS --fail-with-body --max-time 60 -X "$method" -H "SesacKey: $key" -H "Authorization: $token" "$@" \
    "http://127.0.0.1:$port/v1$path" || fail "$method $path was refused"
}

# field NAME: the value of a key in the JSON on standard input, the last one if it occurs more often.
field() { sed -E "s/.*\"$1\":\"?([^,\"}]*)\"?.*/\\1/"; }

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# people COUNT: signs them up. Sets the array tokens.
people() {
  local index token
  tokens=()
  for index in $(seq "$1"); do
    token=$(call POST /users/join '' -H 'Content-Type: application/json' \
      -d "{\"email\":\"p$index@example.org\",\"password\":\"Passw0rd!\",\"nickname\":\"p$index\"}" | field accessToken)
    tokens+=("$token")
  done
}

# workspace CHANNELS: one workspace of all people with that many channels, which all have joined. Sets workspace and channels.
workspace() {
  local index token channel
  workspace=$(call POST /workspaces "${tokens[0]}" -F name=bench -F description=bench -F "image=@$picture" | field workspace_id)
  for index in $(seq 2 ${#tokens[@]}); do
    call POST "/workspaces/$workspace/members" "${tokens[0]}" -d "email=p$index@example.org" >/dev/null
  done
  channels=()
  for index in $(seq "$1"); do
    channel=$(call POST "/workspaces/$workspace/channels" "${tokens[0]}" -F "name=room$index" | field channel_id)
    for token in "${tokens[@]}"; do
      call GET "/workspaces/$workspace/channels/$channel/chats" "$token" >/dev/null
    done
    channels+=("$channel")
  done
}

# post_requests FILE: a request line for every person in every channel, neighbours in different channels.
post_requests() {
  local person channel
  for person in "${tokens[@]}"; do
    for channel in "${channels[@]}"; do
      printf 'POST\t/v1/workspaces/%s/channels/%s/chats\t%s\t{"content":"See you at the courtyard at six."}\n' \
        "$workspace" "$channel" "$person"
    done
  done >"$1"
}

# load FILE [ARGUMENT]...: the load program on the present server.
load() {
  local file=$1
  shift
  "$work/load" -p "$port" -P "$server_pid" -k "$key" -r "$file" "$@"
}

# result NAME VALUE REFERENCE RATIO COMPARISON WANTED: one line of the outcome.
result() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$work/results"; }

# quotient A B: A / B with three significant digits or so.
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { q = a / b; printf (q >= 10 ? "%.1f" : "%.2f"), q }'; }
