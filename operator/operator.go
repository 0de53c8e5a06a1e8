// Package operator carries BenchmarkRun objects of a Kubernetes cluster out.
//
// For each object it checks the spec with the code of assay validate, makes one JobSet
// whose pod runs assay run, leaves admission to Kueue where the spec names a queue,
// follows what the cluster says into the object's status, and hands the scheduler's
// evidence to the pod before it begins, so that the bundle holds it. It measures nothing
// and judges nothing: what a run found is in its bundle.
//
// The cluster is read into plain values (observe.go), on which everything is decided by
// functions without a client (decide.go); reconcile.go alone acts. To follow something new,
// add a field to children, read it in observe.go and a case to decide.
package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	controllers "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Options are the operator's settings.
type Options struct {
	// Image holds assay, for runs that name none. Such a run is rejected where it is empty.
	Image string

	// Claim is the PersistentVolumeClaim of bundles, for runs that name neither one nor an
	// object store. Such a run is rejected where it is empty.
	Claim string

	// Namespace is the only one that is looked at; empty means all.
	Namespace string

	// LeaderNamespace holds the lease by which one of several operators acts. Empty means
	// that this one acts without asking.
	LeaderNamespace string

	// MetricsAddress serves Prometheus' metrics, HealthAddress /healthz and /readyz. Empty
	// serves none.
	MetricsAddress string
	HealthAddress  string

	// Webhook is the address at which the API server asks before it takes an object, such as
	// :9443. Empty has it take everything that the CRD allows, and the operator reject later.
	Webhook string

	// AtOnce is how many runs are reconciled at a time; 0 means 4.
	AtOnce int

	// Log gets what the operator does; nil means nothing is said.
	Log *slog.Logger
}

// leaseName is the lease's.
const leaseName = "assay-operator"

// Connect reads the configuration of a cluster: the file, or else KUBECONFIG, the pod's
// service account, ~/.kube/config.
func Connect(kubeconfig string) (*rest.Config, error) {
	if kubeconfig != "" {
		return fileConfig(kubeconfig)
	}
	cfg, err := config.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster is known here: pass --kubeconfig, set KUBECONFIG, or run in a pod: %w", err)
	}
	return cfg, nil
}

// fileConfig reads one configuration file and nothing else.
func fileConfig(file string) (*rest.Config, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	return cfg, nil
}

// Run carries runs out until ctx ends.
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	log := logr.Discard()
	if o.Log != nil {
		log = logr.FromSlogHandler(o.Log.Handler())
	}
	ctrl.SetLogger(log) // for parts of controller-runtime that have no other
	hook, err := newWebhook(ctx, cfg, o)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(cfg, managed(o, hook, log))
	if err != nil {
		return fmt.Errorf("reach the cluster: %w", err)
	}
	r := &reconciler{
		Client: manager.GetClient(), live: manager.GetAPIReader(), recorder: manager.GetEventRecorder("assay-operator"),
		options: o, now: time.Now,
	}
	if r.kueue, err = installed(manager.GetRESTMapper()); err != nil {
		return err
	}
	if err := r.register(manager, cmp.Or(o.AtOnce, 4)); err != nil {
		return err
	}
	made := &scheduler{Client: r.Client, live: r.live, recorder: r.recorder, options: o, kueue: r.kueue, now: r.now}
	if err := made.register(manager); err != nil {
		return err
	}
	if hook != nil {
		if err := hook.register(manager, o, r.kueue); err != nil {
			return err
		}
	}
	if err := errors.Join(manager.AddHealthzCheck("alive", healthz.Ping), manager.AddReadyzCheck("synced", synced(manager.GetCache()))); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// synced says that the caches hold the cluster.
func synced(c cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !c.WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
}

// managed are the manager's options.
func managed(o Options, hook *webhookServer, log logr.Logger) ctrl.Options {
	named := true // two operators in one process, as tests have them, share no names
	options := ctrl.Options{
		Scheme: scheme(), Logger: log,
		Metrics: metricsserver.Options{BindAddress: off(o.MetricsAddress)}, HealthProbeBindAddress: off(o.HealthAddress),
		LeaderElection: o.LeaderNamespace != "", LeaderElectionID: leaseName, LeaderElectionNamespace: o.LeaderNamespace,
		LeaderElectionReleaseOnCancel: true,
		Controller:                    controllers.Controller{SkipNameValidation: &named},
		Client:                        client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		// Pods of others are many, and only asked for when their node is looked at.
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}: {Label: ours()}, &corev1.ConfigMap{}: {Label: ours()},
		}},
	}
	if hook != nil {
		options.WebhookServer = hook.Server
	}
	if o.Namespace != "" {
		options.Cache.DefaultNamespaces = map[string]cache.Config{o.Namespace: {}}
	}
	return options
}

// off is how controller-runtime wants to be told to serve nothing.
func off(address string) string {
	if address == "" {
		return "0"
	}
	return address
}

// ours selects what the operator has made.
func ours() labels.Selector {
	has, err := labels.NewRequirement(labelUID, selection.Exists, nil)
	utilruntime.Must(err) // a bug in our own names
	return labels.NewSelector().Add(*has)
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(s))
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return s
}

// installed reports whether the cluster has Kueue. Without BenchmarkRun or JobSet there is
// nothing to do.
func installed(mapper meta.RESTMapper) (kueue bool, err error) {
	for _, needed := range []struct {
		kind schema.GroupVersionKind
		cure string
	}{
		{runKind, "kubectl apply -f config/crd/benchmarkruns.assay.dev.yaml, or assay schema crd | kubectl apply -f -"},
		{scheduleKind, "the CRDs are those of another version: assay operator --print-manifests --image IMAGE | kubectl apply --server-side -f -"},
		{jobSetKind, "install JobSet (0.12 is tested): https://jobset.sigs.k8s.io/docs/installation"},
	} {
		if _, err := mapper.RESTMapping(needed.kind.GroupKind(), needed.kind.Version); meta.IsNoMatchError(err) {
			return false, fmt.Errorf("the cluster knows no %s of %s: %s", needed.kind.Kind, needed.kind.GroupVersion(), needed.cure)
		} else if err != nil {
			return false, fmt.Errorf("ask the cluster for %s: %w", needed.kind.Kind, err)
		}
	}
	_, err = mapper.RESTMapping(workloadKind.GroupKind(), workloadKind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	return err == nil, err
}
