//go:build linux

package probe

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// The link of the test: what the probe must find.
const (
	truthNet  = "netprobe" // begins the names of the namespaces
	truthRate = 100e6 / 8  // bytes per second, as tbf counts them: whole frames
)

// A link of known rate is measured as such: payload is 1448 of the 1514 bytes of a
// frame.
func TestNetworkTruth(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root: run it as root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need iproute2: make judges installs it")
	}
	a, b := truthNet+"-a", truthNet+"-b"
	remove := func() {
		_ = exec.Command("ip", "netns", "del", a).Run()
		_ = exec.Command("ip", "netns", "del", b).Run()
	}
	remove()
	t.Cleanup(remove)
	for _, line := range []string{
		"ip netns add " + a, "ip netns add " + b,
		"ip link add npa netns " + a + " type veth peer name npb netns " + b,
		"ip -n " + a + " addr add 10.211.7.1/24 dev npa", "ip -n " + b + " addr add 10.211.7.2/24 dev npb",
		"ip -n " + a + " link set npa up", "ip -n " + b + " link set npb up",
		"ip netns exec " + a + " ethtool -K npa tso off gso off",
		"ip netns exec " + a + " tc qdisc add dev npa root tbf rate 100mbit burst 32kb latency 50ms",
	} {
		words := strings.Fields(line)
		if out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput(); err != nil && !slices.Contains(words, "ethtool") {
			t.Skipf("network namespaces need root and iproute2 (make judges installs it): %s: %v: %s", line, err, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	listening := make(chan struct{})
	go func() {
		runtime.LockOSThread() // its thread ends with it, and the namespace with the thread
		enter(t, b)
		listener, err := net.Listen("tcp", "10.211.7.2:7077")
		close(listening)
		if err != nil {
			ended <- err
			return
		}
		ended <- Serve(ctx, listener, secret)
	}()
	<-listening
	var rates []float64
	measured := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		enter(t, a)
		measured <- Measure(ctx, Setting{
			Secret: secret,
			Micro:  plan.Micro{Probe: "network", Host: "10.211.7.2", Streams: 1, Duration: unit.Duration(2 * time.Second), Replicates: 4}, Only: "send",
			Trial: func(row record.Trial) {
				if row.Phase == record.Measure {
					rates = append(rates, float64(row.Bytes)/(float64(row.End-row.Start)/1e9))
				}
			},
		})
	}()
	if err := <-measured; err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	share := stats.Middle(rates) / truthRate
	t.Logf("sent at %.4f of the rate of the link", share)
	if share < .85 || share > 1.0 {
		t.Errorf("sent at %v of the link's rate, want 0.96 as far as a trip for each replicate leaves", share)
	}
}

// enter puts the calling thread into a network namespace.
func enter(t *testing.T, name string) {
	f, err := os.Open("/run/netns/" + name)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWNET); err != nil {
		t.Error(err)
	}
}
