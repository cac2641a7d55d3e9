# Becomes the shell of a session, on a new terminal.
#
#   bash -c "$(init)" sandbook DIR CWD RC [STATE]
#
# DIR holds the control FIFO, which is the shell's standard input: the terminal carries only what programs and
# people say to each other, so no output can pass for a prompt and no typed answer for a command. STATE is what another
# shell has written down of itself, for this one to go on with.
umask 022
until [ -w "${1%/*}" ]; do sleep 0.01; done # the user has a name and a home by then
mkdir -m 700 "$1" 2>/dev/null || [ -O "$1" ] || exit 1 # never its parent, which the keeper may just have removed
mkfifo -m 600 "$1/control" 2>/dev/null || [ -p "$1/control" ] || exit 1
printf %s "$3" >"$1/rc"
if [ -n "${4-}" ]; then mv -- "$4" "$1/state"; else : >"$1/state"; fi # there before any umask of the user's
echo "$$" >"$1/pid"
tty >"$1/tty"
[ -d "${HOME-}" ] && [ "$HOME" != / ] || { unset HOME; HOME=~; }
if [ ! -w "$HOME" ]; then
  if [ "$EUID" = 0 ]; then HOME=${1%/*}/home; else HOME=/tmp/home; fi # the user may have made root's in /tmp first
  mkdir -p "$HOME"
fi
export HOME
cd -- "$2" 2>/dev/null || cd /
stty -onlcr -echoctl noflsh rows 40 cols 120 # Ctrl-C must not throw away what was said before it, such as half a mark
exec bash --noediting --rcfile "$1/rc" -i <>"$1/control"
