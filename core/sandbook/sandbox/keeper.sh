# The first process of a sandbox: lives as long as somebody holds the lease, then ends, and the sandbox with it.
#
#   bash -c "$(keeper)" sandbook DIR [first=SECONDS] [grace=SECONDS] [life=SECONDS] [uid=N gid=N] [name=NAME]
#                                    [sudo=yes] [own=FOLDER] [apt=yes] [sweep=ID] [ready=DESCRIPTOR]
#
# DIR is only the keeper's own to write to; below it are folders for the shells of root and of the user, 0700 each, so
# that the user cannot be there first when root's shell starts.
#
# The lease is a FIFO in DIR. Whoever has it open for writing holds the sandbox, so a holder that dies lets go by
# dying, whatever killed it. A holder writes a line when it comes; a line `grace N` says how long to wait for the
# next one once nobody is left. `life` ends the sandbox at that age, held or not; 0 is for ever. `uid` and `gid` get a
# name and a home, that of `name` if there is one; with `sudo`, they may become root; `own` is a folder that becomes
# theirs, with all that is in it. With `apt`, packages are installed without the bits that the sandbox refuses. `sweep`
# is for a keeper whose end ends nobody else: it kills every process marked with ID. `ready` is closed once others may
# come in.
dir=$1 first=30 grace=6 life=0 uid=0 gid=0 name= sudo= own= apt= sweep= ready=
for pair in "${@:2}"; do declare "$pair"; done

# git, ssh and others want the user to have a name and a home. Where /etc is read-only, they must do without.
name_user() {
  local number
  [ -n "$name" ] || while IFS=: read -r _ _ number _; do [ "$number" != "$uid" ] || return 0; done </etc/passwd
  name=${name:-user-$uid}
  mkdir -p "/home/$name" && chown "$uid:$gid" "/home/$name" || return 0
  enlist /etc/passwd "$name" "$uid" "$name:*:$uid:$gid::/home/$name:/bin/bash"
  [ "$gid" -lt 1000 ] || enlist /etc/group "$name" "$gid" "$name:x:$gid:" # lower ones mean something to the system
}

# Puts a line into a list in place of all that have its name or its number, whoever those were.
enlist() { # LIST NAME NUMBER LINE
  local line number others=()
  while IFS= read -r line; do
    number=${line#*:*:}
    [ "${line%%:*}" = "$2" ] || [ "${number%%:*}" = "$3" ] || others+=("$line")
  done <"$1"
  printf '%s\n' "${others[@]}" "$4" >"$1.new" && mv "$1.new" "$1" # whole at any moment: others read it
}

# There is nobody to log to, and without a network our own name may be unknown: sudo would say so each time.
allow_sudo() {
  [ -d /etc/sudoers.d ] || return 0
  grep -qw "$HOSTNAME" /etc/hosts || echo "127.0.0.1 $HOSTNAME" >>/etc/hosts
  rm -f /etc/sudoers.d/sandbook
  (umask 0337 && printf '%s\n' 'Defaults !log_allowed, !log_denied' "$name ALL=(ALL:ALL) NOPASSWD: ALL" \
    >/etc/sudoers.d/sandbook)
}

# The system-call filter refuses set-user-ID and set-group-ID bits, and dpkg gives up at the first file that has one.
# So before apt hands packages to dpkg, each such file in them is listed with a mode that is allowed; and the scripts of
# packages find programs that leave these bits out.
prepare_apt() {
  local folder=/etc/apt/sandbook name
  [ -d /etc/apt/apt.conf.d ] && mkdir -p "$folder/bin" || return 0
  cat >"$folder/without-set-id" <<'SH'
#!/bin/sh
while read -r package; do dpkg-deb --fsys-tarfile "$package" | tar -tvf -; done | awk '
  substr($1, 4, 1) ~ /[sS]/ || substr($1, 7, 1) ~ /[sS]/ {
    mode = 0
    for (i = 0; i < 9; i++) if (substr($1, i + 2, 1) ~ /[rwxst]/) mode += 2 ^ (8 - i)
    sub(/^\./, "", $6)
    sub(/\/$/, "", $6)
    printf "%04o %s\n", mode, $6
  }' | while read -r mode path; do
  dpkg-statoverride --list "$path" || dpkg-statoverride --add root root "$mode" "$path"
done >/dev/null
SH
  cat >"$folder/bin/chmod" <<'SH'
#!/bin/sh
for word; do
  shift
  case $word in
    [2-7][0-7][0-7][0-7] | 0[2-7][0-7][0-7][0-7]) word=0${word#"${word%???}"} ;;
    [ugoa]*[+=]s) exit 0 ;;
  esac
  set -- "$@" "$word"
done
PATH=${PATH#*:}
exec "${0##*/}" "$@"
SH
  chmod 755 "$folder/without-set-id" "$folder/bin/chmod"
  for name in dpkg-statoverride install; do ln -sf chmod "$folder/bin/$name"; done
  printf '%s\n' "DPkg::Pre-Install-Pkgs {\"$folder/without-set-id\";};" \
    "DPkg::Path \"$folder/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\";" >/etc/apt/apt.conf.d/99sandbook
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
if [ "$uid" != 0 ]; then
  name_user
  [ -z "$sudo" ] || allow_sudo
  [ -z "$own" ] || chown -Rh "$uid:$gid" "$own"
fi 2>/dev/null
rm -rf "$dir"
mkdir -m 755 "$dir" && mkdir -m 700 "$dir/root" "$dir/user" || exit 1 # where it cannot be ours, there is no sandbox
[ "$uid" = 0 ] || chown "$uid:$gid" "$dir/user" || exit 1
mkfifo -m 666 "$dir/lease" || exit 1
[ -z "$ready" ] || exec {ready}>&-
if [ -n "$apt" ]; then prepare_apt 2>/dev/null & fi # nobody waits for it; a read-only system has no use for it
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
