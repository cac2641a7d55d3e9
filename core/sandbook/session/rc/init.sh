# Becomes the shell of a session, on a new terminal.
#
#   bash -c "$(init)" sandbook DIR RC
#
# DIR holds the control FIFO, which is the shell's standard input: the terminal carries only what programs and
# people say to each other, so no output can pass for a prompt and no typed answer for a command.
umask 022
mkdir -p "$1" && chmod 700 "$1" || exit 1
[ -p "$1/control" ] || mkfifo -m 600 "$1/control" || exit 1
printf %s "$2" >"$1/rc"
[ -n "${HOME-}" ] && [ "$HOME" != / ] || { unset HOME; HOME=~; }
export HOME
stty -onlcr -echoctl rows 40 cols 120
exec bash --noediting --rcfile "$1/rc" -i <>"$1/control"
