package launch

import (
	"net"
	"strconv"
	"strings"
)

// An Environment is a rank's place in its world as the launcher that started it told
// in environment variables.
type Environment struct {
	Rank, World           int
	LocalRank, LocalWorld int
	NodeRank, Nodes       int
	Master                string // host:port of rank 0's rendezvous; only host where no port was given; may be empty
	Launcher              string // torchrun, openmpi, mpich, slurm, kubernetes, pytorchjob, or env for plain variables
	Restarts              int
}

// FromEnvironment reads the variables of a launcher. False means that no launcher
// told which rank this process is.
//
// The order matters where launchers nest: torchrun sets its own over those of Slurm
// and Kubernetes, and mpirun inside of a Slurm job is the one that knows.
func FromEnvironment(env func(string) string) (Environment, bool) {
	v := lookup{env}
	for _, read := range []func(lookup) (Environment, bool){fromTorchrun, fromOpenMPI, fromMPICH, fromSlurm, fromKubernetes, fromPyTorchJob} {
		if e, ok := read(v); ok && e.World > 0 && e.Rank >= 0 && e.Rank < e.World {
			e.complete()
			return e, true
		}
	}
	return Environment{}, false
}

// Lookup is env in torchrun's words, which workers read whatever started them.
func (e Environment) Lookup(env func(string) string) func(string) string {
	words := map[string]string{
		"RANK": strconv.Itoa(e.Rank), "WORLD_SIZE": strconv.Itoa(e.World),
		"LOCAL_RANK": strconv.Itoa(e.LocalRank), "LOCAL_WORLD_SIZE": strconv.Itoa(e.LocalWorld),
		"GROUP_RANK": strconv.Itoa(e.NodeRank), "GROUP_WORLD_SIZE": strconv.Itoa(e.Nodes),
	}
	return func(name string) string {
		if word, ok := words[name]; ok {
			return word
		}
		return env(name)
	}
}

// complete fills in what follows from the rest where ranks are spread evenly.
func (e *Environment) complete() {
	if e.LocalWorld < 1 {
		e.LocalWorld = 1
		if e.Nodes > 0 && e.World%e.Nodes == 0 {
			e.LocalWorld = e.World / e.Nodes
		}
	}
	if e.Nodes < 1 {
		e.Nodes = max(1, (e.World+e.LocalWorld-1)/e.LocalWorld)
	}
	if e.NodeRank < 0 {
		e.NodeRank = e.Rank / e.LocalWorld
	}
}

// A lookup reads variables that hold numbers.
type lookup struct{ env func(string) string }

// number is the first of the named variables that holds one.
func (l lookup) number(names ...string) (int, bool) {
	for _, name := range names {
		if n, err := strconv.Atoi(l.env(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}

// or is the first of the named variables that holds a number, else a default.
func (l lookup) or(otherwise int, names ...string) int {
	if n, ok := l.number(names...); ok {
		return n
	}
	return otherwise
}

func (l lookup) master(host, port string) string {
	if h, p := l.env(host), l.env(port); h != "" && p != "" {
		return net.JoinHostPort(h, p)
	}
	return l.env(host)
}

// fromTorchrun wants LOCAL_RANK beside RANK: jobs of Kubernetes set RANK alone, and
// mean the node.
func fromTorchrun(v lookup) (Environment, bool) {
	rank, ok := v.number("RANK")
	local, each := v.number("LOCAL_RANK")
	if !ok || !each {
		return Environment{}, false
	}
	launcher := "env"
	if v.env("TORCHELASTIC_RUN_ID") != "" {
		launcher = "torchrun"
	}
	return Environment{
		Rank: rank, World: v.or(0, "WORLD_SIZE"), LocalRank: local, LocalWorld: v.or(0, "LOCAL_WORLD_SIZE"),
		NodeRank: v.or(-1, "GROUP_RANK"), Nodes: v.or(0, "GROUP_WORLD_SIZE"),
		Master: v.master("MASTER_ADDR", "MASTER_PORT"), Launcher: launcher, Restarts: v.or(0, "TORCHELASTIC_RESTART_COUNT"),
	}, true
}

// fromOpenMPI leaves OMPI_COMM_WORLD_NODE_RANK alone: it is the local rank.
func fromOpenMPI(v lookup) (Environment, bool) {
	rank, ok := v.number("OMPI_COMM_WORLD_RANK")
	return Environment{
		Rank: rank, World: v.or(0, "OMPI_COMM_WORLD_SIZE"),
		LocalRank: v.or(0, "OMPI_COMM_WORLD_LOCAL_RANK"), LocalWorld: v.or(0, "OMPI_COMM_WORLD_LOCAL_SIZE"),
		NodeRank: -1, Master: v.master("MASTER_ADDR", "MASTER_PORT"), Launcher: "openmpi",
	}, ok
}

// fromMPICH reads the process manager interface. Slurm speaks it too and then says
// more in its own words.
func fromMPICH(v lookup) (Environment, bool) {
	rank, ok := v.number("PMI_RANK")
	world := v.or(0, "PMI_SIZE")
	if slurm, has := v.number("SLURM_PROCID"); has && slurm == rank && v.or(0, "SLURM_NTASKS", "SLURM_NPROCS") == world {
		return Environment{}, false
	}
	return Environment{
		Rank: rank, World: world, LocalRank: v.or(0, "MPI_LOCALRANKID"), LocalWorld: v.or(0, "MPI_LOCALNRANKS"),
		NodeRank: -1, Master: v.master("MASTER_ADDR", "MASTER_PORT"), Launcher: "mpich",
	}, ok
}

func fromSlurm(v lookup) (Environment, bool) {
	rank, ok := v.number("SLURM_PROCID")
	// The script of a batch job has the variables of rank 0 without being a rank.
	if v.env("SLURM_STEP_ID") == "" && v.or(1, "SLURM_NTASKS", "SLURM_NPROCS") > 1 {
		return Environment{}, false
	}
	e := Environment{
		Rank: rank, World: v.or(0, "SLURM_NTASKS", "SLURM_NPROCS"), LocalRank: v.or(0, "SLURM_LOCALID"),
		NodeRank: v.or(-1, "SLURM_NODEID"), Nodes: v.or(0, "SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
		Master: v.master("MASTER_ADDR", "MASTER_PORT"), Launcher: "slurm", Restarts: v.or(0, "SLURM_RESTART_COUNT"),
	}
	e.LocalWorld = tasksOn(first(v.env("SLURM_STEP_TASKS_PER_NODE"), v.env("SLURM_TASKS_PER_NODE")), max(0, e.NodeRank))
	if e.LocalWorld == 0 {
		e.LocalWorld = v.or(0, "SLURM_NTASKS_PER_NODE")
	}
	if e.Master == "" {
		e.Master = firstHost(first(v.env("SLURM_STEP_NODELIST"), v.env("SLURM_JOB_NODELIST")))
	}
	return e, ok
}

func first(words ...string) string {
	for _, word := range words {
		if word != "" {
			return word
		}
	}
	return ""
}

// tasksOn is how many tasks a node has in Slurm's list, such as 8(x4),2; 0 means
// unknown.
func tasksOn(list string, node int) int {
	for part := range strings.SplitSeq(list, ",") {
		count, repeat, many := strings.Cut(strings.TrimSuffix(part, ")"), "(x")
		n, err := strconv.Atoi(count)
		if err != nil {
			return 0
		}
		times := 1
		if many {
			if times, err = strconv.Atoi(repeat); err != nil {
				return 0
			}
		}
		if node < times {
			return n
		}
		node -= times
	}
	return 0
}

// firstHost is the first of Slurm's list of nodes, such as gpu[007-010,12],login1.
func firstHost(list string) string {
	prefix, rest, many := strings.Cut(list, "[")
	if comma := strings.IndexByte(prefix, ','); comma >= 0 {
		return prefix[:comma]
	}
	if !many {
		return prefix
	}
	inside, suffix, _ := strings.Cut(rest, "]")
	number, _, _ := strings.Cut(inside, ",")
	number, _, _ = strings.Cut(number, "-")
	suffix, _, _ = strings.Cut(suffix, ",")
	return prefix + number + suffix
}

// fromKubernetes reads what Kubeflow's Trainer gives a pod. A pod of several
// processes starts them by torchrun, which then tells each its rank; where that has
// not happened this process is no rank yet, and "auto" is no number.
func fromKubernetes(v lookup) (Environment, bool) {
	nodes, ok := v.number("PET_NNODES")
	each, told := v.number("PET_NPROC_PER_NODE")
	node, placed := v.number("PET_NODE_RANK", "JOB_COMPLETION_INDEX")
	if !ok || !placed || told && each != 1 || !told && v.env("PET_NPROC_PER_NODE") != "" {
		return Environment{}, false
	}
	return Environment{
		Rank: node, World: nodes, LocalWorld: 1, NodeRank: node, Nodes: nodes,
		Master: v.master("PET_MASTER_ADDR", "PET_MASTER_PORT"), Launcher: "kubernetes",
	}, true
}

// fromPyTorchJob reads RANK and WORLD_SIZE as the older operator means them: index
// and number of the pods. They are ranks only where a pod is one process.
func fromPyTorchJob(v lookup) (Environment, bool) {
	node, ok := v.number("RANK")
	if each := first(v.env("PET_NPROC_PER_NODE"), v.env("NPROC_PER_NODE"), "1"); each != "1" {
		return Environment{}, false
	}
	nodes := v.or(0, "WORLD_SIZE")
	return Environment{
		Rank: node, World: nodes, LocalWorld: 1, NodeRank: node, Nodes: nodes,
		Master: v.master("MASTER_ADDR", "MASTER_PORT"), Launcher: "pytorchjob",
	}, ok
}
