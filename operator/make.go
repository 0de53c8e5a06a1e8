package operator

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// graceSeconds is how long a pod has to seal its bundle when it is asked to end. Judging a
// large run takes tens of seconds.
const graceSeconds = 120

// keptSeconds is how long a finished JobSet stays, with the logs of its pod.
const keptSeconds = int64(24 * time.Hour / time.Second)

// user is that of the image.
const user = 65532

// An object is a JSON object.
type object = map[string]any

// jobSetFor is the JobSet that carries the run out, once. It begins suspended
// where Kueue is to admit it.
func jobSetFor(u *unstructured.Unstructured, a accepted) *unstructured.Unstructured {
	labels := object{labelUID: string(u.GetUID())}
	if a.place.Queue != "" {
		labels[kueueQueue] = a.place.Queue
	}
	if a.place.PriorityClass != "" {
		labels[kueuePriority] = a.place.PriorityClass
	}
	j := child(u, labels)
	j.SetGroupVersionKind(jobSetKind)
	annotations := j.GetAnnotations()
	maps.Copy(annotations, a.place.Annotations)
	j.SetAnnotations(annotations)
	j.Object["spec"] = object{
		"suspend":                 a.place.Queue != "",
		"ttlSecondsAfterFinished": keptSeconds,
		// A second attempt would be another launch under the same name.
		"failurePolicy": object{"maxRestarts": int64(0)},
		// Members find the leader by its name.
		"network": object{"enableDNSHostnames": a.pods > 1},
		"replicatedJobs": []any{object{
			"name": replicatedJob, "replicas": int64(1),
			"template": object{"spec": jobFor(u, a)},
		}},
	}
	return j
}

// jobFor is the Job of the JobSet: one pod, or one for each rank, of which the first leads.
func jobFor(u *unstructured.Unstructured, a accepted) object {
	j := object{
		"parallelism": int64(a.pods), "completions": int64(a.pods), "backoffLimit": int64(0),
		"activeDeadlineSeconds": int64(a.place.Time.Std() / time.Second),
		"template":              podFor(u, a),
	}
	if a.pods > 1 {
		j["completionMode"] = "Indexed"
	}
	return j
}

// child is an object that belongs to the run and goes with it.
func child(u *unstructured.Unstructured, labels object) *unstructured.Unstructured {
	c := &unstructured.Unstructured{Object: object{"metadata": object{"labels": labels, "annotations": object{annotationRun: u.GetName()}}}}
	c.SetName(childName(u.GetName()))
	c.SetNamespace(u.GetNamespace())
	c.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(u, runKind)})
	return c
}

// podFor is the template of the pod.
func podFor(u *unstructured.Unstructured, a accepted) object {
	annotations := object{annotationRun: u.GetName()}
	for name, value := range map[string]string{kueueRequired: a.place.RequiredTopology, kueuePreferred: a.place.PreferredTopology} {
		if value != "" {
			annotations[name] = value
		}
	}
	pod := object{
		"restartPolicy":                 "Never",
		"automountServiceAccountToken":  false,
		"terminationGracePeriodSeconds": int64(graceSeconds),
		"securityContext": object{
			"runAsNonRoot": true, "runAsUser": int64(user), "runAsGroup": int64(user), "fsGroup": int64(user),
			"seccompProfile": object{"type": "RuntimeDefault"},
		},
		"containers": []any{containerFor(u, a)},
		"volumes":    volumesFor(u, a),
	}
	if a.place.Scheduler != "" {
		pod["schedulerName"] = a.place.Scheduler
	}
	if len(a.place.NodeSelector) > 0 {
		pod["nodeSelector"] = plain(a.place.NodeSelector)
	}
	if a.exclusive {
		pod["affinity"] = apart()
	}
	return object{"metadata": object{"labels": object{labelUID: string(u.GetUID())}, "annotations": annotations}, "spec": pod}
}

// apart keeps other runs off the node. Pods of others cannot be kept off without a taint;
// the node is looked at instead.
func apart() object {
	return object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []any{object{
		"topologyKey":       corev1.LabelHostname,
		"namespaceSelector": object{},
		"labelSelector":     object{"matchExpressions": []any{object{"key": labelUID, "operator": "Exists"}}},
	}}}}
}

// containerFor runs assay. It cannot begin before the ConfigMap holds its placement.
func containerFor(u *unstructured.Unstructured, a accepted) object {
	args := []any{"run", "/etc/assay/" + keySpec, "--out", "/runs"}
	mounts := []any{
		object{"name": "spec", "mountPath": "/etc/assay", "readOnly": true},
		object{"name": "runs", "mountPath": "/runs"},
		object{"name": "scratch", "mountPath": "/work"},
		object{"name": "scratch", "mountPath": "/tmp"},
	}
	if a.place.SigningKey != "" {
		args = append(args, "--key", "/etc/assay-key/private.pem")
		mounts = append(mounts, object{"name": "key", "mountPath": "/etc/assay-key", "readOnly": true})
	}
	env := []any{
		object{"name": "ASSAY_PLACEMENT", "valueFrom": object{"configMapKeyRef": object{"name": childName(u.GetName()), "key": keyPlacement}}},
		field("POD_NAME", "metadata.name"), field("POD_UID", "metadata.uid"), field("NODE_NAME", "spec.nodeName"),
	}
	if a.pods > 1 {
		env = append(env, membership(u, a.pods)...)
	}
	c := object{
		"name": container, "image": a.place.Image, "args": args, "volumeMounts": mounts,
		"terminationMessagePath": noteFile,
		"env":                    env,
		"securityContext": object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []any{"ALL"}},
		},
	}
	if len(a.place.Resources) > 0 {
		c["resources"] = object{"requests": plain(a.place.Resources), "limits": plain(a.place.Resources)}
	}
	if a.place.Secret != "" {
		c["envFrom"] = []any{object{"secretRef": object{"name": a.place.Secret}}}
	}
	return c
}

// membership is what a pod knows of the others: how many they are, where the first listens,
// and the secret by which they know each other. Its own number comes from its Job.
func membership(u *unstructured.Unstructured, pods int) []any {
	name := childName(u.GetName())
	port := meetingPort(u)
	return []any{
		object{"name": "PET_NNODES", "value": strconv.Itoa(pods)},
		object{"name": "ASSAY_MEETING", "value": fmt.Sprintf("%s-%s-0-0.%s:%d", name, replicatedJob, name, port)},
		// Its own name may not resolve yet when the leader begins to listen.
		field("POD_IP", "status.podIP"),
		object{"name": "ASSAY_LISTEN", "value": fmt.Sprintf("$(POD_IP):%d", port)},
		object{"name": envToken, "valueFrom": object{"secretKeyRef": object{"name": name, "key": envToken}}},
	}
}

// meetingPort is one below those that Linux hands out to clients, of which one may be in use
// where pods share the network of their node. There, runs have different ones.
func meetingPort(u *unstructured.Unstructured) int {
	h := fnv.New32a()
	io.WriteString(h, string(u.GetUID()))
	return 15000 + int(h.Sum32()%2000)
}

// secretFor holds what the pods of a run know each other by. The operator makes it and
// cannot read it.
func secretFor(u *unstructured.Unstructured) *unstructured.Unstructured {
	s := child(u, object{labelUID: string(u.GetUID())})
	s.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	s.Object["immutable"] = true
	s.Object["stringData"] = object{envToken: rand.Text() + rand.Text()}
	return s
}

func field(name, path string) object {
	return object{"name": name, "valueFrom": object{"fieldRef": object{"fieldPath": path}}}
}

func plain(m map[string]string) object {
	o := object{}
	for name, value := range m {
		o[name] = value
	}
	return o
}

func volumesFor(u *unstructured.Unstructured, a accepted) []any {
	runs := object{"name": "runs", "emptyDir": object{}} // on its way to a store
	if a.place.Claim != "" {
		runs = object{"name": "runs", "persistentVolumeClaim": object{"claimName": a.place.Claim}}
	}
	volumes := []any{
		object{"name": "spec", "configMap": object{"name": childName(u.GetName()), "items": []any{object{"key": keySpec, "path": keySpec}}}},
		runs,
		object{"name": "scratch", "emptyDir": object{}},
	}
	if a.place.SigningKey != "" {
		volumes = append(volumes, object{"name": "key", "secret": object{"secretName": a.place.SigningKey, "defaultMode": int64(0o440)}})
	}
	return volumes
}

// configMapFor holds what the pod reads: the document and, once it is known, its placement.
func configMapFor(u *unstructured.Unstructured, a accepted, placement string) *unstructured.Unstructured {
	data := object{keySpec: string(a.document)}
	if placement != "" {
		data[keyPlacement] = placement
	}
	c := child(u, object{labelUID: string(u.GetUID())})
	c.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	c.Object["data"] = data
	return c
}
