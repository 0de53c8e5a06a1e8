package cluster

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A scheduler is a Slurm of its own with four nodes, all on this machine.
type scheduler struct {
	dir   string
	nodes map[string]*exec.Cmd // the slurmd of each
}

// slurmConfig is that of a cluster that starts in seconds and notices soon that a node
// is gone. Nodes pretend to have eight processors. host0 to host3 are those of newNetwork,
// which Slurm knows and starts nothing on.
const slurmConfig = `ClusterName=bench
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge/socket
CredType=cred/munge
StateSaveLocation=DIR/ctld
SlurmdSpoolDir=DIR/spool/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=15
MessageTimeout=10
KillWait=2
MpiDefault=none
TmpFS=DIR/tmp
NodeName=n[1-4] NodeHostname=HOST NodeAddr=127.0.0.1 Port=[PORT1-PORT4] CPUs=8 Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=1000
NodeName=host[0-3] NodeAddr=127.0.0.1 Port=PORT0 CPUs=8 RealMemory=1000 State=DOWN
PartitionName=bench Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
`

// newScheduler starts one and waits until its nodes are idle.
func newScheduler(t *testing.T) *scheduler {
	t.Helper()
	needs(t, "slurmctld", "slurmd", "munged", "sbatch", "srun", "setpriv")
	dir, err := os.MkdirTemp("/run", "assay-slurm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &scheduler{dir: dir, nodes: map[string]*exec.Cmd{}}
	for _, name := range []string{"ctld", "tmp", "munge", "spool/n1", "spool/n2", "spool/n3", "spool/n4"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	first := 17000 + os.Getpid()%400*10
	words := []string{"DIR", dir, "HOST", host}
	for i := range 5 {
		words = append(words, fmt.Sprintf("PORT%d", i), strconv.Itoa(first+i))
	}
	config := filepath.Join(dir, "slurm.conf")
	if err := os.WriteFile(config, []byte(strings.NewReplacer(words...).Replace(slurmConfig)), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", config)
	t.Cleanup(func() {
		if t.Failed() {
			s.tell(t)
		}
	})
	s.authenticate(t)
	background(t, dir+"/slurmctld.out", "slurmctld", "-D")
	for _, node := range []string{"n1", "n2", "n3", "n4"} {
		s.nodes[node] = background(t, dir+"/slurmd-"+node+".out", "slurmd", "-D", "-N", node)
	}
	t.Cleanup(func() { // what steps leave when their slurmd is killed
		for _, pid := range s.processes("") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	soon(t, "four nodes are idle", func() bool {
		out, _ := exec.Command("sinfo", "-h", "-t", "idle", "-o", "%D").Output()
		return strings.TrimSpace(string(out)) == "4"
	})
	return s
}

// tell logs what the daemons said last.
func (s *scheduler) tell(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "*.out"))
	logs, _ := filepath.Glob(filepath.Join(s.dir, "*.log"))
	for _, file := range append(files, logs...) {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			t.Logf("%s: …%s", filepath.Base(file), text[max(0, len(text)-1500):])
		}
	}
}

// authenticate starts munge, which must run as its own user.
func (s *scheduler) authenticate(t *testing.T) {
	t.Helper()
	munge := s.dir + "/munge"
	do(t, "chmod 755 "+s.dir)
	if err := os.WriteFile(munge+"/key", []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, "chown -R munge:munge "+munge)
	background(t, s.dir+"/munged.out", "setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground",
		"--socket="+munge+"/socket", "--key-file="+munge+"/key", "--pid-file="+munge+"/pid", "--log-file="+munge+"/log", "--seed-file="+munge+"/seed")
	soon(t, "munge listens", func() bool { _, err := os.Stat(munge + "/socket"); return err == nil })
}

// processes are those of a node's jobs, or of all nodes: what slurmstepd has started.
func (s *scheduler) processes(node string) (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		environ, _ := os.ReadFile(filepath.Join(entry, "environ"))
		words := strings.Split(string(environ), "\x00")
		if slices.Contains(words, "SLURM_CONF="+s.dir+"/slurm.conf") && slices.ContainsFunc(words, func(w string) bool {
			return w == "SLURMD_NODENAME="+node || node == "" && strings.HasPrefix(w, "SLURMD_NODENAME=")
		}) {
			pid, _ := strconv.Atoi(filepath.Base(entry))
			pids = append(pids, pid)
		}
	}
	return pids
}

// steps are the slurmstepd of a node.
func (s *scheduler) steps(node string) (pids []int) {
	for _, pid := range s.processes(node) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after)
		if len(fields) < 2 {
			continue
		}
		name, _ := os.ReadFile("/proc/" + fields[1] + "/comm")
		if strings.TrimSpace(string(name)) == "slurmstepd" {
			parent, _ := strconv.Atoi(fields[1])
			pids = append(pids, parent)
		}
	}
	return pids
}

// kill ends a node as a power cut does.
func (s *scheduler) kill(t *testing.T, node string) {
	t.Helper()
	_ = s.nodes[node].Process.Kill()
	for _, pid := range append(s.steps(node), s.processes(node)...) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// works says that a rank runs on a node.
func (s *scheduler) works(node string) bool {
	for _, pid := range s.processes(node) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if words := strings.Split(string(line), "\x00"); len(words) > 1 && filepath.Base(words[0]) == "assay" && words[1] == "worker" {
			return true
		}
	}
	return false
}

// queued says whether a job of assay's is in the queue.
func queued() bool {
	out, err := exec.Command("squeue", "-h", "-o", "%j %T").Output()
	return err != nil || strings.Contains(string(out), "assay-")
}
