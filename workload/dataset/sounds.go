package dataset

import "assay/record"

var soundsFormat = Format{
	Name: "sounds", Doc: "a folder of WAV, MP3, FLAC, Ogg, M4A and WebM files, in the order of their names; other files are left out",
	Folder: true, media: soundTypes, read: readSounds,
}

// soundTypes says what recordings are called on the wire.
var soundTypes = map[string]string{
	".wav": "audio/wav", ".mp3": "audio/mpeg", ".flac": "audio/flac", ".ogg": "audio/ogg", ".m4a": "audio/mp4", ".webm": "audio/webm",
}

func readSounds(in *input, yield func(Row) error) (dropped int, err error) {
	return in.readFolder(soundTypes, func(media string, data []byte, number int) error {
		return yield(Row{Sound: &record.Sound{MediaType: media, Data: data}, Line: number})
	})
}
