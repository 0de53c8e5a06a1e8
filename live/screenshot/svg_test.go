package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	got := string(picture("\x1b[1massay\x1b[0m  a<b\n\x1b[36mrun\x1b[39m █░▁\n\x1b[7m q \x1b[0m\x1b[K\n", 20, 3, "a screen"))
	for _, want := range []string{
		`font-weight="bold">assay<`, ">a&lt;b<", `fill="#76d9e6">run<`, `fill-opacity="0.2"`, `>q<`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.ContainsRune(got, '█') || strings.Contains(got, "\x1b") {
		t.Errorf("blocks or marks were left as text:\n%s", got)
	}
	for decoder := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, got)
		}
	}
}
