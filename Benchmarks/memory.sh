# Benchmark 4: how much 10 MiB uploads and downloads raise the server's peak memory, several in a row, and 20 clients that each send five
# files of 7 MiB at once.

memory() {
  local round rounds=8 url grown worst token target path
  note "memory"
  start_server "$work/memory"
  people 1
  workspace 1
  token=${tokens[0]}
  target="/workspaces/$workspace/channels/${channels[0]}/chats"
  # The server recognises files by their first bytes.
  head -c 8 "$picture" | tee "$work/small.png" >"$work/ten.png"
  head -c 1000 /dev/urandom >>"$work/small.png"
  head -c $(((10 << 20) - 8)) /dev/urandom >>"$work/ten.png"
  # Initialisation at the first call of each kind is not counted.
  for round in 1 2 3 4; do
    path=$(upload small)
    download "$path" small
  done
  for round in $(seq "$rounds"); do
    grown=$(peak_growth upload ten)
    path=$(cat "$work/path")
    note "upload $round: peak +$grown kB, resident $(resident VmRSS) kB"
    echo "$grown" >>"$work/uploads"
  done
  for round in $(seq "$rounds"); do
    grown=$(peak_growth download "$path" ten)
    note "download $round: peak +$grown kB, resident $(resident VmRSS) kB"
    echo "$grown" >>"$work/downloads"
  done
  head -c 8 "$picture" >"$work/seven.png"
  head -c $(((7 << 20) - 8)) /dev/urandom >>"$work/seven.png"
  for round in 1 2 3; do
    grown=$(peak_growth crowd)
    note "20 clients with 5 x 7 MiB, round $round: peak +$grown kB, resident $(resident VmRSS) kB"
    echo "$grown" >>"$work/crowds"
  done
  stop_server
  result "20 clients with 5 x 7 MiB: peak kB" "$(sort -n "$work/crowds" | tail -n 1)" "worst of 3" - '<=' 65536
  for round in upload download; do
    worst=$(sort -n "$work/${round}s" | tail -n 1)
    result "10 MiB $round: peak kB, median" "$(median <"$work/${round}s")" "worst of $rounds: $worst" - '<=' 2048
  done
}

# upload FILE: posts it and prints the path it got.
upload() {
  call POST "$target" "$token" -F content= -F "files=@$work/$1.png;type=image/png" |
    sed -E 's/.*"files":\["([^"]*)".*/\1/' | tee "$work/path"
}

# crowd: 20 clients at once, each sending a chat with five files. All must be accepted.
crowd() {
  local client senders=()
  for client in $(seq 20); do
    call POST "$target" "$token" --max-time 600 -F content= -F "files=@$work/seven.png;type=image/png" \
      -F "files=@$work/seven.png;type=image/png" -F "files=@$work/seven.png;type=image/png" \
      -F "files=@$work/seven.png;type=image/png" -F "files=@$work/seven.png;type=image/png" &
    senders+=($!)
  done
  for client in "${senders[@]}"; do wait "$client" || fail "an upload of the crowd was refused"; done
}

# download PATH FILE: fetches it and compares.
download() { call GET "$1" "$token" -o "$work/fetched" && cmp "$work/fetched" "$work/$2.png"; }

resident() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$server_pid/status"; }

# peak_growth COMMAND...: how far the peak during the command exceeds the resident memory before it, in kB.
peak_growth() {
  local before
  # Resets the peak to the current resident memory.
  echo 5 >"/proc/$server_pid/clear_refs"
  before=$(resident VmRSS)
  "$@" >/dev/null
  echo $(($(resident VmHWM) - before))
}
