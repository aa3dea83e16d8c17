# The cost of a chat to 1,000 sockets of one server, one chat at a time, against a server that only calls send() once per socket. Also: what
# that server would save by passing all sends to the kernel at once (io_uring), and the cost of a chat when eight are in progress, so that a
# socket has several waiting chats for one send().

broadcast() {
  local round cost way
  compile fanout
  compile floor
  start_server "$work/broadcast"
  people 1
  workspace 1
  rooms_file >"$work/broadcast.rooms"
  for way in send uring; do
    start_peer "$work/floor" 0 $way
    local "${way}_pid=$peer_pid" "${way}_port=$peer_port"
  done
  for round in $(seq "$rounds"); do
    broadcast_round madang "$port" "$server_pid"
    broadcast_round eight "$port" "$server_pid" -w 8
    broadcast_round send "$send_port" "$send_pid"
    broadcast_round uring "$uring_port" "$uring_pid"
  done
  stop_server
  for way in madang eight send uring; do figure "cpu_us_per_delivery $way" "$(middle cpu_ms_per_1000 "$work/broadcast.$way")"; done
  cost=$(middle cpu_ms_per_1000 "$work/broadcast.send")
  result 'chat to 1,000 sockets: CPU us for each' "$(middle cpu_ms_per_1000 "$work/broadcast.madang")" "one send() each: $cost" \
    "$(quotient "$(middle cpu_ms_per_1000 "$work/broadcast.madang")" "$cost")" '<=' 1.15
  result 'chat to 1,000 sockets, eight under way: CPU us for each' "$(middle cpu_ms_per_1000 "$work/broadcast.eight")" "one send() each: $cost" \
    "$(quotient "$(middle cpu_ms_per_1000 "$work/broadcast.eight")" "$cost")" - -
  result 'the floor with io_uring: CPU us for each' "$(middle cpu_ms_per_1000 "$work/broadcast.uring")" "one send() each: $cost" \
    "$(quotient "$(middle cpu_ms_per_1000 "$work/broadcast.uring")" "$cost")" - -
}

# broadcast_round NAME PORT PID [ARGUMENT]...
broadcast_round() {
  local cost
  cost=$("$work/fanout" -a "$2" -P "$3" -k "$key" -r "$work/broadcast.rooms" -c 1000 -w 1 -u 0.5 -s "$seconds" "${@:4}") || fail "$1: a broadcast failed"
  note "round $round, $1: $cost"
  echo "$cost" >>"$work/broadcast.$1"
}
