# Functions that the benchmarks share. Sourced by `run`, which sets $work (a directory of its own), $program, $rounds, $seconds and
# $benchmark.

key=benchmark-key
picture=$here/../Sources/MadangCore/Resources/default.png
server_pids=()

note() { echo "bench: $*" >&2; }
fail() { note "$*"; exit 1; }

# compile NAME [FLAG]...: compiles a program of this directory into $work.
compile() {
  local name=$1
  shift
  [ -x "$work/$name" ] || gcc -O2 -Wall -Wextra -o "$work/$name" "$here/$name.c" "$@"
}

# start_server DATA [FLAG]...: sets server_pid and port; several servers may run at once. Limits on calls and connects are off, because they
# are not measured. AT=PORT in front chooses the port.
start_server() {
  local data=$1 line
  shift
  mkdir -p "$data"
  # The output of an earlier server must not be read.
  : >"$work/stdout"
  MADANG_KEYS=$key=2024-10 MADANG_LIMITS_REQUESTS=0 MADANG_LIMITS_CONNECTS=0 MADANG_LOG_LEVEL=warning \
    env "${slower[@]}" "$program" serve --port "${AT:-0}" --data "$data" "$@" >"$work/stdout" 2>"$work/stderr" &
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

# start_peer COMMAND...: starts a server whose first output line contains its port. Sets peer_pid and peer_port.
start_peer() {
  : >"$work/peer.out"
  "$@" >"$work/peer.out" 2>"$work/peer.err" &
  peer_pid=$!
  server_pids+=("$peer_pid")
  for _ in $(seq 500); do
    if peer_port=$(grep -m 1 -oE '[0-9]+$' "$work/peer.out"); then return 0; fi
    kill -0 "$peer_pid" 2>/dev/null || break
    sleep 0.02
  done
  cat "$work/peer.err" >&2
  fail "$1 did not start"
}

# Stops all running servers.
stop_server() {
  [ ${#server_pids[@]} -gt 0 ] || return 0
  kill "${server_pids[@]}" 2>/dev/null || true
  # Kills a server that does not stop.
  for _ in $(seq 100); do
    kill -0 "${server_pids[@]}" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "${server_pids[@]}" 2>/dev/null || true
  wait "${server_pids[@]}" 2>/dev/null || true
  server_pids=()
}

# call METHOD PATH TOKEN [CURL ARGUMENT]...: makes one request and prints the body of the answer.
call() {
  local method=$1 path=$2 token=$3
  shift 3
  curl -sS --fail-with-body --max-time 60 -X "$method" -H "SesacKey: $key" -H "Authorization: $token" "$@" \
    "http://127.0.0.1:$port/v1$path" || fail "$method $path was refused"
}

# field NAME: the value of a key in the JSON on standard input, the last one if the key occurs more than once.
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

# workspace CHANNELS: makes one workspace with this many channels, which all people have joined. Sets workspace and channels.
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

# post_requests FILE: writes a request line for every person in every channel; successive lines are for different channels.
post_requests() {
  local person channel
  for person in "${tokens[@]}"; do
    for channel in "${channels[@]}"; do
      printf 'POST\t/v1/workspaces/%s/channels/%s/chats\t%s\t{"content":"See you at the courtyard at six."}\n' \
        "$workspace" "$channel" "$person"
    done
  done >"$1"
}

# rooms_file: the channels in the format of `fanout`, with people taking turns.
rooms_file() {
  local index path
  for index in "${!channels[@]}"; do
    path=/v1/workspaces/$workspace/channels/${channels[$index]}/chats
    printf '%s\t%s\t/ws-channel-%s\t%s\n' "${tokens[index % ${#tokens[@]}]}" "$path" "${channels[$index]}" "$path${1:-}"
  done
}

# load FILE [ARGUMENT]...: runs the load program on the current server.
load() {
  local file=$1
  shift
  "$work/load" -p "$port" -P "$server_pid" -k "$key" -r "$file" "$@"
}

# result NAME VALUE REFERENCE RATIO COMPARISON WANTED: one line of the outcome.
result() { printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$benchmark" "$@" >>"$work/results"; }

# figure NAME VALUE: a number for the plots.
figure() { printf '%s\t%s\t%s\n' "$benchmark" "$@" >>"$work/figures"; }

# middle FIELD FILE: the median of a field over all rounds in a file.
middle() { field "$1" <"$2" | median; }

# milli MICROSECONDS: in milliseconds.
milli() { awk -v us="$1" 'BEGIN { printf "%.2f", us / 1000 }'; }

# quotient A B: A / B, with more digits than goals have.
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { q = a / b; printf (q >= 10 ? "%.1f" : "%.4f"), q }'; }
