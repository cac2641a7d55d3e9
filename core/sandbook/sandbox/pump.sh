# Carries command lines from whoever started it to a shell.
#
#   bash -c "$(pump)" sandbook CONTROL
#
# When its own input ends, its shell must end too: closing the connection to a program on a terminal does not end it.
control=$1 folder=${1%/*}
until [ -w "${folder%/*}" ]; do sleep 0.01; done # then it is this user's
mkdir -m 700 "$folder" 2>/dev/null
[ -O "$folder" ] || exit 1
mkfifo -m 600 "$control" 2>/dev/null
cat 1<>"$control"
read -r shell <"$folder/pid" && kill -KILL "$shell"
rm -rf "$folder"
