package worker_test

import (
	"strings"
	"testing"

	"assay/worker"
)

// What a rank says of its surroundings is in its row: nothing that it was told about
// drivers, processors and variables is dropped, and the token is in none of it.
func TestRankTerms(t *testing.T) {
	t.Parallel()
	c := listen(t, 1)
	node := 1
	token := variable(c, worker.EnvToken)
	line := hello(0)
	line.Hello.Driver, line.Hello.Launcher, line.Hello.NUMA = "575.57", "torchrun", &node
	line.Hello.Affinity = []int{8, 0, 1, 2, 3, 11, 10}
	line.Hello.Env = map[string]string{"NCCL_PROTO": "LL128", "NCCL_ALGO": "Ring", "NCCL_SECRET": token}
	if got := knock(t, c).greet(t, token, line); got.T != worker.Welcome {
		t.Fatalf("%q %q", got.T, got.Text)
	}
	if err := c.Gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := c.Ranks(0)[0]
	if row.Driver != "575.57" || row.Launcher != "torchrun" || row.Affinity != "0-3,8,10-11" || row.NUMA == nil || *row.NUMA != 1 {
		t.Errorf("%+v", row)
	}
	if !strings.HasPrefix(row.Tuning, "NCCL_ALGO=Ring\nNCCL_PROTO=LL128\n") || strings.Contains(row.Tuning, token) {
		t.Errorf("tuning %q", row.Tuning)
	}
}
