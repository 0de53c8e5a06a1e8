package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/intake"
	"assay/record"
)

var imagesFormat = Format{
	Name: "images", Doc: "a folder of PNG, JPEG, GIF and WebP files, in the order of their names; other files are left out",
	Folder: true, media: mediaTypes, read: readImages,
}

// mediaTypes says what images are called on the wire.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

func readImages(in *input, yield func(Row) error) (dropped int, err error) {
	return in.readFolder(mediaTypes, func(media string, data []byte, number int) error {
		return yield(Row{Image: &record.Image{MediaType: media, Data: data}, Line: number})
	})
}

// holds reports whether a folder has a file of the format.
func (f Format) holds(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		return f.media[strings.ToLower(filepath.Ext(entry.Name()))] != ""
	})
}

// readFolder passes every file of a folder whose extension is known.
func (in *input) readFolder(media map[string]string, yield func(media string, data []byte, number int) error) (dropped int, err error) {
	entries, err := os.ReadDir(in.path) // sorted by name
	if err != nil {
		return 0, err
	}
	number := 0
	for _, entry := range entries {
		kind := media[strings.ToLower(filepath.Ext(entry.Name()))]
		if !entry.Type().IsRegular() || kind == "" {
			dropped++
			continue
		}
		data, err := intake.ReadOwn(filepath.Join(in.path, entry.Name()), MaxRow)
		if err != nil {
			return dropped, err
		}
		if len(data) == 0 || len(data) > MaxRow {
			return dropped, fmt.Errorf("%s has %d bytes: want 1 to %d", entry.Name(), len(data), MaxRow)
		}
		number++
		if err := yield(kind, data, number); err != nil {
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
		file, err := intake.OpenOwn(filepath.Join(path, entry.Name()))
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
