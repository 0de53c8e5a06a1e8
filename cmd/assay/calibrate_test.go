package main

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/target"
)

// The whole chain with real processes: nothing may be lost, and no reader may
// stamp a token before the simulator sent it by more than the clocks' distance.
func TestCalibrate(t *testing.T) {
	stdout, stderr, code := call(t, "calibrate", "--json", "--streams", "1,5", "--rounds", "2",
		"--ttft", "5ms", "--itl", "1ms", "--tokens", "20", "--readers", strings.Join(readers, ","))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	matchesSchema(t, "calibrate", stdout)
	var got calibration
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Trials) != 2*len(readers) {
		t.Fatalf("%d trials, want %d", len(got.Trials), 2*len(readers))
	}
	for _, r := range got.Trials {
		if r.Lost != 0 || r.Failed != 0 || r.Events != r.Streams*20 || r.TTFT.N != r.Streams {
			t.Errorf("%s, %d streams: %d events, %d lost, %d failed (%s)", r.Reader, r.Streams, r.Events, r.Lost, r.Failed, r.Error)
		}
		// The kernel begins to stamp some time after it was asked: on a busy host later.
		if r.Stamps != r.Reader && r.Stamps != strings.TrimSuffix(r.Reader, "+kernel") {
			t.Errorf("%s, %d streams: records say %q", r.Reader, r.Streams, r.Stamps)
		}
		if r.RSS <= 0 || r.CPU <= 0 || r.Startup <= 0 || r.Reads <= 0 || r.PerSecond <= 0 && r.Gap.N > 0 {
			t.Errorf("%s, %d streams: a figure is missing: %+v", r.Reader, r.Streams, r)
		}
	}
}

// TLS and HTTP/2 have rows of their own, in which nothing is lost either.
func TestCalibrateOtherWays(t *testing.T) {
	for _, args := range [][]string{{"--tls", "--http2"}, {"--http2"}} {
		stdout, stderr, code := call(t, append([]string{"calibrate", "--json", "--streams", "5", "--rounds", "2",
			"--ttft", "5ms", "--itl", "1ms", "--tokens", "20", "--readers", target.ReadEpoll + "," + target.ReadNetHTTP}, args...)...)
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		var got calibration
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		ways := []string{"", " over TLS", " over HTTP/2 and TLS"}
		if len(args) == 1 {
			ways = []string{"", " over HTTP/2"}
		}
		var want []string
		for _, way := range ways {
			want = append(want, target.ReadEpoll+way, target.ReadNetHTTP+way)
		}
		if len(got.Trials) != len(want) {
			t.Fatalf("%v: %d trials, want %d", args, len(got.Trials), len(want))
		}
		for i, r := range got.Trials {
			if r.Stamps != want[i] || r.Lost != 0 || r.Failed != 0 || r.Events != 5*20 {
				t.Errorf("%v: stamped by %q, %d events, %d lost, %d failed (%s); want %q", args, r.Stamps, r.Events, r.Lost, r.Failed, r.Error, want[i])
			}
		}
	}
}

func TestCalibratePrints(t *testing.T) {
	stdout, stderr, code := call(t, "calibrate", "--streams", "2", "--rounds", "2", "--ttft", "1ms", "--itl", "1ms",
		"--tokens", "5", "--readers", target.ReadKernel+","+target.ReadNetHTTP)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"truth: 1ms, then 1ms × 4", "load average", target.ReadKernel, "2 streams, net/http against epoll+kernel"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := call(t, append([]string{"calibrate"}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q; want %d and %q", args, code, stderr, exitUsage, want)
		}
	}
	f("--streams", "--streams", "0")
	f("--streams", "--streams", "many")
	f("ulimit", "--streams", "100000000")
	f("--readers", "--readers", "curl")
	f("--trials", "--trials", "0")
	f("--rounds", "--rounds", "1")
	f("--tokens", "--tokens", "1")
}
