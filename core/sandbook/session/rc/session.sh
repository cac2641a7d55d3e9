# The shell side of a session. @NONCE@ and @DIR@ are filled in when the session starts.
# Every builtin is called through `builtin`: the user may define functions of the same name.
builtin set +o history +o histexpand
builtin unset HISTFILE MAILCHECK
PS1= PS2= PROMPT_COMMAND=

# One write to the terminal, past any redirection of the user's: kind, number, status, flags, pid, directory.
__sandbook_mark() {
  builtin printf '\033]7717;@NONCE@;%s;%s;%s;%s;%s;%s\007' "$@" "$BASHPID" "${PWD//[[:cntrl:]]/?}" >/dev/tty
}

__sandbook_done() {
  builtin set -- "$1" "$2" "$-"
  builtin set +vx
  __sandbook_mark D "$@"
  PS1= PS2= PROMPT_COMMAND=
  builtin unset TMOUT
  builtin return 0
}

__sandbook_status() { builtin return "$1"; }

# The shell ends (`exit 3`, a failure under `set -e`): write down its state and go on as a new bash in the same
# process, on the same terminal. Where the terminal is gone the session is over, and the shell may really end.
__sandbook_exit() {
  builtin trap - EXIT DEBUG ERR RETURN
  builtin set -- "$1" "$-"
  builtin set +euvx
  {
    builtin declare -p
    builtin declare -f
    builtin alias -p
    builtin shopt -p
    builtin printf 'builtin umask %s\n' "$(builtin umask)"
    case $2 in *e*) builtin printf 'builtin set -e\n' ;; esac
    case $2 in *u*) builtin printf 'builtin set -u\n' ;; esac
  } >"@DIR@/state" 2>/dev/null
  __sandbook_mark X 0 "$1" "$2" 2>/dev/null || builtin return
  stty -onlcr -echoctl icanon isig echo </dev/tty
  builtin exec bash --noediting --rcfile "@DIR@/rc" -i <>"@DIR@/control" >/dev/tty 2>&1
}

if [ -f "@DIR@/state" ]; then
  . "@DIR@/state"
  rm -f "@DIR@/state"
fi >/dev/null 2>&1
PS1= PS2= PROMPT_COMMAND=
builtin trap '__sandbook_exit "$?"' EXIT
