package workload

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"

	"assay/record"
)

// Limits of generated pictures: beyond them a scenario is a mistake that would
// fill the memory.
const (
	maxSide   = 8192
	maxImages = 64
)

// cell is the side of the squares that a picture is made of. Squares keep a
// picture about as large as a drawing; noise would make it larger than any
// photograph.
const cell = 16

// Picture makes a picture of coloured squares. Its pixels depend on rng alone;
// how they are packed is up to the PNG encoder of the Go release.
func Picture(rng *rand.Rand, width, height int) record.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := 0; y < height; y += cell {
		for x := 0; x < width; x += cell {
			shade := rng.Uint32()
			square := color.NRGBA{uint8(shade), uint8(shade >> 8), uint8(shade >> 16), 255}
			paint(picture, image.Rect(x, y, min(x+cell, width), min(y+cell, height)), square)
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, picture); err != nil {
		panic(err) // a buffer takes every write and the size was checked
	}
	return record.Image{MediaType: "image/png", Data: b.Bytes()}
}

func paint(picture *image.NRGBA, area image.Rectangle, c color.NRGBA) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := picture.Pix[picture.PixOffset(area.Min.X, y):picture.PixOffset(area.Max.X, y)]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2], row[i+3] = c.R, c.G, c.B, c.A
		}
	}
}
