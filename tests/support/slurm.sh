# A Slurm of the test's own: one node, this machine, with its own key, folders and ports; source it after shell.sh. Root starts it
# within seconds. slurm_start FOLDER; slurm_stop. Nothing of a Slurm that the machine may have is touched.

slurm_folder=''

# Checks the prerequisites; prints the missing ones.
slurm_missing() {
    [ "$(id -u)" = 0 ] || { echo 'it is started by root only'; return 0; }
    local program
    for program in munged slurmctld slurmd sbatch squeue sinfo; do
        command -v "$program" >/dev/null || { echo "there is no $program (packages slurm-wlm and munge)"; return 0; }
    done
    return 1
}

slurm_wait() {    # SECONDS COMMAND...: until it succeeds
    local tries=$(($1 * 5))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $((tries -= 1)) -gt 0 ] || return 1
        sleep 0.2
    done
}

slurm_start() {
    local folder=$1 host port
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    slurm_folder=$folder
    mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
    chmod 755 "$folder" "$folder/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
    cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes=ALL MaxTime=10 State=UP
END
    export SLURM_CONF=$folder/slurm.conf
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2 >"$folder/munge/out" 2>&1 || return 1
    slurmctld >"$folder/slurmctld.out" 2>&1 || return 1
    slurmd -N "$host" >"$folder/slurmd.out" 2>&1 || return 1
    slurm_wait 30 eval '[ "$(sinfo -h -p main -t idle -o %D)" = 1 ]'
}

slurm_stop() {
    local pid
    for pid in slurmd.pid slurmctld.pid munge/pid; do
        [ ! -s "$slurm_folder/$pid" ] || kill "$(cat "$slurm_folder/$pid")" 2>/dev/null
    done
    slurm_wait 10 eval '[ ! -e "$slurm_folder/slurmctld.pid" ] && [ ! -e "$slurm_folder/slurmd.pid" ]'
}
