package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// The two hosts: namespaces joined by a pair of virtual interfaces of one name.
var namespaces = [2]string{"assay-overlap-0", "assay-overlap-1"}

const device = "veth-assay"

// A link joins the two namespaces.
type link struct{}

// join makes the namespaces and their link.
func join(ctx context.Context) (*link, error) {
	l := &link{}
	l.part() // what an earlier run that was killed may have left
	steps := []string{
		"ip netns add " + namespaces[0],
		"ip netns add " + namespaces[1],
		fmt.Sprintf("ip link add %s netns %s type veth peer name %s netns %s", device, namespaces[0], device, namespaces[1]),
	}
	for i, ns := range namespaces {
		steps = append(steps,
			fmt.Sprintf("ip -n %s addr add 10.77.0.%d/24 dev %s", ns, i+1, device),
			fmt.Sprintf("ip -n %s link set %s up", ns, device),
			fmt.Sprintf("ip -n %s link set lo up", ns))
	}
	for _, step := range steps {
		if err := do(ctx, step); err != nil {
			l.part()
			return nil, err
		}
	}
	return l, nil
}

// shape gives each rank's way out its rate, in bit/s.
func (l *link) shape(ctx context.Context, rates [2]float64) error {
	for i, ns := range namespaces {
		if err := do(ctx, fmt.Sprintf("tc -n %s qdisc replace dev %s root tbf rate %.0fbit burst 64kb latency 400ms", ns, device, rates[i])); err != nil {
			return err
		}
	}
	return nil
}

// part takes the namespaces away; their link goes with them.
func (l *link) part() {
	for _, ns := range namespaces {
		_ = exec.Command("ip", "netns", "del", ns).Run()
	}
}

func do(ctx context.Context, line string) error {
	words := strings.Fields(line)
	if said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, said)
	}
	return nil
}
