package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A packed folder is an image: every blob has its digest and size, the layer unpacks to the
// folder, and the settings are the Dockerfile's. Packed twice it has the same bytes.
func TestPack(t *testing.T) {
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "oci")
	if err := os.MkdirAll(filepath.Join(folder, "usr/local/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := bytes.Repeat([]byte("program "), 1000)
	if err := os.WriteFile(filepath.Join(folder, "usr/local/bin/assay"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	first, err := pack(folder, out, "assay:1", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack(folder, out, "assay:1", "amd64")
	if err != nil || first != second {
		t.Errorf("packed twice: %s, then %s (%v)", first, second, err)
	}
	var index struct{ Manifests []descriptor }
	read(t, filepath.Join(out, "index.json"), &index)
	if len(index.Manifests) != 1 || index.Manifests[0].Digest != first || index.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "assay:1" {
		t.Fatalf("the index is %+v", index)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	open(t, out, index.Manifests[0], &manifest)
	var config struct {
		Architecture string
		Config       struct{ Entrypoint []string }
		Rootfs       struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	open(t, out, manifest.Config, &config)
	if len(manifest.Layers) != 1 || config.Architecture != "amd64" || len(config.Rootfs.DiffIDs) != 1 {
		t.Fatalf("the image is %+v, %+v", manifest, config)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(open(t, out, manifest.Layers[0], nil)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(unzip)
	if err != nil || digestOf(plain) != config.Rootfs.DiffIDs[0] {
		t.Errorf("the layer is %s (%v), and the settings say %s", digestOf(plain), err, config.Rootfs.DiffIDs[0])
	}
	held := map[string]string{}
	for files := tar.NewReader(bytes.NewReader(plain)); ; {
		header, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(files)
		held[header.Name] = string(text)
		if header.Uid != 0 || header.ModTime.Unix() != 0 {
			t.Errorf("%s is of %d and from %s", header.Name, header.Uid, header.ModTime)
		}
		if header.Name == "usr/local/bin/assay" && header.Mode&0o111 == 0 {
			t.Error("the program cannot be executed")
		}
	}
	if held["usr/local/bin/assay"] != string(program) {
		t.Errorf("the layer holds %d files", len(held))
	}
	for _, path := range config.Config.Entrypoint {
		if _, ok := held[strings.TrimPrefix(path, "/")]; !ok {
			t.Errorf("the image starts %s, which it does not hold", path)
		}
	}
}

// containerd looks images up by their whole names.
func TestFullName(t *testing.T) {
	for reference, want := range map[string]string{
		"assay:1": "docker.io/library/assay:1", "team/assay:1": "docker.io/team/assay:1", "registry.example/assay:1": "registry.example/assay:1",
		"localhost/assay:1": "localhost/assay:1", "registry:5000/assay:1": "registry:5000/assay:1",
	} {
		if got := fullName(reference); got != want {
			t.Errorf("fullName(%q) = %q, want %q", reference, got, want)
		}
	}
}

// What is no file is refused: a link could point out of the image.
func TestPackRefusesLinks(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := pack(folder, filepath.Join(t.TempDir(), "oci"), "a", "amd64"); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Errorf("packed a link: %v", err)
	}
}

// The settings are those of the Dockerfile.
func TestSettingsAreTheDockerfiles(t *testing.T) {
	text, err := os.ReadFile("../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"ENV PATH=/usr/local/bin HOME=/work", "USER 65532:65532", "WORKDIR /work", `ENTRYPOINT ["/usr/local/bin/assay"]`, `CMD ["--help"]`,
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the Dockerfile has no %q: change settings too", line)
		}
	}
}

func read(t *testing.T, file string, into any) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// open reads a blob and holds it to its descriptor.
func open(t *testing.T, out string, d descriptor, into any) []byte {
	t.Helper()
	text := read(t, filepath.Join(out, "blobs", "sha256", strings.TrimPrefix(d.Digest, "sha256:")), into)
	if digestOf(text) != d.Digest || int64(len(text)) != d.Size {
		t.Errorf("a blob of %d bytes and %s is described as %+v", len(text), digestOf(text), d)
	}
	return text
}
