# The shell side of a session. @NONCE@ and @DIR@ are filled in when the session starts.
# Builtins are called through `builtin` and programs through `command -p`: the user may define functions of the same
# name, or lose the PATH. Tests are `[[` and `((`, which nobody can replace. Aliases are off but while a command runs.

# Makes sure that `builtin` and what it calls are bash's own, without calling anything that might not be.
__sandbook_sure() {
  __sandbook_real=
  if ! \builtin printf -v __sandbook_real 1 || [[ -z $__sandbook_real ]]; then
    if [[ -o posix ]]; then
      \unset -f builtin
    else # in POSIX mode, and only there, the special builtins come before functions
      POSIXLY_CORRECT=1
      \unset -f builtin
      \unset POSIXLY_CORRECT
    fi
    \enable builtin printf set unset trap eval exec exit shopt local shift return read declare
  fi
} >/dev/null

__sandbook_sure
__sandbook_exec=__sandbook_exec # what the shell is told stands for `exec`; any other shell has no such variable
builtin set +o history +o histexpand
builtin shopt -u expand_aliases
builtin unset HISTFILE MAILCHECK
__sandbook_expand=1

# One write to the terminal, past any redirection of the user's. After each character of its format, and after each
# argument, `printf` looks whether Ctrl-C was pressed; so a mark is one argument, lest only a part of it is written. It
# is made by a format, for `declare -f` writes `$'\033'` as the escape itself.
__sandbook_mark() { # FIELDS...
  builtin local __sandbook_text
  builtin printf -v __sandbook_text ';%s' "$@"
  builtin printf -v __sandbook_text '\033]7717;@NONCE@%s\007' "$__sandbook_text"
  builtin printf %s "$__sandbook_text" >/dev/tty
}

# Stands directly before a command: what the terminal says from here on is the command's.
__sandbook_begin() { # NUMBER STATUS ARGUMENTS...
  __sandbook_mark B "$1"
  __sandbook_given= # no array: if Ctrl-C meets bash while it reads one, bash takes the end of that for its own
  (($# < 3)) || builtin printf -v __sandbook_given ' %q' "${@:3}"
  [[ -z ${__sandbook_hasty-} ]] || __sandbook_reopen
  if [[ -n ${__sandbook_expand-} ]]; then
    builtin shopt -s expand_aliases
    __sandbook_expand=
  fi
  builtin return "$2"
}

# Where bash can redirect nothing any more (`ulimit -n 5`), it can neither run a command nor report: better a new one.
__sandbook_give_up() { { [[ -n x ]]; } 2>/dev/null >/dev/tty || builtin kill -KILL "$$"; }

# Stands behind a command. The secret proves that this is its end, for the command cannot know it. Nobody waits for a
# second report of the same.
__sandbook_done() { # NUMBER SECRET STATUS
  [[ ${__sandbook_reported-} == "$1" ]] || __sandbook_report "$@"
}

# What can wait is done after the mark, while whoever reads that is busy with it.
__sandbook_report() { # NUMBER SECRET STATUS
  __sandbook_sure
  builtin set -- "$1" "$2" "${__sandbook_ended-$3}" "${__sandbook_flags-$-}" "${__sandbook_how-}" "$$" "${PWD-}"
  builtin set +vx
  ! __sandbook_is_locked || __sandbook_leave "$3" "$4" ''
  if [[ ${PWD-} == *[%[:cntrl:]]* ]]; then # a mark must come whole, in one write
    builtin set -- "${@//%/%25}"
    builtin set -- "${@//$'\n'/%0A}"
    builtin set -- "${@//[[:cntrl:]]/?}"
  fi
  __sandbook_mark D "$@" || __sandbook_give_up
  [[ ! -o history && ! -o vi && ! -o emacs ]] || builtin set +o history +o vi +o emacs
  [[ -z ${__sandbook_sign-} || ${PS4-} != *"$__sandbook_sign"* || ${PS4@a} == *r* ]] || PS4=${PS4/"$__sandbook_sign"/}
  __sandbook_heal
  [[ $- == *m* ]] || builtin set +m # after the startup files bash turns it on, and does not tell
  builtin unset __sandbook_ended __sandbook_ending __sandbook_flags __sandbook_how __sandbook_leaving __sandbook_code
  builtin unset __sandbook_sign
  __sandbook_arm
  __sandbook_reported=$1
  __sandbook_is_tidy || __sandbook_tidy
}

# Takes back what a command may have done to the place where bash reads its next line.
__sandbook_heal() {
  [[ /dev/fd/0 -ef @DIR@/control ]] || \exec <>"@DIR@/control" # with `builtin`, bash would take it back
  if ((${#BASH_ALIASES[@]})) && builtin shopt -q expand_aliases; then
    builtin shopt -u expand_aliases
    __sandbook_expand=1
  fi
  [[ ${PS1-x} == @(|'\[\]') ]] || PS1='\[\]' # shows nothing, yet is not empty: many scripts ask for that
  [[ -z ${PS2-} ]] || PS2=
  [[ -z ${PROMPT_COMMAND+x}${PS0+x}${TMOUT+x} ]] || builtin unset PROMPT_COMMAND PS0 TMOUT || builtin return 0
}

# Says whether the user has made one of the variables that speak at a prompt read-only: only a new shell is free of it.
__sandbook_is_locked() {
  [[ -n ${PS0-} && ${PS0@a} == *r* || -n ${PS2-} && ${PS2@a} == *r* || -n ${TMOUT-} && ${TMOUT@a} == *r* ||
    -n ${PROMPT_COMMAND-} && ${PROMPT_COMMAND@a} == *r* || ${PS1-} != @(|'\[\]') && ${PS1@a} == *r* ]]
}

__sandbook_status() { builtin return "$1"; }

# Stands before a command where tracing goes on, or may begin.
__sandbook_trace() { # FLAGS STATUS
  __sandbook_sign_traces
  [[ -z $1 ]] || builtin set "-$1"
  builtin return "$2"
}

# Bash repeats the first character of PS4 once more than a terminal would show, for the `eval` that the command is in.
# Behind it comes what no terminal shows, so that we find it and take one away.
__sandbook_sign_traces() {
  [[ ${PS4-} == [[:ascii:]]* && $PS4 != [\$\`\\]* && ${PS4@a} != *r* ]] || builtin return 0
  builtin printf -v __sandbook_sign '\342\201\240\342\201\242\342\201\240'
  [[ $PS4 == *"$__sandbook_sign"* ]] || PS4=${PS4:0:1}$__sandbook_sign${PS4:1}
}

# Programs may leave the terminal as it suits them; the next one must not find it so.
__sandbook_tidy() { # [SETTINGS...]
  builtin command -p stty sane -onlcr -echoctl noflsh "$@" </dev/tty || builtin :
  __sandbook_tidied=
  __sandbook_is_tidy || __sandbook_tidied=$__sandbook_newest
  ! __sandbook_is_hasty || __sandbook_hasty=1
} 2>/dev/null

# Says whether no process was begun since the terminal was tidied: bash itself leaves it as it is. The last word on the
# load is the newest process of this sandbox; some systems do not know it, and say 0.
__sandbook_is_tidy() {
  __sandbook_newest=
  builtin read -r -u 19 __sandbook_newest 19</proc/loadavg || builtin :
  __sandbook_newest=${__sandbook_newest##* }
  [[ $__sandbook_newest == [1-9]* && $__sandbook_newest == "${__sandbook_tidied-}" ]]
} 2>/dev/null

# Says whether a program has left the terminal so that writing to it fails where it should wait (O_NONBLOCK).
__sandbook_is_hasty() {
  builtin local __sandbook_text=
  { builtin read -r __sandbook_text && builtin read -r __sandbook_text; } <"/proc/$$/fdinfo/1" || builtin return
  __sandbook_text=${__sandbook_text##*[!0-7]}
  [[ -t 1 ]] && ((__sandbook_text & 04000))
} 2>/dev/null

# Opens the terminal anew, where the outputs still are the terminal.
__sandbook_reopen() {
  builtin unset __sandbook_hasty
  [[ ! -t 1 ]] || \exec >/dev/tty
  [[ ! -t 2 ]] || \exec 2>/dev/tty
}

# What was typed and not read is nobody's: the next program must not take it for its answer.
__sandbook_drain() {
  builtin local __sandbook_text
  builtin command -p stty -icanon -isig min 0 time 0 || builtin : # under `set -e` no failure may be heard
  builtin read -r -d '' -t 0.01 __sandbook_text || builtin :
  [[ -z $__sandbook_text ]] || builtin command -p stty min 1 || builtin : # more may be on its way
  while [[ $__sandbook_text ]]; do
    builtin read -r -d '' -t 0.05 __sandbook_text || builtin :
  done
  __sandbook_tidy
} </dev/tty >/dev/null 2>&1

# A wrong `[[ ]]` leaves the parser inside of one, where no other can begin. An error of syntax at top level brings it
# back, and between these two nobody hears of that.
__sandbook_mute() {
  [[ $- != *e* ]] || __sandbook_strict=1
  builtin set +e
  builtin declare -F exec || \exec {__sandbook_errors}>&2 2>/dev/null
} >/dev/null

__sandbook_unmute() {
  [[ -z ${__sandbook_errors-} ]] || \exec 2>&"$__sandbook_errors" {__sandbook_errors}>&-
  [[ -z ${__sandbook_strict-} ]] || builtin set -e
  builtin unset __sandbook_errors __sandbook_strict
}

# Says whether a function is part of the session; the user may have put others in the place of some.
__sandbook_is_ours() { # NAME
  case $1 in
    __sandbook_*) ;;
    exit | trap | display | clear_output) [[ $(\builtin declare -f -- "$1") == *__sandbook_* ]] ;;
    *) builtin return 1 ;;
  esac
}

# Writes down what this shell is, in bash. What decides how the rest is read comes first; functions and aliases come
# last, since they may have the names of builtins.
__sandbook_dump() { # FLAGS ARGUMENTS...
  builtin local __sandbook_options=$1 __sandbook_at __sandbook_posix=
  builtin shift
  ! builtin shopt -q expand_aliases || __sandbook_expand=1
  [[ ! -o posix ]] || __sandbook_posix=1
  builtin set +t +o vi +o emacs +o posix # posix allows no functions with the names of some builtins
  builtin shopt -p
  builtin set +o
  builtin printf 'shopt -u expand_aliases\n'
  for __sandbook_at in PS0 PS1 PS2 PROMPT_COMMAND TMOUT; do
    [[ -z ${!__sandbook_at-} || ${!__sandbook_at@a} != *r* ]] || builtin printf 'declare -r %s=\n' "$__sandbook_at"
  done
  builtin declare -p
  builtin trap -p
  for __sandbook_at in PATH IFS TERM PS4; do # what a new shell would set
    [[ -n ${!__sandbook_at+x} ]] || builtin printf 'unset -v %s\n' "$__sandbook_at"
  done
  builtin complete -p
  builtin umask -p
  builtin hash -l
  for ((__sandbook_at = ${#DIRSTACK[@]} - 1; __sandbook_at > 0; __sandbook_at--)); do
    builtin printf 'pushd -n -- %q\n' "${DIRSTACK[__sandbook_at]}"
  done
  builtin printf 'set --'
  (($# == 0)) || builtin printf ' %q' "$@"
  builtin printf '\n'
  builtin alias -p
  builtin enable -pn
  builtin printf 'builtin shopt -s extglob\n' # some may have been read with it
  builtin mapfile -t __sandbook_code < <(\builtin declare -F)
  for __sandbook_at in "${__sandbook_code[@]}"; do
    ! __sandbook_is_ours "${__sandbook_at##* }" || builtin continue
    builtin declare -f -- "${__sandbook_at##* }"
    [[ $__sandbook_at == 'declare -f '* ]] || builtin printf 'builtin %s\n' "$__sandbook_at" # its attributes
  done
  builtin shopt -q extglob || builtin printf 'builtin shopt -u extglob\n'
  [[ -z $__sandbook_posix ]] || builtin printf 'builtin set -o posix\n'
  [[ $__sandbook_options != *e* ]] || builtin printf 'builtin set -e\n'
  [[ $__sandbook_options != *u* ]] || builtin printf 'builtin set -u\n'
} 2>/dev/null

# Goes on as a new bash in the same process, on the same terminal, with the same state. Where the terminal is gone the
# session is over, and the shell may really end.
__sandbook_again() { # STATUS FLAGS ARGUMENTS...
  builtin trap - EXIT DEBUG ERR RETURN
  builtin set +euvx
  { builtin : >/dev/tty; } 2>/dev/null || builtin return
  # The next shell must know how it came to be also where there was no space to write anything down.
  __sandbook_ended=$1 __sandbook_flags=$2 __sandbook_how=${__sandbook_how-}
  builtin export __sandbook_ended __sandbook_flags __sandbook_how
  builtin trap -p INT >|"@DIR@/int"
  builtin trap '' INT # until the next shell is there, Ctrl-C must not come between
  __sandbook_dump "${@:2}" >|"@DIR@/state"
  __sandbook_tidy -isig # nor after that, until it has reported
  builtin trap - INT
  builtin export -n SHELLOPTS BASHOPTS
  builtin shopt -s execfail
  builtin exec -a bash /proc/self/exe --noediting --rcfile "@DIR@/rc" -i <>"@DIR@/control" >/dev/tty 2>/dev/null
  # The environment may be too large for any program; the state holds all of it.
  builtin exec -c -a bash /proc/self/exe --noediting --rcfile "@DIR@/rc" -i <>"@DIR@/control" >/dev/tty 2>/dev/null
}

# Has the end of this shell told to us. What a trap does is traced, too, until it forbids that.
__sandbook_arm() {
  builtin trap '{ __sandbook_leaving=${__sandbook_leaving-$?} __sandbook_command=$BASH_COMMAND __sandbook_flags=${__sandbook_flags-$-}
    \__sandbook_sure; \builtin set +x; } 2>/dev/null; \__sandbook_exit "$@"' EXIT
}

# A signal that ends the shell leaves no status behind. Whoever sent it may have named it in the last command.
__sandbook_was_killed() { # COMMAND
  [[ $1 != *@(exit|logout)* ]] || builtin return 0
  __sandbook_leaving=129
  [[ $1 =~ ^(builtin\ |command\ )*kill\ +(-s\ +|-n\ +|-)(SIG)?([A-Za-z0-9]+) ]] || builtin return 0
  builtin set -- "$(\builtin kill -l "${BASH_REMATCH[4]}" 2>/dev/null)"
  [[ $1 == +([0-9]) ]] || builtin set -- "${BASH_REMATCH[4]}"
  [[ $1 != +([0-9]) ]] || __sandbook_leaving=$((128 + $1))
}

# The shell ends (`exit 3`, a failure under `set -e`): the user's own trap for this moment runs, then all goes on.
__sandbook_exit() { # ARGUMENTS...
  ((${#FUNCNAME[@]} < 2)) || builtin eval "builtin set -- $__sandbook_given" # here they are those of a function
  [[ $__sandbook_leaving != 0 || -n ${__sandbook_how+x} ]] || __sandbook_was_killed "$__sandbook_command"
  builtin set -- "$__sandbook_leaving" "$__sandbook_flags" "$@"
  builtin set +e
  __sandbook_ending=1 __sandbook_how=${__sandbook_how-exited}
  if [[ -n ${__sandbook_trap_EXIT-} && $__sandbook_how == exited ]]; then
    __sandbook_code=$__sandbook_trap_EXIT
    builtin unset __sandbook_trap_EXIT
    __sandbook_status "$1"
    __sandbook_last_words "${@:3}" </dev/tty
  fi
  __sandbook_again "$@"
}

# Runs the user's trap for the end. It may return, and has the arguments of the shell.
__sandbook_last_words() { builtin eval "$__sandbook_code"; } # ARGUMENTS...

# Has the end of this shell told to us also where the user has gone past our `trap`, with `builtin trap`.
__sandbook_adopt() {
  builtin set -- "$(\builtin trap -p EXIT)"
  if [[ -n $1 && $1 != *__sandbook_* ]]; then # trap -- ACTION EXIT
    builtin eval "builtin set -- ${1#trap -- }"
    __sandbook_trap_EXIT=$1
  fi
  __sandbook_arm
}

# Ends this shell, so that a new one goes on. The builtin says `exit` in a shell like this, and leaves the local
# variables of functions behind. A failure under `set -e` does neither, but there are places where it goes unheard,
# such as conditions.
__sandbook_leave() { # STATUS FLAGS HOW
  __sandbook_leaving=$1 __sandbook_flags=${__sandbook_flags-$2} __sandbook_how=$3
  [[ -z ${__sandbook_ending-} ]] || __sandbook_again "$__sandbook_leaving" "$__sandbook_flags"
  __sandbook_adopt
  builtin set -e
  __sandbook_status 1
  builtin exit "$__sandbook_leaving" 2>/dev/null
  builtin exit "$__sandbook_leaving" 2>/dev/null # the first one may have warned of stopped jobs
}

# Says whether this is the shell itself, and not a copy of it.
__sandbook_is_main() { [[ ${BASHPID-} == "$$" || -z ${BASHPID-} && ${BASH_SUBSHELL-0} == 0 ]]; }

exit() {
  {
    __sandbook_last=$? __sandbook_options=$-
    __sandbook_sure
    builtin local -
    builtin set +x # nobody wants to see how we do it
  } 2>/dev/null
  [[ ${1-} != -- ]] || builtin shift
  if (($# > 1)) && [[ $1 =~ ^[[:space:]]*[+-]?[0-9]+[[:space:]]*$ ]]; then
    builtin printf 'bash: exit: too many arguments\n' >&2
    builtin return 1
  fi
  builtin set -- "${1-$__sandbook_last}" "$__sandbook_options"
  __sandbook_is_main || builtin exit "$1"
  if [[ $1 =~ ^[[:space:]]*([+-]?)([0-9]+)[[:space:]]*$ ]]; then
    __sandbook_leave "$((${BASH_REMATCH[1]}10#${BASH_REMATCH[2]} & 255))" "$2" exited
  else
    builtin printf 'bash: exit: %s: numeric argument required\n' "$1" >&2
    __sandbook_leave 2 "$2" exited
  fi
}

# Says whether a program with these arguments is a bash that would go on to ask for commands.
__sandbook_is_another() { # PROGRAM ARGUMENTS...
  [[ ${1##*/} == bash && -t 0 ]] || builtin return 1
  builtin shift
  while (($#)); do
    case $1 in
      --rcfile | --init-file | [-+][oO]) (($# == 1)) || builtin shift ;;
      --help | --version | --dump-* | -[!-]*[cs]* | -[cs]*) builtin return 1 ;;
      [-+]?*) ;;
      *) builtin return 1 ;;
    esac
    builtin shift
  done
}

# Stands for an `exec` that names a program. That would take the shell away with all its state, so it runs in a copy of
# the shell, which ends with it and lets a new one go on. Another bash would know nothing of us, and would take the
# terminal for its commands: ours renews itself instead. What cannot be run leaves everything as it is.
__sandbook_exec() { # [OPTIONS] PROGRAM ARGUMENTS...
  {
    __sandbook_options=$-
    __sandbook_sure
    builtin local -
    builtin set +x
  } 2>/dev/null
  builtin local OPTIND=1 OPTARG __sandbook_option __sandbook_wanted __sandbook_set
  __sandbook_wanted=("$@") __sandbook_set=()
  while builtin getopts :cla: __sandbook_option; do :; done
  builtin shift "$((OPTIND - 1))"
  if ! __sandbook_is_main || ! builtin type -P -- "${1-}" >/dev/null; then
    builtin exec "${__sandbook_wanted[@]}"
    builtin return
  fi
  while [[ ${1##*/} == env || $1 == [A-Za-z_]*([A-Za-z0-9_])=* ]] && (($# > 1)) && [[ $2 != -* ]]; do
    [[ $1 != *=* ]] || __sandbook_set+=("$1")
    builtin shift
  done
  if __sandbook_is_another "$@"; then
    ((${#__sandbook_set[@]} == 0)) || builtin export "${__sandbook_set[@]}"
    __sandbook_leave 0 "$__sandbook_options" ''
  fi
  (builtin exec "${__sandbook_wanted[@]}") && builtin set -- 0 || builtin set -- "$?"
  __sandbook_leave "$1" "$__sandbook_options" replaced
}

# Traps for EXIT, DEBUG, ERR and RETURN would replace ours, or be set off by our own commands. What the user wants is
# kept in variables; what bash gets asks first whether the command is the user's, whose input is never the FIFO.
__sandbook_guard() { # KIND
  # On one line: bash would count any other of it as one of the user's.
  builtin trap -- 'if { __sandbook_before=$?; '\
'[[ ${FUNCNAME[0]-} == @(trap|exit|__sandbook_*) || $BASH_COMMAND == __sandbook_* || '\
'/dev/fd/0 -ef "@DIR@/control" ]]; } 2>/dev/null; then :; '\
'elif { __sandbook_status "$__sandbook_before"; } 2>/dev/null; then builtin eval "${__sandbook_trap_'"$1"'-}"; '\
'else builtin eval "${__sandbook_trap_'"$1"'-}"; fi' "$1"
}

__sandbook_special() { # NAME; tells in `__sandbook_kind`, unless it is the name of an ordinary signal
  __sandbook_kind=${1^^}
  __sandbook_kind=${__sandbook_kind#SIG}
  [[ $__sandbook_kind != 0 ]] || __sandbook_kind=EXIT
  case $__sandbook_kind in EXIT | DEBUG | ERR | RETURN) ;; *) builtin return 1 ;; esac
}

__sandbook_show_traps() { # [NAMES...]
  builtin local __sandbook_name __sandbook_kind __sandbook_variable __sandbook_text
  (($#)) || builtin set -- EXIT {1..31} {34..64} DEBUG ERR RETURN
  for __sandbook_name; do
    if ! __sandbook_special "$__sandbook_name"; then
      builtin trap -p "$__sandbook_name"
      builtin continue
    fi
    __sandbook_variable=__sandbook_trap_$__sandbook_kind
    if [[ -n ${!__sandbook_variable+set} ]]; then
      builtin printf 'trap -- %s %s\n' "${!__sandbook_variable@Q}" "$__sandbook_kind"
    else
      __sandbook_text=$(\builtin trap -p "$__sandbook_kind")
      case $__sandbook_text in *__sandbook_* | '') ;; *) builtin printf '%s\n' "$__sandbook_text" ;; esac
    fi
  done
}

trap() {
  {
    builtin local -
    builtin set +x
  } 2>/dev/null
  builtin local __sandbook_action __sandbook_name __sandbook_kind __sandbook_others
  __sandbook_others=()
  case ${1--p} in
    -p) __sandbook_show_traps "${@:2}" && builtin return ;;
    -l | -P) builtin trap "$@" && builtin return ;;
    --) builtin shift ;;
    -?*) builtin trap "$@" || builtin return ;; # there is no such option
  esac
  if ! __sandbook_is_main || (($# == 1)) && ! __sandbook_special "$1"; then
    builtin trap -- "$@"
    builtin return
  fi
  __sandbook_action=$1
  if (($# == 1)) || [[ $1 =~ ^[0-9]+$ ]]; then __sandbook_action=-; else builtin shift; fi
  for __sandbook_name; do
    if ! __sandbook_special "$__sandbook_name"; then
      __sandbook_others+=("$__sandbook_name")
    elif [[ $__sandbook_action == *__sandbook_* ]]; then
      builtin continue # ours, in what another shell has written down
    elif [[ $__sandbook_action == - ]]; then
      # What bash has must wait: it gets it back when this function returns.
      builtin unset "__sandbook_trap_$__sandbook_kind"
    else
      builtin printf -v "__sandbook_trap_$__sandbook_kind" %s "$__sandbook_action"
      [[ $__sandbook_kind == EXIT ]] || __sandbook_guard "$__sandbook_kind"
    fi
  done
  ((${#__sandbook_others[@]} == 0)) || builtin trap -- "$__sandbook_action" "${__sandbook_others[@]}"
}

display() {
  {
    builtin local -
    builtin set +x
  } 2>/dev/null
  builtin local __sandbook_id= __sandbook_kind=M __sandbook_mime=auto OPTIND=1 OPTARG __sandbook_option __sandbook_text
  while builtin getopts i:rh __sandbook_option; do
    case $__sandbook_option in
      i) __sandbook_id=$OPTARG ;;
      r) __sandbook_kind=R ;;
      *)
        builtin printf '%s\n' 'usage: display [-i ID] [-r] [MIME] [FILE]' \
          'Show a picture, HTML, SVG, JSON, Markdown or text below the cell; without FILE, what comes in.' \
          '  -i ID  show it in place of what was shown with the same ID' '  -r     as the result of the cell'
        [[ $__sandbook_option == h ]]
        builtin return
        ;;
    esac
  done
  builtin shift "$((OPTIND - 1))"
  if (($#)) && [[ $1 == @(auto|+([a-z])/+([a-zA-Z0-9.+-])) && ! -e $1 ]]; then
    __sandbook_mime=$1
    builtin shift
  fi
  if (($#)) && [[ ! -r $1 || -d $1 ]]; then
    builtin printf 'display: cannot read %s\n' "$1" >&2
    builtin return 1
  fi
  __sandbook_text=$(\builtin command -p base64 <"${1-/dev/stdin}" | \builtin command -p tr -d '\n')
  if ((${#__sandbook_text} > 12000000)); then
    builtin printf 'display: larger than 9 MB, too much for a notebook\n' >&2
    builtin return 1
  fi
  __sandbook_id=${__sandbook_id//[^A-Za-z0-9_.:-]/_}
  __sandbook_mark "$__sandbook_kind" "$__sandbook_mime" "$__sandbook_id" "$__sandbook_text"
}

clear_output() { # with an argument, when the next output comes
  {
    builtin local -
    builtin set +x
  } 2>/dev/null
  __sandbook_mark C "${1-}"
}

# What an earlier shell has written down of itself, if this one goes on in its place.
if [[ -s @DIR@/state ]]; then
  \unset -f exec
  \exec 2>&1 # until here bash might have complained, such as of a directory that is gone
fi
if [[ -s @DIR@/state ]]; then
  builtin mapfile -t __sandbook_code <<<"$(\builtin compgen -A function)" # not `< <()`, which would change `$!`
  for __sandbook_at in "${__sandbook_code[@]}"; do # came in by the environment, and may have the names of builtins
    [[ $__sandbook_at == @(__sandbook_*|exit|trap|display|clear_output) ]] || builtin unset -f "$__sandbook_at"
  done
  builtin . "@DIR@/state"
  builtin trap - INT # what the last shell had of it stands apart, for it had to ignore it
  builtin . "@DIR@/int"
  builtin : >|"@DIR@/state"
fi >/dev/null 2>&1
for __sandbook_at in DEBUG ERR RETURN; do
  __sandbook_code=__sandbook_trap_$__sandbook_at
  [[ -z ${!__sandbook_code+set} ]] || __sandbook_guard "$__sandbook_at"
done
builtin unset __sandbook_at __sandbook_code __sandbook_reported # that was the other shell
builtin unset PROMPT_COMMAND PS0 TMOUT 2>/dev/null || builtin :
[[ ${PS1+${PS1@a}} == *r* ]] || PS1='\[\]'
[[ ${PS2+${PS2@a}} == *r* ]] || PS2=
__sandbook_arm
# A shell that took over says so: the line that reports the end of the command may have gone with the last one, which
# had read ahead. What is left of that line is nobody's.
if [[ -n ${__sandbook_ended-} ]]; then
  while builtin read -r -t 0 -u 0; do builtin read -r -t 1 -u 0 _; done
  __sandbook_mark A
fi
