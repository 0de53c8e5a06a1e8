package launch

import (
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"strconv"
	"time"
)

// A job that torchrun, srun or mpirun started runs this program once for each rank.
// The one of rank 0 leads: it decides, measures and writes. The others follow: they
// meet it, and start a worker of their own whenever it starts a world. Leader and
// followers know each other by the job's secret (channel.go).

// A Meeting is where and how the ranks of a job find each other.
type Meeting struct {
	Address string // host:port of the leader
	Listen  string // the same as the leader sees itself; empty means Address
	Job     string // what the launcher calls the job; the same for every rank

	// Secret is what the ranks of the job know and nobody else. It is asked again for
	// every attempt: the leader may make it while followers already try.
	Secret func() (string, error)
}

// A call is a message from a leader to a follower.
type call struct {
	Welcome bool       `json:"welcome,omitempty"` // the first one
	Start   *seatedJob `json:"start,omitempty"`
	Stop    *stopCall  `json:"stop,omitempty"`
}

// A seatedJob is a world that has a place for the follower. It names a worker of the
// follower's own and holds no command: a leader decides when a rank works, not what
// runs on its host.
type seatedJob struct {
	Ranks  int      `json:"ranks"`
	Worker string   `json:"worker"`
	Env    []string `json:"env"` // of assay's own variables only
	Master string   `json:"master"`
	Input  []byte   `json:"input,omitempty"` // what the worker reads: the channel is encrypted, and nobody else sees it
}

type stopCall struct {
	Grace time.Duration `json:"grace"`
}

// An answer is a message from a follower to its leader.
type answer struct {
	Rank  int    `json:"rank"`
	Error string `json:"error,omitempty"` // its worker could not be started
	Exit  *Exit  `json:"exit,omitempty"`  // its worker ended
}

// meetingPorts is where leaders listen: a range that neither systems nor schedulers
// use by default.
const meetingPorts, meetingSpan = 41000, 2000

// MeetAt is where the ranks of a job meet when nobody says so: at a port that follows
// from what the job is called, on the job's first host, and on loopback where that is
// the only one. Anybody can know the address; only who knows the secret is believed
// there.
func (e Environment) MeetAt(job string) (string, error) {
	host, _, err := net.SplitHostPort(e.Master)
	if err != nil {
		host = e.Master
	}
	if host == "" && e.Nodes > 1 {
		return "", fmt.Errorf("%s does not say on which host rank 0 is: set ASSAY_MEETING=HOST:PORT, the same for every rank", e.Launcher)
	}
	if e.Nodes <= 1 {
		host = "127.0.0.1"
	}
	h := fnv.New32a()
	io.WriteString(h, job)
	return net.JoinHostPort(host, strconv.Itoa(meetingPorts+int(h.Sum32()%meetingSpan))), nil
}
