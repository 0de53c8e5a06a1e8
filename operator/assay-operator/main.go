// Command assay-operator carries BenchmarkRun objects of a Kubernetes cluster out.
//
// It is a program of its own because what it speaks to a cluster with is as large as half
// of assay, and nobody needs it who has no cluster. assay operator starts it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"assay/operator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code) // the only exit
}

const usage = `Usage: assay operator [flags]
       assay-operator [flags]

Carries BenchmarkRun objects of a Kubernetes cluster out: each becomes one JobSet, admitted
by Kueue where the object names a queue, whose pod runs assay and seals a bundle on a
PersistentVolumeClaim. kubectl get benchmarkruns shows where each stands.

`

// run reads flags and returns an exit code: 0 ended as asked, 1 failed, 2 misused.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o operator.Options
	flags := flag.NewFlagSet("assay-operator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	kubeconfig := flags.String("kubeconfig", "", "configuration `file` of the cluster; by default KUBECONFIG, the pod's service account, or ~/.kube/config")
	manifests := flags.Bool("print-manifests", false, "print the CRD, roles and Deployment for kubectl apply, and end")
	chart := flags.String("write-chart", "", "write a Helm chart into `folder`, made anew, and end")
	flags.StringVar(&o.Image, "image", "", "image that holds assay, for runs that name none")
	flags.StringVar(&o.Claim, "claim", "", "PersistentVolumeClaim of bundles, for runs that name none")
	flags.StringVar(&o.Namespace, "namespace", "", "the only namespace that is looked at; by default all")
	flags.StringVar(&o.LeaderNamespace, "leader-namespace", "", "namespace of the lease by which one of several operators acts; by default this one acts without asking")
	flags.StringVar(&o.MetricsAddress, "metrics", "", "`address` that serves metrics, such as :8080; by default none")
	flags.StringVar(&o.HealthAddress, "health", "", "`address` that serves /healthz and /readyz; by default none")
	flags.StringVar(&o.Webhook, "webhook", "", "`address` at which the API server asks before it takes an object, such as :9443; its certificate is kept in the namespace of --leader-namespace; by default none")
	flags.IntVar(&o.AtOnce, "at-once", 4, "runs that are reconciled at a time")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "assay-operator: got %q, want flags alone\n", flags.Arg(0))
		return 2
	}
	if o.AtOnce < 1 {
		fmt.Fprintf(stderr, "assay-operator: --at-once %d: want 1 or more\n", o.AtOnce)
		return 2
	}
	if *manifests && o.Image == "" {
		fmt.Fprintln(stderr, "assay-operator: --print-manifests: got no --image, and no image of assay is published: build one (make image), push it where the cluster finds it, and name it")
		return 2
	}
	o.Log = slog.New(slog.NewTextHandler(stderr, nil))
	if err := act(ctx, *kubeconfig, *manifests, *chart, o, stdout); err != nil {
		fmt.Fprintf(stderr, "assay-operator: %v\n", err)
		return 1
	}
	return 0
}

func act(ctx context.Context, kubeconfig string, manifests bool, chart string, o operator.Options, stdout io.Writer) error {
	if manifests {
		text, err := operator.Manifests(o)
		if err == nil {
			_, err = stdout.Write(text)
		}
		return err
	}
	if chart != "" {
		return operator.WriteChart(chart, o)
	}
	cfg, err := operator.Connect(kubeconfig)
	if err != nil {
		return err
	}
	return operator.Run(ctx, cfg, o)
}
