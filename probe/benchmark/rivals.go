package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"assay/plan"
	"assay/unit"
)

// The sizes that both sides use.
const (
	arrayBytes = 256 << 20
	fileBytes  = 256 << 20
)

// matches lists what can be compared here, and how to end what was started for it.
func (b bench) matches(ctx context.Context) (list []*match, end func(), err error) {
	end = func() {}
	leave := func(name string, err error) { fmt.Fprintf(os.Stderr, "%s is left out: %v\n", name, err) }
	if program, err := b.compiled(ctx); err != nil {
		leave("the C program", err)
	} else {
		for _, kernel := range []string{"copy", "triad"} {
			list = append(list, &match{name: "memory " + kernel, unit: unit.BytePerSecond, other: "C, gcc -O3", micro: plan.Micro{Probe: "memory"}, row: kernel, rival: func(ctx context.Context) (float64, error) {
				return said(ctx, kernel, program, strconv.Itoa(arrayBytes), fmt.Sprint(b.turn.Seconds()))
			}})
		}
		for _, size := range []int64{32 << 10, 1 << 20, 64 << 20} {
			name := unit.Bytes(size).String()
			list = append(list, &match{name: "loads in " + name, unit: unit.Second, other: "C, gcc -O3", micro: plan.Micro{Probe: "cache"}, row: name, size: size, rival: func(ctx context.Context) (float64, error) {
				return said(ctx, "chase", program, "chase", strconv.FormatInt(size, 10), fmt.Sprint(b.turn.Seconds()))
			}})
		}
	}
	if _, err := exec.LookPath("fio"); err != nil {
		leave("fio", err)
	} else {
		for _, kind := range []struct{ row, rw, bs, side string }{
			{"sequential read", "read", "1M", "read"}, {"sequential write", "write", "1M", "write"}, {"random read", "randread", "4k", "read"},
		} {
			m := &match{name: "disk " + kind.row, unit: unit.BytePerSecond, other: "fio, psync", micro: plan.Micro{Probe: "disk", FileSize: fileBytes}, row: kind.row}
			m.rival = func(ctx context.Context) (float64, error) { return b.fio(ctx, kind.rw, kind.bs, kind.side) }
			list = append(list, m)
		}
	}
	if _, err := exec.LookPath("iperf3"); err != nil {
		leave("iperf3", err)
	} else {
		port, stop, err := iperfServer(ctx)
		if err != nil {
			return nil, nil, err
		}
		end = stop
		for _, row := range []string{"send", "receive"} {
			args := map[string][]string{"send": nil, "receive": {"-R"}}[row]
			list = append(list, &match{name: "loopback " + row, unit: unit.BytePerSecond, other: "iperf3", micro: plan.Micro{Probe: "network", Streams: 1}, row: row, rival: func(ctx context.Context) (float64, error) {
				return b.iperf(ctx, port, args...)
			}})
		}
	}
	return list, end, nil
}

// said is the number beside a word that a program prints.
func said(ctx context.Context, word, program string, args ...string) (float64, error) {
	text, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(rest), 64)
		}
	}
	return 0, fmt.Errorf("%s does not say %s: %q", program, word, text)
}

func (b bench) fio(ctx context.Context, rw, bs, side string) (float64, error) {
	seconds := max(1, int(b.turn.Round(time.Second).Seconds())) // fio counts whole ones
	text, err := exec.CommandContext(ctx, "fio", "--name=rival", "--filename="+filepath.Join(b.dir, "fio"), "--rw="+rw, "--bs="+bs,
		"--size="+strconv.Itoa(fileBytes), "--direct=1", "--ioengine=psync", "--time_based", "--runtime="+strconv.Itoa(seconds), "--output-format=json").Output()
	if err != nil {
		return 0, err
	}
	var read struct {
		Jobs []map[string]json.RawMessage
	}
	var rate struct {
		Bytes float64 `json:"bw_bytes"`
	}
	if err := json.Unmarshal(text, &read); err != nil || len(read.Jobs) == 0 {
		return 0, fmt.Errorf("fio: %w: %.80q", err, text)
	}
	err = json.Unmarshal(read.Jobs[0][side], &rate)
	return rate.Bytes, err
}

// iperfServer starts a server on a port that was free a moment ago.
func iperfServer(ctx context.Context) (port string, stop func(), err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	_, port, _ = net.SplitHostPort(free.Addr().String())
	if err := free.Close(); err != nil {
		return "", nil, err
	}
	server := exec.CommandContext(ctx, "iperf3", "-s", "-B", "127.0.0.1", "-p", port)
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	time.Sleep(300 * time.Millisecond) // it does not say when it listens
	return port, func() { _ = server.Process.Kill(); _ = server.Wait() }, nil
}

func (b bench) iperf(ctx context.Context, port string, args ...string) (float64, error) {
	all := append([]string{"-c", "127.0.0.1", "-p", port, "-J", "-t", strconv.Itoa(max(1, int(b.turn.Round(time.Second).Seconds())))}, args...)
	text, err := exec.CommandContext(ctx, "iperf3", all...).Output()
	var read struct {
		Error string
		End   struct {
			Received struct {
				Bits float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		}
	}
	if jsonErr := json.Unmarshal(text, &read); err != nil || jsonErr != nil {
		return 0, fmt.Errorf("iperf3: %s %w", read.Error, err)
	}
	return read.End.Received.Bits / 8, nil
}
