# The cost of every operation with 1,000,000 accounts against 1,000, and how long a post waits meanwhile. Benchmarks/scale.py makes both
# installations, measures and removes them. --people sets another size; each operation is measured twice as often as --rounds says.

scale_sqlite() { measure_scale SQLite; }

scale_postgres() { measure_scale PostgreSQL --postgres "$MADANG_TEST_POSTGRES"; }

# measure_scale ENGINE [ARGUMENT]...
measure_scale() {
  local engine=$1 outcome=$work/scale.$1 name small large ratio wait remark wanted
  shift
  # Status 1 means that a result is not as wanted; the lines of the outcome say which.
  "$here/scale.py" --program "$program" --people "$people" --rounds $((2 * rounds)) "$@" >"$outcome" || [ $? = 1 ] || fail "scale failed"
  column -t -s $'\t' "$outcome" >&2
  tail -n +2 "$outcome" | while IFS=$'\t' read -r name small large ratio _ _ _ wait remark; do
    wanted=('<=' 2)
    # A remark explains why the cost may grow.
    [[ $remark != *' '* ]] || wanted=(- -)
    result "$engine, $people accounts, $name: CPU ms" "$large" "1,000 accounts: $small" "$ratio" "${wanted[@]}"
    result "$engine, $people accounts, $name: longest wait of a post, ms" "$wait" - - '<=' 50
  done
}
