# The first process of a sandbox: lives as long as somebody holds the lease, then ends, and the sandbox with it.
#
#   bash -c "$(keeper)" sandbook DIR FIRST GRACE
#
# The lease is a FIFO. Whoever has it open for writing holds the sandbox, so a holder that dies lets go by dying,
# whatever killed it. A holder writes a line when it comes; a line `grace N` sets how many seconds the keeper waits
# for the next holder once nobody is left. FIRST is how many it waits for the first one.
dir=$1 wait=$2 grace=$3
mkdir -p "$dir" && chmod 1777 "$dir" && mkfifo -m 666 "$dir/lease" || exit 1
trap '' HUP INT
trap 'rm -rf "$dir"; exit 0' TERM
while :; do
  exec 3<>"$dir/lease" # open both ways, so that waiting for a holder can time out
  read -r -t "$wait" -u 3 word || break
  exec 4<"$dir/lease" 3>&-
  while
    case $word in 'grace '*) grace=${word#grace } ;; esac
    read -r -u 4 word
  do :; done # ends when the last holder has closed the lease
  exec 4<&-
  wait=$grace
done
rm -rf "$dir"
