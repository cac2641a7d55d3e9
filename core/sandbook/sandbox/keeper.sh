# The first process of a sandbox: lives as long as somebody holds the lease, then ends, and the sandbox with it.
#
#   bash -c "$(keeper)" sandbook DIR [first=SECONDS] [grace=SECONDS] [life=SECONDS] [uid=N gid=N] [sweep=ID]
#
# The lease is a FIFO in DIR. Whoever has it open for writing holds the sandbox, so a holder that dies lets go by
# dying, whatever killed it. A holder writes a line when it comes; a line `grace N` says how long to wait for the
# next one once nobody is left. `life` ends the sandbox at that age, held or not; 0 is for ever. `uid` and `gid` get a
# name and a home. `sweep` is for a keeper whose end ends nobody else: it kills every process marked with ID.
dir=$1 first=30 grace=6 life=0 uid=0 gid=0 sweep=
for pair in "${@:2}"; do declare "$pair"; done

# git, ssh and others want the user to have a name and a home. Where /etc is read-only, they must do without.
name_user() {
  local number
  while IFS=: read -r _ _ number _; do [ "$number" != "$uid" ] || return 0; done </etc/passwd
  mkdir -p "/home/user-$uid" && chown "$uid:$gid" "/home/user-$uid" || return 0
  echo "user-$uid:x:$uid:$gid::/home/user-$uid:/bin/bash" >>/etc/passwd
  echo "user-$uid:x:$gid:" >>/etc/group
}

# Reads a line into `word`; fails at the end of the file, after a time given, or when the life is over.
next_word() {
  local wait=${2-} left=
  [ "$life" = 0 ] || left=$((life - SECONDS))
  if [ -n "$left" ]; then
    [ "$left" -gt 0 ] || return
    [ -n "$wait" ] && [ "$wait" -lt "$left" ] || wait=$left
  fi
  read -r ${wait:+-t "$wait"} -u "$1" word
}

# Kills every process with our mark, again and again: one may be on its way from one program to the next.
sweep() {
  local round file
  for round in 1 2 3; do
    for file in /proc/[0-9]*/environ; do
      if grep -qzsFx "SANDBOOK_SANDBOX=$sweep" "$file"; then
        file=${file#/proc/}
        kill -KILL "${file%/environ}"
      fi
    done
    sleep 0.1
  done 2>/dev/null
}

# Nothing of the sandbox may live on: not a program in the background, not a file in memory.
end() {
  trap '' TERM
  [ -z "$sweep" ] || sweep
  rm -rf "$dir"
  exit 0
}

trap '' HUP INT
trap end TERM
[ "$uid" = 0 ] || name_user 2>/dev/null
mkdir -p "$dir" && chmod 1777 "$dir" && mkfifo -m 666 "$dir/lease" || exit 1
wait=$first
while :; do
  exec 3<>"$dir/lease" # open both ways, so that waiting for a holder can time out
  next_word 3 "$wait" || break
  exec 4<"$dir/lease" 3>&-
  while
    case $word in 'grace '*) grace=${word#grace } ;; esac
    next_word 4
  do :; done # ends when the last holder has closed the lease
  exec 4<&-
  [ "$life" = 0 ] || [ "$SECONDS" -lt "$life" ] || break
  wait=$grace
done
end
