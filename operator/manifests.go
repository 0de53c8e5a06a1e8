package operator

import (
	"bytes"
	"cmp"
	"fmt"

	"sigs.k8s.io/yaml"

	"assay/spec"
)

// systemNamespace is where the operator lives.
const systemNamespace = "assay-system"

// imageHere stands for the image in manifests that kustomize completes. There is no
// published one: make image builds it.
const imageHere = "assay"

// Manifests are what kubectl apply needs for an operator with these options: the CRD, its
// roles, its Deployment, and what its webhook needs where it has one, which then listens on
// a port of its own.
func Manifests(o Options) ([]byte, error) {
	var out []byte
	if o.Webhook != "" {
		o.Webhook = podWebhook
	}
	for _, kind := range spec.CRDKinds() {
		crd, err := spec.CRD(kind)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "---\n"...), crd...)
	}
	all := append([]object{{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": systemNamespace}}}, installation(o, systemNamespace, 2)...)
	if o.Webhook != "" {
		all = append(all, webhookObjects(systemNamespace)...)
	}
	text, err := documents(all)
	return bytes.TrimPrefix(append(out, text...), []byte("---\n")), err
}

// installation is everything but the CRDs and the namespace. Replicas is a number, or the
// words of a chart that become one.
func installation(o Options, namespace string, replicas any) []object {
	return append(roles(namespace), deployment(o, namespace, replicas))
}

// documents writes objects as YAML documents.
func documents(all []object) (out []byte, err error) {
	for _, one := range all {
		text, err := yaml.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("write a manifest: %w", err)
		}
		out = append(append(out, "---\n"...), text...)
	}
	return out, nil
}

// roles are the operator's account and permissions.
func roles(namespace string) []object {
	account := []any{object{"kind": "ServiceAccount", "name": leaseName, "namespace": namespace}}
	meta := func(namespaced bool) object {
		m := object{"name": leaseName, "labels": object{"app.kubernetes.io/name": leaseName}}
		if namespaced {
			m["namespace"] = namespace
		}
		return m
	}
	const rbac = "rbac.authorization.k8s.io"
	return []object{
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta(true)},
		{"apiVersion": rbac + "/v1", "kind": "ClusterRole", "metadata": meta(false), "rules": rules(permissions)},
		{"apiVersion": rbac + "/v1", "kind": "ClusterRoleBinding", "metadata": meta(false), "subjects": account,
			"roleRef": object{"apiGroup": rbac, "kind": "ClusterRole", "name": leaseName}},
		{"apiVersion": rbac + "/v1", "kind": "Role", "metadata": meta(true), "rules": rules(leading)},
		{"apiVersion": rbac + "/v1", "kind": "RoleBinding", "metadata": meta(true), "subjects": account,
			"roleRef": object{"apiGroup": rbac, "kind": "Role", "name": leaseName}},
	}
}

func rules(table []permission) (rules []any) {
	for _, p := range table {
		verbs := []any{}
		for _, v := range p.verbs {
			verbs = append(verbs, v)
		}
		rules = append(rules, object{"apiGroups": []any{p.group}, "resources": []any{p.resource}, "verbs": verbs})
	}
	return rules
}

// deployment is two operators, of which one acts.
func deployment(o Options, namespace string, replicas any) object {
	image := cmp.Or(o.Image, imageHere)
	args := []any{
		"--image=" + image, "--claim=" + o.Claim, "--namespace=" + o.Namespace, "--leader-namespace=" + namespace,
		"--metrics=:8080", "--health=:8081", "--webhook=" + o.Webhook,
	}
	probe := func(path string) object { return object{"httpGet": object{"path": path, "port": "health"}} }
	labels := object{"app.kubernetes.io/name": leaseName}
	return object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": object{"name": leaseName, "namespace": namespace, "labels": labels},
		"spec": object{
			"replicas": replicas, "selector": object{"matchLabels": labels},
			"template": object{
				"metadata": object{"labels": labels},
				"spec": object{
					"serviceAccountName": leaseName,
					"securityContext":    object{"runAsNonRoot": true, "runAsUser": user, "seccompProfile": object{"type": "RuntimeDefault"}},
					"containers": []any{object{
						"name": "operator", "image": image, "command": []any{"/usr/local/bin/assay-operator"}, "args": args,
						"ports":         []any{object{"name": "metrics", "containerPort": 8080}, object{"name": "health", "containerPort": 8081}},
						"livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
						"resources": object{"requests": object{"cpu": "50m", "memory": "64Mi"}, "limits": object{"memory": "256Mi"}},
						"securityContext": object{
							"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []any{"ALL"}},
						},
					}},
				},
			},
		},
	}
}
