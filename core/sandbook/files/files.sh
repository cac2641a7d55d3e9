# Works on the files of a sandbox for somebody outside, one request after the other, with bash and coreutils only.
#
#   bash -c "$(files)" sandbook WORKSPACE [OWNER]
#
# What is new belongs to OWNER, which only root can say; else to whoever runs this.
# A request is words that end with a NUL: how many follow, a random word, what to do, with what. The answer is bytes,
# then NUL, the random word, NUL, what went wrong, NUL. Nobody who writes a file can know the word beforehand, so no file
# can pass for an end. Some requests go on with pieces: a size, NUL, so many bytes; size 0 says that all is there. Each
# piece is answered with a dot. An input that just ends takes everything back.
export LC_ALL=C QUOTING_STYLE=literal
umask 022
shopt -s nullglob dotglob globstar
workspace=$1 owner=${2-} temporary= reader=
record='%f %s %u %g %.9Y %U:%G:%n\0' # no name of a user or a group has a colon
exec 3>&1
cd / || exit
trap 'clean' EXIT
trap 'exit 1' HUP TERM
trap '' INT

clean() {
  if [ -n "$reader" ]; then # it must have ended before its folder goes
    exec 4>&-
    wait "$reader"
    reader=
  fi
  [ -z "$temporary" ] || rm -rf -- "$temporary"
  temporary=
}

# Runs a program that says what goes wrong; its input is nobody's, its output is the answer.
try() {
  fault=$(exec "$@" 2>&1 >&3 </dev/null)
}

refuse() { # WHAT [PATH|NUMBER]
  fault="@$*"
  return 1
}

regular() { # PATH
  if [ -f "$1" ]; then
    return 0
  elif [ -d "$1" ]; then
    refuse folder
  elif [ -e "$1" ]; then
    refuse irregular
  else
    try stat -L --printf= -- "$1"
    refuse_unknown
  fi
}

# Something was there for one look and not for the next: as good as not there.
refuse_unknown() {
  [ -n "$fault" ] || fault=@missing
  return 1
}

there() { # PATH
  [ -e "$1" ] || [ -L "$1" ]
}

# Finds the folder of a path, and makes it.
make_parent() { # PATH
  parent=${1%/*}
  make_folder "${parent:=/}"
}

make_folder() { # PATH
  local new=$1 above
  [ ! -d "$1" ] || return 0
  while above=${new%/*} && [ -n "$above" ] && [ ! -d "$above" ]; do new=$above; done
  try mkdir -p -- "$1" && give "$new"
}

give() { # PATH
  [ -z "$owner" ] || try chown -hR -- "$owner" "$1"
}

# Finds what a link leads to, so that the link stays a link when its file is replaced.
follow() { # PATH
  target=$1
  [ -L "$target" ] || return 0
  try stat -L --printf= -- "$target" || case $fault in *' symbolic link'* | *'Symbolic link'*) return 1 ;; esac
  IFS= read -r -d '' target < <(readlink -fz -- "$1") || refuse missing
}

# Takes pieces into a file, or without one into descriptor 4.
receive() { # [FILE]
  local size
  while IFS= read -r -d '' size; do
    [ "$size" != 0 ] || return 0
    if [ $# = 1 ]; then
      fault=$(exec dd of="$1" bs="$size" count=1 iflag=fullblock oflag=append conv=notrunc status=none 2>&1) || return
    else
      fault=$(exec dd bs="$size" count=1 iflag=fullblock status=none 2>&1 >&4) || return
    fi
    printf .
  done
  exit 1
}

do_stat() { # PATH
  try stat --printf="S $record" -- "$1" || return
  [ -L "$1" ] || return 0
  printf 'T '
  readlink -nz -- "$1" 2>/dev/null
  printf '\0'
  stat -L --printf="F $record" -- "$1" 2>/dev/null
  return 0
}

# Checks that a path is a folder: also one that is removed and made anew meanwhile.
folder() { # PATH
  [ ! -d "$1" ] || return 0
  try stat -L --printf= -- "$1" || return
  [ -d "$1" ] || refuse unfolder
}

do_list() { # FOLDER
  folder "$1" || return
  if ! [ -r "$1" ] || ! cd -- "$1" 2>/dev/null; then
    fault='Permission denied'
    return 1
  fi
  local names=(*) links=() name at
  for name in "${names[@]}"; do [ ! -L "$name" ] || links+=("$name"); done
  for ((at = 0; at < ${#names[@]}; at += 1000)); do stat --printf="S $record" -- "${names[@]:at:1000}"; done
  for ((at = 0; at < ${#links[@]}; at += 1000)); do stat -L --printf="F $record" -- "${links[@]:at:1000}"; done
  cd /
} 2>/dev/null

do_glob() { # FOLDER PATTERN MOST
  folder "$1" || return
  cd -- "$1" 2>/dev/null || { fault='Permission denied'; return 1; }
  local IFS= found
  shopt -u dotglob
  found=($2)
  shopt -s dotglob
  cd /
  [ ${#found[@]} = 0 ] || printf '%s\0' "${found[@]:0:$3}"
}

# A pipe would keep us waiting when it is opened, if somebody put it there after the look.
do_read() { # PATH FROM COUNT
  regular "$1" || return
  try dd if="$1" bs=256K iflag=nonblock,fullblock,skip_bytes,count_bytes skip="$2" count="$3" status=none
}

# Whether a file can be replaced and still belong to the same user.
replaceable() { # FILE
  [ -w "${1%/*}/" ] && { [ "$EUID" = 0 ] || [ -O "$1" ]; }
}

do_write() { # PATH MODE HOW
  follow "$1" || return
  if there "$target"; then
    regular "$target" || return
    [ "$3" != new ] || refuse exists || return
    [ -w "$target" ] || { fault='Permission denied'; return 1; }
    if ! replaceable "$target"; then
      over "$2" "" "$target"
      return
    fi
  fi
  make_parent "$target" || return
  temporary=$parent/.sandbook-$nonce
  if [ -e "$target" ]; then
    try cp --attributes-only --preserve=ownership -- "$target" "$temporary" || return
    bits=$(stat -c %a -- "$target")
    try chmod -- "$(printf %o "$((8#$bits & 8#1777))")" "$temporary" || return # set-user-ID bits are refused
  fi
  receive "$temporary" || return
  [ -e "$temporary" ] || try dd of="$temporary" count=0 status=none || return
  [ -e "$target" ] || give "$temporary" || return
  [ -z "$2" ] || try chmod -- "$2" "$temporary" || return
  if [ "$3" = new ] && there "$target"; then refuse exists || return; fi
  if try mv -fT -- "$temporary" "$target"; then
    temporary=
  else
    case $fault in *' resource busy'*) ;; *) return 1 ;; esac # a mount of its own, such as /etc/hosts
    try dd if="$temporary" of="$target" bs=256K status=none && { [ -z "$2" ] || try chmod -- "$2" "$target"; }
  fi
}

do_append() { # PATH MODE
  follow "$1" || return
  if there "$target"; then
    regular "$target" || return
    [ -w "$target" ] || { fault='Permission denied'; return 1; }
  fi
  make_parent "$target" || return
  over "$2" append "$target"
}

# Changes a file where it is, once all pieces are there.
over() { # MODE append|'' FILE
  local before=0
  temporary=${TMPDIR:-/tmp}/.sandbook-$nonce
  receive "$temporary" || return
  [ -e "$temporary" ] || try dd of="$temporary" count=0 status=none || return
  [ ! -e "$3" ] || [ -z "$2" ] || before=$(stat -L -c %s -- "$3")
  if ! try dd if="$temporary" of="$3" bs=256K ${2:+oflag=append conv=notrunc} status=none; then
    [ -z "$2" ] || truncate -s "$before" -- "$3" 2>/dev/null
    return 1
  fi
  [ -z "$1" ] || try chmod -- "$1" "$3"
}

do_mkdir() { # PATH HOW
  if there "$1"; then
    [ -d "$1" ] && [ "$2" != new ] || refuse exists
  else
    make_folder "$1"
  fi
}

do_move() { # FROM TO HOW
  there "$1" || { try stat --printf= -- "$1"; refuse_unknown || return; }
  if there "$2"; then
    [ "$3" = replace ] && ! [ -d "$2" ] || refuse exists "$2" || return
  fi
  kept "$1" || return
  make_parent "$2" || return
  try mv -fT -- "$1" "$2"
}

# The root and the workspace are not ours to take away.
kept() { # PATH
  [ -L "$1" ] || ! { [ "$1" -ef / ] || [ "$1" -ef "$workspace" ]; } || refuse kept
}

do_remove() { # PATH recursive|''
  there "$1" || { try stat --printf= -- "$1"; refuse_unknown || return; }
  kept "$1" || return
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    if [ -n "$2" ]; then try rm -rf -- "$1"; else try rmdir -- "$1"; fi
  else
    try rm -f -- "$1"
  fi
}

# Tells a file or a folder as tar, after a look at its size: a sparse file has no end in sight.
do_pack() { # PATH MOST
  local size status
  type -P tar >/dev/null || refuse tarless || return
  there "$1" || { try stat --printf= -- "$1"; refuse_unknown || return; }
  [ -d "$1" ] || regular "$1" || return
  size=$(du -sbD -- "$1" 2>/dev/null)
  size=${size%%[!0-9]*}
  [ "${size:-0}" -le "$2" ] || refuse large "$2" || return
  if [ -d "$1" ]; then
    try tar -C "$1" --hard-dereference -cf - . || [ $? = 1 ] || left_out || return
  else
    try tar -C "${1%/*}/" --hard-dereference -h -cf - -- "./${1##*/}"
  fi
  status=$?
  [ "$status" -gt 1 ] || fault= # 1: something changed or vanished in the meantime
  [ "$status" -le 1 ]
}

# Names what tar was not allowed to read, if that is all that went wrong.
left_out() {
  local line names=()
  while IFS= read -r line; do
    case $line in
      'tar: .: '*) return 1 ;;
      'tar: '*': Permission denied') line=${line#tar: ./} names+=("${line%: Cannot *}") ;;
      *' failure status '* | *': file changed '* | *': File removed '* | *' ignored') ;;
      *) return 1 ;;
    esac
  done <<<"$fault"
  printf -v line '%s\n' "${names[@]:0:1000}"
  refuse partly "$line"
}

# Unpacks tar beside its place, and puts it there when all of it has come.
do_unpack() { # FOLDER HOW
  local status
  type -P tar >/dev/null || refuse tarless || return
  if there "$1" && [ ! -d "$1" ]; then refuse unfolder || return; fi
  make_folder "$1" || return
  temporary=${1%/}/.sandbook-$nonce
  try mkdir -p -m 700 -- "$temporary/tree" || return
  exec 4> >(exec tar -C "$temporary/tree" --no-same-owner -pxf - >"$temporary/errors" 2>&1)
  reader=$!
  receive
  status=$?
  exec 4>&-
  wait "$reader" || status=$?
  reader=
  if [ "$status" != 0 ]; then
    fault=$(<"$temporary/errors")
    return 1
  fi
  give "$temporary/tree" || return
  merge check "$2" "$temporary/tree" "${1%/}" && merge move "$2" "$temporary/tree" "${1%/}"
}

# Folders come together, files replace files; a link in the place of a folder is not followed.
merge() { # check|move replace|new FROM TO
  local name plain=() at
  for name in "$3"/*; do
    name=${name##*/}
    if [ -d "$3/$name" ] && [ ! -L "$3/$name" ] && [ -d "$4/$name" ] && [ ! -L "$4/$name" ]; then
      merge "$1" "$2" "$3/$name" "$4/$name" || return
    elif [ "$1" = move ]; then
      plain+=("$3/$name")
    elif there "$4/$name"; then
      if [ "$2" = new ] || [ -d "$4/$name" ] || { [ -d "$3/$name" ] && [ ! -L "$3/$name" ]; }; then
        refuse exists "$4/$name" || return
      fi
    fi
  done
  for ((at = 0; at < ${#plain[@]}; at += 200)); do
    try mv -f -t "$4/" -- "${plain[@]:at:200}" || return
  done
}

while IFS= read -r -d '' count; do
  words=() fault=
  while ((count-- > 0)); do
    IFS= read -r -d '' word || exit 1
    words+=("$word")
  done
  nonce=${words[0]}
  if "do_${words[1]}" "${words[@]:2}"; then fault=; else fault=${fault:-it failed without a word}; fi
  clean
  printf '\0%s\0%s\0' "$nonce" "$fault"
  [ -z "$fault" ] || case ${words[1]} in write | append | unpack) exit 1 ;; esac # pieces may be on their way
done
