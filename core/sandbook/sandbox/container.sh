# The first process of a container: lives as long as somebody holds the lease inside it, then ends, and the container
# with it. This is for the end of the whole machine that the kernel runs on, where the keeper is. Needs lease.sh before it.
#
#   bash -c "$(lease; container)" sandbook DIR [first=SECONDS] [grace=SECONDS] [life=SECONDS] [uid=N gid=N] [name=NAME]
#                                              [sudo=yes] [own=FOLDER] [apt=yes] [same=DEVICE:INODE:PATH...]
#
# DIR is only root's to write to; below it are folders for the shells of root and of the user, 0700 each, so that the
# user cannot be there first when root's shell starts. The lease is only root's, too: the user cannot hold it.
#
# `uid` and `gid` get a name and a home, that of `name` if there is one; with `sudo`, they may become root; `own` is a
# folder that becomes theirs, with all that is in it. With `apt`, packages are installed without the bits that the
# sandbox refuses. `same` are the workspace and the mounts in it, as they were found: if one is another, somebody has put
# a link in its place before the engine looked, and the container ends.
dir=$1 first=30 grace=6 life=0 uid=0 gid=0 name= sudo= own= apt=
same=()
for pair in "${@:2}"; do
  case $pair in same=*) same+=("${pair#same=}") ;; *) declare "$pair" ;; esac
done

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

# Where the workspace itself is another, the engine sees files through something that numbers them anew.
are_the_same() {
  local one path first=yes
  command -v stat >/dev/null || return 0
  for one in "${same[@]}"; do
    path=${one#*:*:}
    if [ "$(stat -c %d:%i -- "$path")" != "${one%":$path"}" ]; then
      [ -n "$first" ] && return 0 || return 1
    fi
    first=
  done
} 2>/dev/null

trap '' HUP INT
trap 'exit 0' TERM
are_the_same || exit 1
if [ "$uid" != 0 ]; then
  name_user
  [ -z "$sudo" ] || allow_sudo
  [ -z "$own" ] || chown -Rh "$uid:$gid" "$own"
fi 2>/dev/null
rm -rf "$dir"
mkdir -m 755 "$dir" && mkdir -m 700 "$dir/root" "$dir/user" || exit 1 # where it cannot be ours, there is no sandbox
[ "$uid" = 0 ] || chown "$uid:$gid" "$dir/user" || exit 1
mkfifo -m 600 "$dir/lease" || exit 1
if [ -n "$apt" ]; then prepare_apt 2>/dev/null & fi # nobody waits for it; a read-only system has no use for it
keep_while_held "$dir/lease"
