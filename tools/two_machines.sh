#!/usr/bin/env bash
# Plays two machines on this one: tools/two_machines.sh PROGRAM RANKS_EACH [OPTIONS…]
#
# Two network namespaces with a cable between them, each with a name of its own as its machine's; mpirun
# starts RANKS_EACH ranks of PROGRAM in each. They reach each other by network alone.
#
# Needs root, or a user namespace (unshare -r), iproute2 and Open MPI.
#
# Exit: the program's; 2 wrong usage, 3 the rights or tools are missing.
set -u

if [ "${1:-}" = --inside ]; then # as the namespaces' owner
  shift
  program=$1 each=$2
  shift 2
  ip link set lo up &&
    ip link add cable-a type veth peer name cable-b || exit 3
  unshare -n -u sleep 1000 &
  far=$!
  trap 'kill $far' EXIT
  for _ in 1 2 3 4 5 6 7 8 9 10; do # until the other namespace is there
    [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
    sleep 0.1
  done
  on_far=(nsenter -t $far -n -u)
  ip link set cable-b netns $far &&
    ip addr add 10.77.0.1/24 dev cable-a && ip link set cable-a up &&
    "${on_far[@]}" ip link set lo up &&
    "${on_far[@]}" ip addr add 10.77.0.2/24 dev cable-b && "${on_far[@]}" ip link set cable-b up &&
    "${on_far[@]}" hostname far || exit 3
  folder=$(mktemp -d) || exit 1
  # What mpirun calls in place of ssh: MACHINE COMMAND…
  printf '#!/bin/sh\nshift\nexec nsenter -t %s -n -u sh -c "$*"\n' $far >"$folder/remote"
  chmod +x "$folder/remote"
  export OMPI_MCA_plm_rsh_agent=$folder/remote OMPI_MCA_plm=rsh
  export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=10.77.0.0/24
  export OMPI_MCA_oob_tcp_if_include=10.77.0.0/24 OMPI_MCA_orte_keep_fqdn_hostnames=1
  export OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpirun --host "near:$each,10.77.0.2:$each" -n $((2 * each)) "$program" "$@"
  code=$?
  rm -rf "$folder"
  exit $code
fi

if [ $# -lt 2 ] || [ ! -x "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
for tool in ip nsenter unshare mpirun; do
  command -v $tool >/dev/null || { echo "two_machines: $tool is missing: install iproute2, util-linux, openmpi-bin" >&2; exit 3; }
done
user=()
[ "$(id -u)" = 0 ] || user=(-r)
unshare "${user[@]}" -n true 2>/dev/null || { echo "two_machines: no right to make network namespaces here" >&2; exit 3; }
unshare "${user[@]}" -n -u sh -c 'hostname near; exec "$0" --inside "$@"' "$0" "$@"
