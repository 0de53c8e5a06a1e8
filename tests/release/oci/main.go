// Command oci packs a folder into an image of the OCI layout, where no Docker is: one
// layer, and the settings of the Dockerfile. The same folder gives the same bytes. skopeo,
// crane and podman push it, and ctr images import takes it in a tar.
//
//	oci FOLDER OUT REFERENCE ARCHITECTURE
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: oci FOLDER OUT REFERENCE ARCHITECTURE, such as oci bin/image bin/oci assay:0.1.0 amd64")
		os.Exit(2)
	}
	digest, err := pack(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintf(os.Stderr, "oci: %v\n", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// The media types of the OCI image specification, 1.1.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// A descriptor names a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// An object is a JSON object.
type object = map[string]any

// settings are those of the Dockerfile.
var settings = object{
	"User": "65532:65532", "WorkingDir": "/work", "Env": []string{"PATH=/usr/local/bin", "HOME=/work"},
	"Entrypoint": []string{"/usr/local/bin/assay"}, "Cmd": []string{"--help"},
}

// pack writes the image into out, made anew, and returns the digest of its manifest.
func pack(folder, out, reference, architecture string) (string, error) {
	if _, err := os.Stat(filepath.Join(out, "oci-layout")); err == nil {
		if err := os.RemoveAll(out); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Join(out, "blobs", "sha256"), 0o755); err != nil {
		return "", err
	}
	var plain, packed bytes.Buffer
	if err := layer(folder, &plain); err != nil {
		return "", fmt.Errorf("pack %s: %w", folder, err)
	}
	squeeze := gzip.NewWriter(&packed)
	if _, err := squeeze.Write(plain.Bytes()); err != nil {
		return "", err
	}
	if err := squeeze.Close(); err != nil {
		return "", err
	}
	layerBlob, err := blob(out, typeLayer, packed.Bytes())
	if err != nil {
		return "", err
	}
	config, err := blobOf(out, typeConfig, object{
		"architecture": architecture, "os": "linux", "config": settings,
		"rootfs": object{"type": "layers", "diff_ids": []string{digestOf(plain.Bytes())}},
	})
	if err != nil {
		return "", err
	}
	manifest, err := blobOf(out, typeManifest, object{"schemaVersion": 2, "mediaType": typeManifest, "config": config, "layers": []descriptor{layerBlob}})
	if err != nil {
		return "", err
	}
	manifest.Annotations = map[string]string{"org.opencontainers.image.ref.name": reference, "io.containerd.image.name": fullName(reference)}
	index, err := json.Marshal(object{"schemaVersion": 2, "mediaType": typeIndex, "manifests": []descriptor{manifest}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(out, "index.json"), index, 0o644); err != nil {
		return "", err
	}
	return manifest.Digest, os.WriteFile(filepath.Join(out, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644)
}

// fullName is a reference as containerd keeps it, which asks no registry but looks images up
// by their whole names.
func fullName(reference string) string {
	host, _, found := strings.Cut(reference, "/")
	switch {
	case !found:
		return "docker.io/library/" + reference
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		return "docker.io/" + reference
	}
	return reference
}

// layer writes a folder as a tar: in the order of names, of no time and of root, with the
// rights that files have.
func layer(folder string, w io.Writer) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path) // it is below
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() && !info.IsDir() {
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		header, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		header.Name, header.ModTime, header.Uid, header.Gid, header.Uname, header.Gname = filepath.ToSlash(name), time.Unix(0, 0), 0, 0, "", ""
		header.AccessTime, header.ChangeTime, header.Format = time.Time{}, time.Time{}, tar.FormatPAX
		if info.IsDir() {
			header.Name += "/"
		}
		if err := t.WriteHeader(header); err != nil || info.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(t, file)
		return err
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func blobOf(out, mediaType string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return descriptor{}, err
	}
	return blob(out, mediaType, text)
}

// blob keeps bytes under their digest.
func blob(out, mediaType string, text []byte) (descriptor, error) {
	d := descriptor{MediaType: mediaType, Digest: digestOf(text), Size: int64(len(text))}
	return d, os.WriteFile(filepath.Join(out, "blobs", "sha256", d.Digest[len("sha256:"):]), text, 0o644)
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
