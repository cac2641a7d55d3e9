# Looks at another shell of the same sandbox from outside, with as few programs as possible.

# Reads the first line of a file into `line`; fails if there is none to read.
__sandbook_line() { # FILE
  line=
  { IFS= read -r line <"$1"; } 2>/dev/null || [ -n "$line" ]
}

# Tells what is in the foreground of a terminal: first its process group and the state of its shell, then each process
# of that group with what it waits for, then the terminal's settings. A process that reads from the terminal `reads`, one
# that waits for several things, the terminal among them, `polls`. All others are `busy`.
__sandbook_foreground() { # SHELL TERMINAL
  local line fields group process
  __sandbook_line "/proc/$1/stat" || return 1
  fields=(${line##*) })
  group=${fields[5]}
  echo "group $group ${fields[0]}"
  for process in /proc/[0-9]*; do
    __sandbook_line "$process/stat" || continue
    fields=(${line##*) })
    [ "${fields[2]}" != "$group" ] || __sandbook_process "${process#/proc/}" "${fields[0]}" "$2"
  done
  echo "terminal $(stty -F "$2" -a | tr '\n' ' ')"
}

__sandbook_process() { # PID STATE TERMINAL
  local line name waits=busy caught=0 ignored=0 call=() place= word
  __sandbook_line "/proc/$1/comm" && name=$line
  ! __sandbook_line "/proc/$1/wchan" || place=$line
  ! __sandbook_line "/proc/$1/syscall" || call=($line)
  if [ "$2" = S ]; then
    case $place in
      n_tty_read | wait_woken | 0 | '') ! __sandbook_is_terminal "$1" "$3" || waits=reads ;;
      *poll* | *select*) ! __sandbook_has_terminal "$1" "$3" 0 || waits=polls ;;
    esac
  fi
  while IFS=$': \t' read -r word line; do
    case $word in SigCgt) caught=$((0x$line >> 1 & 1)) ;; SigIgn) ignored=$((0x$line >> 1 & 1)) ;; esac
  done <"/proc/$1/status"
  echo "process $1 $waits $caught $ignored $name"
} 2>/dev/null

# Says whether a process waits in `read` (system call 0, or 63 on ARM) for a terminal. Where nobody may know its system
# call, a terminal as its input must do.
__sandbook_is_terminal() { # PID TERMINAL; and `call`, `place`
  case ${call-} in
    0 | 63) __sandbook_has_terminal "$1" "$2" "$((${call[1]}))" ;;
    '' | running) [[ $place == n_tty_read || $place == wait_woken ]] && __sandbook_has_terminal "$1" "$2" 0 ;;
    *) return 1 ;;
  esac
}

__sandbook_has_terminal() { # PID TERMINAL DESCRIPTOR
  [[ /proc/$1/fd/$3 -ef $2 || /proc/$1/fd/$3 -ef /dev/tty ]]
}

# Says what is wrong with a piece of bash, without running it.
__sandbook_check() { # CODE
  bash -O extglob -n /dev/fd/3 2>&1 3<<<"$1"
}
