// Package engines starts databases of others for tests, each in a folder of its own and as
// a user without rights: Debian's Postgres, Debian's ClickHouse of 2018, ClickHouse's
// engine of today (chDB) behind its HTTP interface. It is no part of the product. What is
// not installed skips the test; make test-engines installs it.
package engines

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The account of every server.
const (
	User     = "assay"
	Password = "open sesame & more"
)

// Postgres starts a server and returns its host and port.
func Postgres(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Skip("no Postgres here: make test-engines installs it")
	}
	bin := filepath.Dir(slices.Max(found))
	as, dir := unprivileged(t)
	secret := filepath.Join(dir, "password")
	must(t, os.WriteFile(secret, []byte(Password), 0o644))
	setup := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", User, "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "--locale", "C", "--no-sync")
	setup.SysProcAttr, setup.Dir = as, dir
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := freePort(t)
	start(t, as, dir, filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
	address := "127.0.0.1:" + port
	listens(t, address)
	for range 1200 { // it listens before it lets anybody in
		if exec.Command(filepath.Join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port).Run() == nil {
			return address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("Postgres does not get ready")
	return ""
}

// OldClickHouse starts Debian's ClickHouse and returns the host and port of its HTTP
// interface.
func OldClickHouse(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("clickhouse-server")
	if err != nil {
		t.Skip("no clickhouse-server here: make test-engines installs it")
	}
	as, dir := unprivileged(t)
	port := freePort(t)
	config := fmt.Sprintf(`<yandex><logger><level>none</level></logger><http_port>%s</http_port><listen_host>127.0.0.1</listen_host>
<path>%[2]s/</path><tmp_path>%[2]s/tmp/</tmp_path><users_config>%[2]s/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size></yandex>`, port, dir)
	users := fmt.Sprintf(`<yandex><profiles><default></default></profiles><quotas><default></default></quotas><users><%[1]s><password><![CDATA[%[2]s]]></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></%[1]s></users></yandex>`, User, Password)
	must(t, os.WriteFile(filepath.Join(dir, "config.xml"), []byte(config), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "users.xml"), []byte(users), 0o644))
	start(t, as, dir, program, "--config-file", filepath.Join(dir, "config.xml"))
	address := "127.0.0.1:" + port
	listens(t, address)
	return address
}

// ClickHouse starts the engine of today and returns the host and port of its HTTP
// interface.
func ClickHouse(t testing.TB) string {
	t.Helper()
	python := os.Getenv("ASSAY_ENGINES_PYTHON")
	if python == "" {
		python = filepath.Join(root(), ".venv-engines", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skip("no chDB here: make test-engines installs it")
	}
	cmd := exec.Command(python, filepath.Join(root(), "tests", "engines", "chdb_http.py"), t.TempDir(), User, Password)
	out, err := cmd.StdoutPipe()
	must(t, err)
	var story bytes.Buffer
	cmd.Stderr = &story
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // it says that it was killed
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("chDB does not start: %v\n%s", err, &story)
	}
	return "127.0.0.1:" + strings.TrimSpace(port)
}

// DuckDB is the program that answers with DuckDB.
func DuckDB(t testing.TB) string {
	t.Helper()
	path := filepath.Join(root(), "bin", "assay-duckdb")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no assay-duckdb here: make duckdb builds it")
	}
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// root is the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// unprivileged is a user without rights, where the test is run by root, and a folder that
// belongs to it: Postgres starts for nobody else.
func unprivileged(t testing.TB) (*syscall.SysProcAttr, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "assay-engine-") // t.TempDir is closed to others
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}, dir
	}
	nobody, err := user.Lookup("nobody")
	must(t, err)
	uid, err := strconv.Atoi(nobody.Uid)
	must(t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	must(t, err)
	must(t, os.Chown(dir, uid, gid))
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, dir
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	return port
}

// start runs a server that ends with the test.
func start(t testing.TB, as *syscall.SysProcAttr, dir, program string, args ...string) {
	t.Helper()
	var story bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = as, dir, &story, &story
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT) // Postgres leaves its children and memory otherwise
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", program, &story)
		}
	})
}

// listens waits until a server does.
func listens(t testing.TB, address string) {
	t.Helper()
	for range 1200 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing listens at %s", address)
}
