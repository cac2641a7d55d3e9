# Starts a program in the background and prints a process number.
#
#   bash -c "$(launch)" sandbook COUNT GROUP... PROGRAM...
#
# With control groups, the number is that of a shell that waits for the program and then removes its groups: nobody
# else may be left to do it.
groups=("${@:2:$1}")
shift $(($1 + 1))

in_groups() {
  for group in "${groups[@]}"; do echo "$BASHPID" >"$group/cgroup.procs" || exit 1; done
  exec "$@"
}

# Who reads from the program must not wait for us: only the program keeps the descriptors that were passed on.
close_others() {
  local descriptor
  for descriptor in /proc/"$BASHPID"/fd/*; do
    descriptor=${descriptor##*/}
    [ "$descriptor" -le 2 ] || eval "exec $descriptor>&-"
  done 2>/dev/null
}

remove_groups() {
  local attempt
  for attempt in {1..50}; do
    rmdir "${groups[@]}" 2>/dev/null && return
    sleep 0.1
  done
}

if [ ${#groups[@]} = 0 ]; then
  "$@" >/dev/null &
else
  {
    in_groups "$@" &
    close_others
    wait
    remove_groups
  } >/dev/null &
fi
echo $!
