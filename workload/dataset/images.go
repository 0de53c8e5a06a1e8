package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/record"
)

var imagesFormat = Format{
	Name: "images", Doc: "a folder of PNG, JPEG, GIF and WebP files, in the order of their names; other files are left out",
	Folder: true, read: readImages,
}

// mediaTypes says what images are called on the wire.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

func readImages(in *input, yield func(Row) error) (dropped int, err error) {
	entries, err := os.ReadDir(in.path) // sorted by name
	if err != nil {
		return 0, err
	}
	number := 0
	for _, entry := range entries {
		media := mediaTypes[strings.ToLower(filepath.Ext(entry.Name()))]
		if !entry.Type().IsRegular() || media == "" {
			dropped++
			continue
		}
		data, err := os.ReadFile(filepath.Join(in.path, entry.Name()))
		if err != nil {
			return dropped, err
		}
		if len(data) == 0 || len(data) > MaxRow {
			return dropped, fmt.Errorf("%s has %d bytes: want 1 to %d", entry.Name(), len(data), MaxRow)
		}
		number++
		if err := yield(Row{Image: &record.Image{MediaType: media, Data: data}, Line: number}); err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// folderDigest names the files of a folder and what is in them, so that neither
// a renamed nor a changed file passes unseen.
func folderDigest(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		file, err := os.Open(filepath.Join(path, entry.Name()))
		if err != nil {
			return "", err
		}
		digest, err := fileDigest(file)
		file.Close() // read only: nothing can be lost
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s  %s\n", digest, entry.Name())
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), nil
}
