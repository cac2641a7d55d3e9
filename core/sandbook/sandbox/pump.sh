# Carries command lines from whoever started it to a shell, and holds the sandbox as long as that one lives.
#
#   bash -c "$(pump)" sandbook LEASE CONTROL
lease=$1 control=$2
until [ -p "$lease" ]; do sleep 0.01; done
exec 9>"$lease"
echo hold >&9
mkdir -p "${control%/*}" && chmod 700 "${control%/*}"
[ -p "$control" ] || mkfifo -m 600 "$control"
exec cat 1<>"$control"
