# The first process of a sandbox of namespaces, which end with it: makes the folder for its shells, says that others may
# come in, then only collects what has ended.
#
#   bash -c "$(namespaces)" sandbook FOLDER READY
#
# READY is a descriptor that is closed once others may come in. Signals from inside do not reach the first process.
trap '' HUP INT TERM
exec 2>/dev/null # else everybody here could write to it, on the disk of the host
umask 077
mkdir "$1" "$1/root" "$1/user" && mkfifo "$1/never" || exit 1
exec 3<>"$1/never" {ready}>&"$2"-
rm "$1/never"
exec {ready}>&-
while :; do read -r -u 3 _; done
