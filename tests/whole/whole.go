// Package whole tells the tests that take long from those that everybody runs: go test
// ./... takes minutes, make test runs every test, and make exhaustive every case of
// those that make test samples.
package whole

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// Tests hold little and leave much behind: collecting it a quarter as often takes a tenth less
// time. The program, where tests start it, collects as users have it. Whoever sets GOGC knows better.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Variable says which tests run: every one of them where it is "all", with every case
// where it is "exhaustive".
const Variable = "ASSAY_TESTS"

// Only skips a test that takes long, unless every test is asked for.
func Only(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skipf("takes long: make test runs it, or %s=all", Variable)
	}
}

// Every skips a test that takes longer still, unless every case is asked for.
func Every(t testing.TB) {
	t.Helper()
	if !Exhaustive() {
		t.Skipf("takes very long: make exhaustive runs it, or %s=exhaustive", Variable)
	}
}

// AtOnce has a package whose tests mostly wait for what they measure run n of them at a
// time: go test runs as many as there are cores, which then have nothing to do. The flag
// -parallel still counts. TestMain calls it before it runs the tests.
func AtOnce(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(n)); err != nil {
		panic(err) // no test binary, or no number
	}
}

// All reports whether every test is asked for, also those that take long.
func All() bool { return os.Getenv(Variable) == "all" || Exhaustive() }

// Exhaustive reports whether every case is asked for.
func Exhaustive() bool { return os.Getenv(Variable) == "exhaustive" }

// Stride is the distance between two cases that are tried: n, or 1 where every case is
// asked for. A prime n meets all combinations of a few small axes.
func Stride(n int) int {
	if Exhaustive() {
		return 1
	}
	return n
}

// Cluster skips a test that makes hosts of its own, unless those are asked for: make
// test-cluster installs what they need and runs them.
func Cluster(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "cluster" {
		t.Skipf("makes a cluster: make test-cluster runs it, or %s=cluster", Variable)
	}
}

// Engines skips a test that starts databases of others, unless that is asked for: make
// test-engines installs them and runs them.
func Engines(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "engines" {
		t.Skipf("starts databases: make test-engines runs it, or %s=engines", Variable)
	}
}

// OIDC skips a test that starts an OpenID Connect provider of others, unless that is asked
// for: make test-oidc builds it and runs them.
func OIDC(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "oidc" {
		t.Skipf("starts an OpenID Connect provider: make test-oidc runs it, or %s=oidc", Variable)
	}
}

// Quiet skips a test that can only judge on a machine that nobody else uses, unless it is
// asked for: a target of make that says so runs it.
func Quiet(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "quiet" {
		t.Skipf("wants a machine for itself: %s=quiet", Variable)
	}
}
