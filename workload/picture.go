package workload

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"math/rand/v2"
	"sync"

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
// how they are packed is up to the compressor of the Go release.
//
// It writes the PNG itself: calls are made while others are measured, and the
// general encoder took four times as long. Of each row of squares only the
// first row of pixels is compressed, told by what changes along it; the others
// are like the one above them, which is the same few bytes each time.
func Picture(rng *rand.Rand, width, height int) record.Image {
	first, same := make([]byte, 1+3*width), make([]byte, 1+3*width)
	first[0], same[0] = filterSub, filterUp
	rest := bytes.Repeat(same, min(cell, height)-1)
	packedRest := deflated(rest)
	sum := adler32.New()
	packed := []byte{0x78, 0x01} // zlib, no dictionary
	for y := 0; y < height; y += cell {
		squares(rng, first[1:])
		more := rest[:len(same)*(min(cell, height-y)-1)]
		packed = append(packed, deflated(first)...)
		if len(more) == len(rest) {
			packed = append(packed, packedRest...)
		} else {
			packed = append(packed, deflated(more)...)
		}
		sum.Write(first) // a hash takes every write
		sum.Write(more)
	}
	packed = append(packed, 3, 0) // the last block, empty
	packed = binary.BigEndian.AppendUint32(packed, sum.Sum32())

	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, 8, 2, 0, 0, 0) // 8 bits a channel, red, green and blue, nothing special
	data := []byte("\x89PNG\r\n\x1a\n")
	data = appendChunk(data, "IHDR", header)
	data = appendChunk(data, "IDAT", packed)
	return record.Image{MediaType: "image/png", Data: appendChunk(data, "IEND", nil)}
}

// compressors are reused: a fresh one costs more than what it compresses here.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's own
	}
	return w
}}

// deflated is data as blocks of a stream that look back at nothing before them,
// so that they may stand anywhere in it.
func deflated(data []byte) []byte {
	var b bytes.Buffer
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	if _, err := w.Write(data); err != nil {
		panic(err) // a buffer takes every write
	}
	if err := w.Flush(); err != nil {
		panic(err) // as above
	}
	return b.Bytes()
}

// The filters of PNG that are used: bytes less those of the pixel before, and
// less those of the row above.
const (
	filterSub = 1
	filterUp  = 2
)

// squares draws a colour for each square along a row and writes how each pixel
// differs from the one before it.
func squares(rng *rand.Rand, row []byte) {
	clear(row)
	var last [3]byte
	for x := 0; x < len(row); x += 3 * cell {
		shade := rng.Uint32()
		now := [3]byte{byte(shade), byte(shade >> 8), byte(shade >> 16)}
		for i := range now {
			row[x+i] = now[i] - last[i]
		}
		last = now
	}
}

// appendChunk appends one chunk of a PNG.
func appendChunk(data []byte, name string, content []byte) []byte {
	data = binary.BigEndian.AppendUint32(data, uint32(len(content)))
	from := len(data)
	data = append(append(data, name...), content...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data[from:]))
}
