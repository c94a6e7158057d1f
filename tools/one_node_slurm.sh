#!/usr/bin/env bash
# Runs a command beside a Slurm of one node: tools/one_node_slurm.sh COMMAND…
#
# Starts munged, slurmctld and slurmd with all their files in a folder of their own, runs COMMAND with
# SLURM_CONF set, so that sbatch, srun and squeue reach this Slurm, and ends them:
#
#   tools/one_node_slurm.sh srun -n 2 --overcommit --mpi=pmix PROGRAM
#   tools/one_node_slurm.sh sbatch --wait --array=1-4 tools/slurm_grade.sh submissions grades.csv
#
# Needs root and Debian's slurm-wlm and munge. Nothing of a Slurm that is installed here is touched.
#
# Exit: COMMAND's; 2 wrong usage, 3 the rights or programs are missing.
set -u

if [ $# -eq 0 ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
PATH=$PATH:/usr/sbin
for program in munged mungekey slurmctld slurmd sbatch; do
  command -v $program >/dev/null || { echo "one_node_slurm: $program is missing: apt-get install slurm-wlm munge" >&2; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo "one_node_slurm: Slurm's daemons need root here" >&2; exit 3; }

folder=$(mktemp -d) || exit 1
chmod 755 "$folder" # munge wants nobody else to write to it, and clients to get at its socket
daemons=()
# shellcheck disable=SC2329 # called by the trap
clean_up() {
  # In the order in which they were not started, and for good: a slurmd may miss its signal.
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do
    timeout -s KILL 5 tail --pid="${daemons[i]}" -f /dev/null &
    kill "${daemons[i]}" 2>/dev/null
    wait $! || kill -KILL "${daemons[i]}" 2>/dev/null
  done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

mkdir "$folder/munge" "$folder/state" "$folder/spool"
mungekey --create --keyfile "$folder/munge/key"
munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/munge.socket" \
  --pid-file "$folder/munge/pid" --log-file "$folder/munge.log" --seed-file "$folder/munge/seed" 2>/dev/null &
daemons+=($!)

host=$(hostname -s)
memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
port=$((20000 + $$ % 20000))
cat >"$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) RealMemory=$memory
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf

# until_ready WHAT COMMAND…: waits for COMMAND to succeed; if it never does, the daemons' last words.
until_ready() {
  local what=$1
  shift
  for ((try = 0; try < 100; ++try)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "one_node_slurm: $what did not start; it says:" >&2
  tail -n 5 "$folder"/*.log >&2
  exit 3
}
until_ready munged test -S "$folder/munge.socket"
slurmctld -D -c 2>/dev/null &
daemons+=($!)
slurmd -D -N node 2>/dev/null &
daemons+=($!)
# shellcheck disable=SC2329 # until_ready calls it
idle() { [ "$(sinfo -h -o %T)" = idle ]; }
until_ready Slurm idle

"$@"
