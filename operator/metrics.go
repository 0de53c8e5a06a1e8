package operator

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// reached counts the phases that runs came to. How long reconciling takes, and how often it
// fails, controller-runtime counts itself.
var reached = func() *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_operator_phases_total", Help: "Runs that came to a phase, by phase.",
	}, []string{"phase"})
	metrics.Registry.MustRegister(c)
	return c
}()

// scheduleMissed counts due times of schedules that no run was made for.
var scheduleMissed = func() *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_operator_missed_runs_total", Help: "Due times of schedules without a run, by reason.",
	}, []string{"reason"})
	metrics.Registry.MustRegister(c)
	return c
}()
