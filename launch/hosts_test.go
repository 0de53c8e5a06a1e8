package launch

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestReadHosts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hosts")
	text := "# the rack\ngpu1 slots=8\n\nroot@gpu2 port=2222 slots=4 -o ProxyJump=login -i key # the far one\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadHosts([]string{path, "gpu3 user=ann"})
	want := []Host{
		{Name: "gpu1", Slots: 8},
		{Name: "gpu2", Slots: 4, User: "root", Port: "2222", Options: []string{"-o", "ProxyJump=login", "-i", "key"}},
		{Name: "gpu3", Slots: 1, User: "ann"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadHosts = %+v, %v; want %+v", got, err, want)
	}
}

func TestReadHostsRefuses(t *testing.T) {
	t.Parallel()
	f := func(want string, entries ...string) {
		t.Helper()
		if _, err := ReadHosts(entries); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadHosts(%q) = %v, want %q", entries, err, want)
		}
	}
	f("no host is named")
	f("no host is named", "# nobody")
	f(`want slots=N`, "gpu1 slots=0")
	f(`want slots=N`, "gpu1 port=70000")
	f(`want slots=N`, "gpu1 user=-oProxyCommand=x")
	f("the name of a host first", "-oProxyCommand=x")
	f("the name of a host first", "-l@gpu1")
	f("named twice", "gpu1", "gpu1 slots=2")
	f("no such file", "./no-such-file")
}

func TestSeats(t *testing.T) {
	t.Parallel()
	hosts := []Host{{Name: "a", Slots: 2}, {Name: "b", Slots: 2}}
	got, err := seats(hosts, 3)
	want := [][]seat{{{0, 3, 0, 2}, {1, 3, 1, 2}}, {{2, 3, 0, 1}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("seats = %v, %v; want %v", got, err, want)
	}
	if _, err := seats(hosts, 5); err == nil || !strings.Contains(err.Error(), "2 hosts that take 4") {
		t.Errorf("five ranks on four slots: %v, want that it says so", err)
	}
}
