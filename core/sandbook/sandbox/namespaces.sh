# The first process of a sandbox of namespaces, which end with it: makes the folder for its shells, says that others may
# come in, then only collects what has ended.
#
#   bash -c "$(namespaces)" sandbook FOLDER READY [LIMIT...]
#
# READY is a descriptor that says so once others may come in. LIMIT is an argument of `ulimit`: programs of the same
# user can make this process work for them. Signals from inside do not reach the first process.
trap '' HUP INT TERM
# What was handed over to make the sandbox leads out of it, even to the disk of the host.
exec 2>/dev/null
for descriptor in /proc/self/fd/*; do
  descriptor=${descriptor##*/}
  [ "$descriptor" -le 2 ] || [ "$descriptor" = "$2" ] || eval "exec $descriptor>&-"
done
ulimit "${@:3}"
umask 077
mkdir "$1" "$1/root" "$1/user" && mkfifo "$1/never" || exit 1
eval "echo ready >&$2 $2>&-; exec $2>&-"
exec 3<>"$1/never"
rm "$1/never"
while :; do read -r -u 3 _; done
