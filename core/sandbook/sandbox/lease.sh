# The lease of a sandbox is a FIFO. Whoever has it open for writing holds the sandbox, so a holder that dies lets go by
# dying, whatever killed it. A holder writes a line when it comes. A line `grace N` says how long to wait for the next
# holder once nobody is left, this time, and `over` that there is nothing left to keep.

# Waits until nobody holds the lease any more: `first` seconds for the first holder, `grace` for the next one. `life`
# ends it at that age, held or not; 0 is for ever.
keep_while_held() { # LEASE
  local wait=$first next=$grace word
  [ -p /dev/fd/3 ] || exec 3<>"$1" # open both ways, so that waiting for a holder can time out
  while next_word 3 "$wait"; do
    exec 4<"$1" 3>&-
    while
      case $word in
        'grace '*) next=${word#grace } ;;
        over) over=yes && return ;;
      esac
      next_word 4
    do :; done # ends when the last holder has closed the lease
    exec 3<>"$1" 4<&-
    [ "$life" = 0 ] || [ "$SECONDS" -lt "$life" ] || break
    wait=$next next=$grace
  done
}

# Reads a line into `word`; fails at the end of the file, after a time given, or when the life is over.
next_word() { # DESCRIPTOR [SECONDS]
  local wait=${2-} left=
  [ "$life" = 0 ] || left=$((life - SECONDS))
  if [ -n "$left" ]; then
    [ "$left" -gt 0 ] || return
    [ -n "$wait" ] && [ "$wait" -lt "$left" ] || wait=$left
  fi
  read -r ${wait:+-t "$wait"} -u "$1" word
}
