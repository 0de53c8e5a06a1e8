package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A link is two places and how bytes get from one to the other.
type link struct {
	name    string
	hosts   [2]string   // addresses of the two
	enter   [2][]string // what a command is started by to run there
	goodput float64     // bytes per second that TCP can carry; 0 when nobody knows
}

func (l link) command(ctx context.Context, side int, args ...string) *exec.Cmd {
	args = append(append([]string{}, l.enter[side]...), args...)
	return exec.CommandContext(ctx, args[0], args[1:]...)
}

func loopback() link { return link{name: "loopback", hosts: [2]string{"127.0.0.1", "127.0.0.1"}} }

// A segment of 1448 bytes of data goes in a frame of 1514 through the shaper.
const segment, frame = 1448, 1514

// shapedLink joins two namespaces by a pair of virtual cards, both shaped. Remove
// takes them away.
func shapedLink(ctx context.Context, rate int) (l link, remove func(), err error) {
	id := os.Getpid()
	spaces := [2]string{fmt.Sprintf("native-%d-0", id), fmt.Sprintf("native-%d-1", id)}
	l = link{
		name:    fmt.Sprintf("namespaces, tbf %d Mbit/s on both sides", rate),
		hosts:   [2]string{"10.77.0.1", "10.77.0.2"},
		goodput: float64(rate) * 1e6 / 8 * segment / frame,
	}
	remove = func() {
		for _, space := range spaces {
			_ = exec.Command("ip", "netns", "del", space).Run() // its card goes with it
		}
	}
	cards := [2]string{fmt.Sprintf("na%d", id), fmt.Sprintf("nb%d", id)}
	steps := [][]string{
		{"ip", "netns", "add", spaces[0]},
		{"ip", "netns", "add", spaces[1]},
		{"ip", "link", "add", cards[0], "netns", spaces[0], "type", "veth", "peer", "name", cards[1], "netns", spaces[1]},
	}
	for i, space := range spaces {
		l.enter[i] = []string{"ip", "netns", "exec", space}
		steps = append(steps,
			[]string{"ip", "-n", space, "addr", "add", l.hosts[i] + "/24", "dev", cards[i]},
			[]string{"ip", "-n", space, "link", "set", cards[i], "up"},
			[]string{"ip", "-n", space, "link", "set", "lo", "up"},
			[]string{"tc", "-n", space, "qdisc", "add", "dev", cards[i], "root", "tbf", "rate", fmt.Sprintf("%dmbit", rate), "burst", "64kb", "latency", "50ms"},
		)
	}
	for _, step := range steps {
		if out, err := exec.CommandContext(ctx, step[0], step[1:]...).CombinedOutput(); err != nil {
			remove()
			return l, nil, fmt.Errorf("%s: %w: %s", strings.Join(step, " "), err, out)
		}
	}
	return l, remove, nil
}

const iperfPort = 47_311

// iperf is what iperf3 receives one way, of payload. With bidir it is the mean of both
// ways. On a shaped link the first second is left out: a token bucket that is full lets
// its burst through at any rate.
func iperf(ctx context.Context, l link, bidir bool, seconds float64) (flow, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second))+20*time.Second)
	defer cancel()
	server := l.command(ctx, 1, "iperf3", "-s", "-1", "-p", strconv.Itoa(iperfPort))
	if err := server.Start(); err != nil {
		return flow{}, err
	}
	args := []string{"iperf3", "-c", l.hosts[1], "-p", strconv.Itoa(iperfPort), "-t", strconv.Itoa(max(1, int(seconds+.5))), "-J"}
	if bidir {
		args = append(args, "--bidir")
	}
	if l.goodput > 0 {
		args = append(args, "-O", "1")
	}
	client, said, err := iperfClient(ctx, l, args)
	if err != nil {
		_ = server.Process.Kill()
		_ = server.Wait()
		return flow{}, fmt.Errorf("iperf3: %w", err)
	}
	if err := server.Wait(); err != nil {
		return flow{}, fmt.Errorf("iperf3 -s: %w", err)
	}
	there, back := said.End.Received, said.End.Back
	rate := there.Rate / 8
	if bidir {
		rate = (there.Rate + back.Rate) / 2 / 8
	}
	cpu := client.UserTime() + client.SystemTime() + server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	return flow{rate, cpu.Seconds() / (there.Bytes + back.Bytes)}, nil
}

// iperfSaid is what is of use here of iperf3's JSON.
type iperfSaid struct {
	Error string `json:"error"`
	End   struct {
		Received iperfSum `json:"sum_received"`
		Back     iperfSum `json:"sum_received_bidir_reverse"`
	} `json:"end"`
}

type iperfSum struct {
	Rate  float64 `json:"bits_per_second"`
	Bytes float64 `json:"bytes"`
}

// iperfClient tries until the server listens.
func iperfClient(ctx context.Context, l link, args []string) (*os.ProcessState, iperfSaid, error) {
	for {
		time.Sleep(50 * time.Millisecond)
		cmd := l.command(ctx, 0, args...)
		out, err := cmd.Output()
		var said iperfSaid
		if parsed := json.Unmarshal(out, &said); parsed != nil {
			return nil, said, errors.Join(err, parsed)
		}
		if said.Error == "" {
			return cmd.ProcessState, said, err
		}
		if !strings.Contains(said.Error, "refused") || ctx.Err() != nil {
			return nil, said, errors.New(said.Error)
		}
	}
}
