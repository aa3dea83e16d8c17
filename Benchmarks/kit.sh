# The cost of the kit for testing clients: worlds, resets, memory, and a post on a server that has the kit.

kit() {
  local runs=20 round world
  note "kit"
  start_dev
  start_server "$work/kit" --dev
  for round in $(seq "$runs"); do
    develop POST worlds '{"seed":"courtyard"}' >"$work/world"
    # The first world is built from the seed; the others are copies of its initial state.
    [ "$round" = 1 ] || cat "$work/seconds" >>"$work/worlds"
  done
  world=$(field id <"$work/world")
  resets "$world" courtyard
  develop POST worlds '{"seed":"crowded"}' >"$work/world"
  result "kit: ms to make 'crowded'" "$(milliseconds)" - - '<=' 2000
  resets "$(field id <"$work/world")" crowded
  stop_server
  result "kit: ms for a new world, median of $((runs - 1))" "$(median_ms "$work/worlds")" - - '<=' 20
  result "kit: ms for a reset of 'courtyard'" "$(median_ms "$work/resets.courtyard")" - - '<=' 10
  result "kit: ms for a reset of 'crowded'" "$(median_ms "$work/resets.crowded")" - - '<=' 50
  many_worlds
  kit_posts
}

# resets WORLD SEED: posts a chat before each reset, so that there is something to undo.
resets() {
  local round
  for round in $(seq "$runs"); do
    develop POST "worlds/$1/reset" '{}' >/dev/null
    cat "$work/seconds" >>"$work/resets.$2"
  done
}

# develop METHOD PATH BODY: makes a development call; prints the answer and writes its time to the file `seconds`.
develop() {
  curl -sS --fail-with-body --max-time 60 -X "$1" -o "$work/answer" -w '%{time_total}\n' -d "$3" \
    "http://127.0.0.1:$port/_dev/$2" >"$work/seconds" || fail "$1 /_dev/$2 was refused: $(cat "$work/answer")"
  cat "$work/answer"
}

milliseconds() { awk '{ printf "%.1f\n", $1 * 1000 }' "${1:-$work/seconds}"; }
median_ms() { milliseconds "$1" | median; }

# In development mode, with an existing database.
start_dev() {
  start_server "$work/kit-start" --dev
  stop_server
  result "kit: ms to start 'serve --dev', median of 10" "$(starts "$work/kit-start" --dev | median)" - - '<=' 60
}

# The memory of 200 worlds at once, including the server itself. Each world has answered a sign-in and a list of workspaces.
many_worlds() {
  local index url token
  start_server "$work/kit-worlds" --dev
  for index in $(seq 200); do
    develop POST worlds '{"seed":"courtyard"}' >"$work/world"
    url=$(field url <"$work/world")
    token=$(curl -sS --max-time 60 -H 'SesacKey: dev-key-2024-10' -d 'email=mina@example.com&password=Passw0rd!' "$url/v1/users/login" |
      field accessToken)
    curl -sS --fail --max-time 60 -o "$work/answer" -H 'SesacKey: dev-key-2024-10' -H "Authorization: $token" "$url/v1/workspaces" ||
      fail "world $index does not answer"
  done
  result "kit: MiB of a server with 200 worlds" "$(($(resident VmRSS) / 1024))" - - '<=' 600
  stop_server
}

# The CPU time of a post in development mode with and without the kit. Two servers of each kind run at the same time and rate, so that other
# load on the machine slows both kinds alike. The ratio compares the sums of all rounds. Two processes of the same program differ by as much
# as the kit costs for as long as they live, so there are six sets of servers. Two copies of the program differ too, because each is in
# other pages of memory, which its processes share; so each set has its own copy.
kit_posts() {
  local number
  for number in 1 2 3 4 5 6; do
    kit_set "$number"
    note "posts, sets of processes so far: $number, with the kit $(kit_ratio) times the CPU"
  done
  result "kit: CPU ms per 1,000 posts" "$(median <"$work/cpu.kit")" "without it: $(median <"$work/cpu.plain")" "$(kit_ratio)" '<=' 1.03
}

kit_ratio() { paste "$work/cpu.kit" "$work/cpu.plain" | awk '{ kit += $1; plain += $2 } END { printf "%.3f\n", kit / plain }'; }

# kit_set NUMBER
kit_set() {
  local kind kinds=(plain1 kit1 kit2 plain2) original=$program program=$work/program
  declare -A ports pids
  cp "$original" "$program"
  for kind in "${kinds[@]}"; do
    if [[ $kind = plain* ]]; then
      MADANG_DEV_KIT=false start_server "$work/posts-$1-$kind" --dev
    else
      start_server "$work/posts-$1-$kind" --dev
    fi
    people 8
    workspace 8
    post_requests "$work/$kind.requests"
    ports[$kind]=$port pids[$kind]=$server_pid
  done
  kit_rounds
  stop_server
  rm "$program"
}

kit_rounds() {
  local round kind loads one rate=300
  for round in $(seq 0 "$rounds"); do
    loads=()
    for kind in "${kinds[@]}"; do
      port=${ports[$kind]} server_pid=${pids[$kind]}
      load "$work/$kind.requests" -c 16 -w 0.5 -s "$seconds" -R "$rate" >"$work/round.$kind" &
      loads+=($!)
    done
    for one in "${loads[@]}"; do wait "$one" || fail "calls failed"; done
    # A server that did not keep up makes the comparison meaningless.
    for kind in "${kinds[@]}"; do
      field calls <"$work/round.$kind" | awk -v rate="$rate" -v seconds="$seconds" '{ exit $1 + 0 < 0.95 * rate * seconds }' ||
        fail "$kind answered $(field calls <"$work/round.$kind") calls in $seconds s, of $rate a second; is the machine busy?"
    done
    # The first round is a warm-up.
    [ "$round" != 0 ] || continue
    for kind in plain kit; do
      cat "$work/round.$kind"[12] | field cpu_ms_per_1000 | awk '{ sum += $1 } END { print sum / NR }' >>"$work/cpu.$kind"
    done
  done
}

# Posts while a browser shows the developer's console. The page's own work is another process's, on the same cores.
console() {
  local browser round kind
  browser=$(command -v chromium chromium-headless-shell | head -n 1) || fail "needs a Chromium"
  start_server "$work/console" --dev
  people 8
  workspace 8
  post_requests "$work/console.requests"
  for round in $(seq 0 "$rounds"); do
    for kind in alone watched; do
      [ "$kind" = alone ] || look
      load "$work/console.requests" -c 16 -w 1 -s "$seconds" >"$work/round.$kind" || fail "calls failed"
      [ "$kind" = alone ] || look_away
      # The first round is a warm-up.
      [ "$round" = 0 ] || cat "$work/round.$kind" >>"$work/console.$kind"
    done
  done
  stop_server
  local field words
  for field in per_second cpu_ms_per_1000; do
    [ "$field" = per_second ] && words='chats/s' || words='server CPU ms per 1,000'
    local alone watched
    alone=$(middle "$field" "$work/console.alone") watched=$(middle "$field" "$work/console.watched")
    if [ "$field" = per_second ]; then
      result "console open: $words" "$watched" "alone: $alone" "$(quotient "$watched" "$alone")" '>=' 0.9
    else
      result "console open: $words" "$watched" "alone: $alone" "$(quotient "$watched" "$alone")" '<=' 1.1
    fi
  done
}

# Opens the console in a browser, and waits until it follows the journal.
look() {
  setsid "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --remote-debugging-port=0 \
    "http://127.0.0.1:$port/_dev/" >/dev/null 2>"$work/chromium.log" &
  browser_pid=$!
  sleep 4
}

look_away() {
  kill -- "-$browser_pid" 2>/dev/null || true
  wait "$browser_pid" 2>/dev/null || true
}
