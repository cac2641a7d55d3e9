# The keeper of a sandbox: lives on this machine, where no sandbox can reach it, waits as long as somebody holds the
# lease, then ends the sandbox. Needs lease.sh before it. Prints its process number once the lease can be held.
#
#   bash -c "$(lease; keeper)" sandbook LEASE [first=SECONDS] [grace=SECONDS] [life=SECONDS] [group=FOLDER...]
#                                       [last=WORD...] [folder=FOLDER] [sweep=ID] [at=end] -- [PROGRAM...]
#
# PROGRAM is the sandbox, and starts in the control groups named; its end is the keeper's, and the groups are removed.
# If it was the keeper that ended it, the command of the words of `last` is run. With `at=end`, PROGRAM ends the sandbox
# instead. Both get the input of the keeper. Where there is nothing around a sandbox, `folder` is made for its
# shells, and `sweep` kills every process marked with ID.
lease=$1 first=30 grace=6 life=0 folder= sweep= at=start over=
groups=() last=()
while shift && [ "$1" != -- ]; do
  case $1 in group=*) groups+=("${1#group=}") ;; last=*) last+=("${1#last=}") ;; *) declare "$1" ;; esac
done
shift

run_in_groups() {
  local group
  exec 3>&- # what a sandbox has open itself, it would hold for ever
  for group in "${groups[@]}"; do echo "$BASHPID" >"$group/cgroup.procs" || exit 1; done
  exec "$@"
}

# Who reads from the program must not wait for us: only the program keeps the descriptors that were passed on.
close_others() {
  local descriptor
  for descriptor in /proc/"$BASHPID"/fd/*; do
    descriptor=${descriptor##*/}
    [ "$descriptor" -le 3 ] || eval "exec $descriptor>&-"
  done 2>/dev/null
}

remove_groups() {
  local attempt
  for attempt in {1..50}; do
    rmdir "${groups[@]}" && return
    sleep 0.1
  done
}

# Kills every process with our mark, until none is found twice: one may be on its way from one program to the next.
sweep() {
  local clean=0 file round
  for round in {1..100}; do
    [ "$clean" -lt 2 ] || break
    clean=$((clean + 1))
    while read -r file; do
      clean=0
      file=${file#/proc/}
      kill -KILL "${file%/environ}"
    done < <(grep -lzsFx "SANDBOOK_SANDBOX=$sweep" /proc/[0-9]*/environ)
    sleep 0.03
  done
}

keep_program() {
  local child keeper
  run_in_groups "$@" </dev/null &
  child=$!
  exec 2>/dev/null
  close_others
  # Its child, too: a program inside may have made that one live on without its parent.
  {
    keep_while_held "$lease"
    trap '' TERM
    kill -KILL $(<"/proc/$child/task/$child/children") "$child"
    exit 0
  } &
  keeper=$!
  exec 3>&-
  wait "$child"
  kill "$keeper"
  [ ${#groups[@]} = 0 ] || remove_groups
  rm -f "$lease"
  if [ ${#last[@]} != 0 ] && wait "$keeper"; then exec "${last[@]}"; fi
}

# Nothing of the sandbox may live on: not a program in the background, not a file in memory.
keep_marked() {
  exec 2>/dev/null
  trap end_marked TERM
  keep_while_held "$lease"
  end_marked
}

end_marked() {
  trap '' TERM
  sweep
  rm -rf "$folder" "$lease"
  exit 0
}

keep_for_others() {
  keep_while_held "$lease"
  rm -f "$lease"
  [ -n "$over" ] || exec "$@"
}

umask 077
rm -f "$lease"
mkfifo "$lease" || exit 1
if [ -n "$folder" ]; then
  rm -rf "$folder"
  mkdir "$folder" "$folder/root" "$folder/user" || exit 1 # somebody else's would not do
fi
exec 3<>"$lease"
{
  trap '' HUP INT
  if [ "$at" = end ]; then
    close_others
    keep_for_others "$@"
  elif [ -n "$sweep" ]; then
    close_others
    keep_marked
  else
    keep_program "$@"
  fi
} <&0 >/dev/null &
echo $!
