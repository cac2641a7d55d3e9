# What could stand in place of the last word of a command line, as bash-completion knows it.

for __sandbook_file in /usr/share/bash-completion/bash_completion /etc/bash_completion; do
  [ ! -r "$__sandbook_file" ] || { . "$__sandbook_file" && break; }
done >/dev/null 2>&1

# Tells a word a line: `file NAME` where there is such a file, else `word WORD`. Says nothing where nobody knows the
# command's arguments.
__sandbook_arguments() { # LINE, up to the cursor; it begins with the command
  local spec function command word
  COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
  read -ra COMP_WORDS <<<"$1"
  case $1 in *[[:space:]]) COMP_WORDS+=("") ;; esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  command=${COMP_WORDS[0]##*/}
  if ! complete -p "$command"; then
    _comp_load "$command" || _completion_loader "$command"
  fi >/dev/null 2>&1
  spec=$(complete -p "$command") || return
  COMPREPLY=()
  if [[ $spec =~ ' -F '([^ ]+) ]]; then
    function=${BASH_REMATCH[1]}
    case $function in *minimal) return 1 ;; esac # knows files only, and so do we
    "$function" "$command" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" >/dev/null
  elif [[ $spec =~ ' -W '("'"[^"'"]*"'"|[^ ]+) ]]; then
    eval "COMPREPLY=(\$(compgen -W ${BASH_REMATCH[1]} -- \"\${COMP_WORDS[COMP_CWORD]}\"))"
  fi
  for word in "${COMPREPLY[@]}"; do
    if [ -d "$word" ]; then
      printf 'file %s/\n' "${word%/}"
    elif [ -e "$word" ]; then
      printf 'file %s\n' "$word"
    else
      printf 'word %s\n' "$word"
    fi
  done
}
