package launch

import (
	"strings"
	"testing"
)

func lookupIn(text string) func(string) string {
	all := map[string]string{}
	for _, pair := range strings.Fields(text) {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	return func(name string) string { return all[name] }
}

func TestFromEnvironment(t *testing.T) {
	slurm := " SLURM_PROCID=9 SLURM_NTASKS=18 SLURM_LOCALID=1 SLURM_NODEID=1 SLURM_NNODES=3 SLURM_STEP_ID=0 SLURM_TASKS_PER_NODE=8(x2),2 SLURM_JOB_NODELIST=gpu[007-009]"
	tests := []struct {
		name, env string
		want      Environment
		ok        bool
	}{
		{"nothing", "", Environment{}, false},
		{"torchrun", "RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 GROUP_RANK=1 GROUP_WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=29500 TORCHELASTIC_RUN_ID=x TORCHELASTIC_RESTART_COUNT=2",
			Environment{5, 8, 1, 4, 1, 2, "a:29500", "torchrun", 2}, true},
		{"torchrun in Slurm", "RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 GROUP_RANK=1 TORCHELASTIC_RUN_ID=x" + slurm,
			Environment{5, 8, 1, 4, 1, 2, "", "torchrun", 0}, true},
		{"plain variables", "RANK=3 WORLD_SIZE=4 LOCAL_RANK=3 LOCAL_WORLD_SIZE=4 MASTER_ADDR=::1 MASTER_PORT=1",
			Environment{3, 4, 3, 4, 0, 1, "[::1]:1", "env", 0}, true},
		{"Slurm", slurm, Environment{9, 18, 1, 8, 1, 3, "gpu007", "slurm", 0}, true},
		{"Slurm's last node", "SLURM_RESTART_COUNT=1" + strings.ReplaceAll(strings.ReplaceAll(slurm, "NODEID=1", "NODEID=2"), "PROCID=9", "PROCID=17"),
			Environment{17, 18, 1, 2, 2, 3, "gpu007", "slurm", 1}, true},
		{"Slurm's PMI", "PMI_RANK=9 PMI_SIZE=18" + slurm, Environment{9, 18, 1, 8, 1, 3, "gpu007", "slurm", 0}, true},
		{"script of a batch job", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_NODEID=0", Environment{}, false},
		{"Open MPI", "OMPI_COMM_WORLD_RANK=6 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=4 OMPI_COMM_WORLD_NODE_RANK=2",
			Environment{6, 8, 2, 4, 1, 2, "", "openmpi", 0}, true},
		{"mpirun in Slurm", "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2" + slurm,
			Environment{3, 4, 1, 2, 1, 2, "", "openmpi", 0}, true},
		{"MPICH", "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", Environment{1, 2, 1, 2, 0, 1, "", "mpich", 0}, true},
		{"Kubeflow, one process", "PET_NNODES=4 PET_NPROC_PER_NODE=1 PET_NODE_RANK=2 PET_MASTER_ADDR=job-0 PET_MASTER_PORT=29400",
			Environment{2, 4, 0, 1, 2, 4, "job-0:29400", "kubernetes", 0}, true},
		{"Kubeflow, several", "PET_NNODES=4 PET_NPROC_PER_NODE=8 PET_NODE_RANK=2", Environment{}, false},
		{"Kubeflow, auto", "PET_NNODES=4 PET_NPROC_PER_NODE=auto PET_NODE_RANK=2", Environment{}, false},
		{"PyTorchJob's pod", "RANK=1 WORLD_SIZE=2 MASTER_ADDR=j MASTER_PORT=23456", Environment{1, 2, 0, 1, 1, 2, "j:23456", "pytorchjob", 0}, true},
		{"PyTorchJob's pod of eight", "RANK=1 WORLD_SIZE=2 PET_NPROC_PER_NODE=8", Environment{}, false},
		{"torchrun in PyTorchJob's pod", "RANK=11 WORLD_SIZE=16 LOCAL_RANK=3 LOCAL_WORLD_SIZE=8 PET_NPROC_PER_NODE=8",
			Environment{11, 16, 3, 8, 1, 2, "", "env", 0}, true},
		{"nonsense", "RANK=9 WORLD_SIZE=2 LOCAL_RANK=0", Environment{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := FromEnvironment(lookupIn(tt.env))
			if got != tt.want || ok != tt.ok {
				t.Errorf("FromEnvironment = %+v, %v, want %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	env := lookupIn("OMPI_COMM_WORLD_RANK=6 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=4 ASSAY_RUN=r")
	e, _ := FromEnvironment(env)
	words := e.Lookup(env)
	for name, want := range map[string]string{"RANK": "6", "WORLD_SIZE": "8", "LOCAL_RANK": "2", "GROUP_RANK": "1", "ASSAY_RUN": "r"} {
		if got := words(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestFirstHost(t *testing.T) {
	for list, want := range map[string]string{"": "", "a": "a", "a,b": "a", "gpu[007-010,12],b": "gpu007", "a,b[1-2]": "a", "n[1,3]-ib": "n1-ib"} {
		if got := firstHost(list); got != want {
			t.Errorf("firstHost(%q) = %q, want %q", list, got, want)
		}
	}
}
