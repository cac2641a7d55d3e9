# Carries command lines from whoever started it to a shell, and holds the sandbox as long as that one lives.
#
#   bash -c "$(pump)" sandbook LEASE CONTROL
#
# When its own input ends, its shell must end too: closing the connection to a program on a terminal does not end it.
lease=$1 control=$2
until [ -p "$lease" ]; do sleep 0.01; done
exec 9>"$lease"
echo hold >&9
mkdir -m 700 "${control%/*}" 2>/dev/null
[ -O "${control%/*}" ] || exit 1
mkfifo -m 600 "$control" 2>/dev/null
cat 1<>"$control"
read -r shell <"${control%/*}/pid" && kill -KILL "$shell"
rm -rf "${control%/*}"
