package operator

// webhookPort is the one of an operator in a pod.
const (
	webhookPort = 9443
	podWebhook  = ":9443"
)

// webhookName is that of the webhook's Service, Secret and roles.
const webhookName = leaseName + "-webhook"

// webhookObjects are what an operator with a webhook needs beside the others: a Service that
// the API server reaches it by, its configuration, and the right to keep a certificate.
func webhookObjects(namespace string) []object {
	labels := object{"app.kubernetes.io/name": leaseName}
	meta := func(name string, namespaced bool) object {
		m := object{"name": name, "labels": labels}
		if namespaced {
			m["namespace"] = namespace
		}
		return m
	}
	const rbac = "rbac.authorization.k8s.io"
	account := []any{object{"kind": "ServiceAccount", "name": leaseName, "namespace": namespace}}
	bound := func(role string) object { return object{"apiGroup": rbac, "kind": role, "name": webhookName} }
	rule := func(group, resource, name string, verbs ...any) object {
		r := object{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs}
		if name != "" {
			r["resourceNames"] = []any{name}
		}
		return r
	}
	return []object{
		{"apiVersion": "v1", "kind": "Service", "metadata": meta(webhookName, true), "spec": object{
			"selector": labels, "ports": []any{object{"name": "webhook", "port": 443, "targetPort": webhookPort}},
		}},
		// Its own configuration, and its own certificate; nobody can be given the right to
		// create one name alone.
		{"apiVersion": rbac + "/v1", "kind": "ClusterRole", "metadata": meta(webhookName, false), "rules": []any{
			rule(webhookKind.Group, "validatingwebhookconfigurations", leaseName, "get", "update"),
		}},
		{"apiVersion": rbac + "/v1", "kind": "ClusterRoleBinding", "metadata": meta(webhookName, false), "subjects": account, "roleRef": bound("ClusterRole")},
		{"apiVersion": rbac + "/v1", "kind": "Role", "metadata": meta(webhookName, true), "rules": []any{
			rule("", "secrets", "", "create"), rule("", "secrets", webhookName, "get", "update"),
		}},
		{"apiVersion": rbac + "/v1", "kind": "RoleBinding", "metadata": meta(webhookName, true), "subjects": account, "roleRef": bound("Role")},
		{"apiVersion": webhookKind.GroupVersion().String(), "kind": webhookKind.Kind, "metadata": meta(leaseName, false), "webhooks": []any{webhookFor(namespace)}},
	}
}

// webhookFor asks for every object that is made or changed. One that cannot be asked about is
// taken: the operator checks it again, and a cluster whose operator is away still takes runs
// that wait for it.
func webhookFor(namespace string) object {
	return object{
		"name": "validate." + runKind.Group, "admissionReviewVersions": []any{"v1"}, "sideEffects": "None",
		"failurePolicy": "Ignore", "timeoutSeconds": 5,
		// Objects of later versions come as those of this one.
		"matchPolicy":  "Equivalent",
		"clientConfig": object{"service": object{"name": webhookName, "namespace": namespace, "path": webhookPath, "port": 443}},
		"rules": []any{object{
			"apiGroups": []any{runKind.Group}, "apiVersions": []any{runKind.Version}, "operations": []any{"CREATE", "UPDATE"},
			"resources": []any{"benchmarkruns", "benchmarkschedules"}, "scope": "Namespaced",
		}},
	}
}
