# 100 people sign in at once, each from an address of their own: the delay of other posts, and the time until all are in.

sign_ins() {
  local round quiet busy took hashing posting threads crowd=100
  compile hash -largon2 -lpthread
  start_server "$work/sign-ins"
  people 8
  workspace 8
  post_requests "$work/sign-ins.requests"
  threads=$(cat "/proc/$server_pid/task/"*/comm 2>/dev/null | grep -c '^hashing-') || [ "${threads:-0}" -gt 0 ] || fail "no thread hashes"
  seq "$crowd" | awk '{ printf "POST\t/v1/users/login\t\t{\"email\":\"p%d@example.org\",\"password\":\"Passw0rd!\"}\n", 1 + $1 % 8 }' \
    >"$work/sign-ins.crowd"
  for round in $(seq "$rounds"); do
    # The time of the sign-ins on an idle server decides how long posts are measured during the sign-ins.
    took=$(sign_in_crowd)
    quiet=$(load "$work/sign-ins.requests" -c 16 -R 100 -w 0.5 -s "$took") || fail "posts failed"
    load "$work/sign-ins.requests" -c 16 -R 100 -w 0.5 -s "$took" >"$work/sign-ins.busy" &
    posting=$!
    sleep 0.5
    took=$(sign_in_crowd)
    wait $posting || fail "posts failed while people signed in"
    busy=$(cat "$work/sign-ins.busy")
    hashing=$("$work/hash" "$crowd" "$threads" 19456 2)
    note "round $round: quiet $quiet, while $crowd sign in $busy, all in after $took s, hashing alone $hashing"
    field p99_us <<<"$quiet" >>"$work/sign-ins.quiet"
    field p99_us <<<"$busy" >>"$work/sign-ins.p99"
    echo "$took" >>"$work/sign-ins.took"
    field seconds <<<"$hashing" >>"$work/sign-ins.hashing"
  done
  stop_server
  quiet=$(milli "$(median <"$work/sign-ins.quiet")") busy=$(milli "$(median <"$work/sign-ins.p99")")
  took=$(median <"$work/sign-ins.took") hashing=$(median <"$work/sign-ins.hashing")
  result "$crowd sign-ins at once: p99 ms of others' posts" "$busy" "quiet: $quiet" "$(quotient "$busy" "$quiet")" '<=' 1.2
  result "$crowd sign-ins at once, posts beside: s until all are in" "$took" "hashing alone, threads as here: $hashing" \
    "$(quotient "$took" "$hashing")" '<=' 1.2
}

# Prints the seconds until all are in.
sign_in_crowd() { load "$work/sign-ins.crowd" -c "$crowd" -A "$crowd" -w 0 -s 60 -n "$crowd" | field seconds; }
