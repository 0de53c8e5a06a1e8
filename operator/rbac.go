package operator

// A permission is one thing that the operator does to objects of a kind, and why.
type permission struct {
	group, resource string
	verbs           []string
	why             string
}

// permissions are everything that the operator may do. The manifests are made from it.
var permissions = []permission{
	{"assay.dev", "benchmarkruns", []string{"get", "list", "watch", "update", "create", "delete"}, "the runs; update is for the finalizer, create and delete are for those of schedules"},
	{"assay.dev", "benchmarkruns/status", []string{"update"}, "where they stand"},
	{"assay.dev", "benchmarkruns/finalizers", []string{"update"}, "owning JobSets where a cluster guards owner references"},
	{"assay.dev", "benchmarkschedules", []string{"get", "list", "watch"}, "the schedules"},
	{"assay.dev", "benchmarkschedules/status", []string{"update"}, "when they ran and run next"},
	{"assay.dev", "benchmarkschedules/finalizers", []string{"update"}, "owning runs where a cluster guards owner references"},
	{"jobset.x-k8s.io", "jobsets", []string{"get", "list", "watch", "create", "patch", "delete"}, "one for each run"},
	{"", "configmaps", []string{"get", "list", "watch", "create", "patch"}, "what the pod of a run reads"},
	{"", "secrets", []string{"create"}, "what the pods of one run know each other by; none can be read"},
	{"", "pods", []string{"get", "list", "watch"}, "how runs go, and who else is on their nodes"},
	{"kueue.x-k8s.io", "workloads", []string{"get", "list", "watch"}, "what Kueue did"},
	{"events.k8s.io", "events", []string{"create", "patch"}, "every new phase"},
}

// leading are what the operator may do in its own namespace: hold the lease.
var leading = []permission{
	{"coordination.k8s.io", "leases", []string{"get", "create", "update"}, "one of several operators acts"},
	{"events.k8s.io", "events", []string{"create", "patch"}, "who does"},
	{"", "events", []string{"create", "patch"}, "the same, as the lease's own code says it"},
}
