package target

import (
	"encoding/base64"

	"assay/record"
)

// pictures lists the images of a call.
func pictures(call record.Call) []record.Image {
	if call.Payload == nil {
		return nil
	}
	return call.Payload.Images
}

// documents lists the texts of a call to embed or rank; the prompt alone when it
// carries none.
func documents(call record.Call) []string {
	if call.Payload == nil || len(call.Payload.Documents) == 0 {
		return []string{call.Prompt}
	}
	return call.Payload.Documents
}

// dataURL writes an image into an address, as most APIs take it.
func dataURL(image record.Image) string {
	return "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}

// looking is the one message of a call with images: the text first, as
// genai-bench and the APIs' own examples have it, then each image as part makes
// it. A call without text has images alone.
func looking(call record.Call, textType string, part func(record.Image) any) []any {
	var parts []any
	if call.Prompt != "" {
		parts = append(parts, map[string]string{"type": textType, "text": call.Prompt})
	}
	for _, image := range pictures(call) {
		parts = append(parts, part(image))
	}
	return []any{map[string]any{"role": "user", "content": parts}}
}

// openAIImage is an image as a part of a message of OpenAI's chat.
func openAIImage(image record.Image) any {
	return map[string]any{"type": "image_url", "image_url": map[string]string{"url": dataURL(image)}}
}

// responsesImage is an image as a part of the input of OpenAI's responses.
func responsesImage(image record.Image) any {
	return map[string]string{"type": "input_image", "image_url": dataURL(image)}
}

// anthropicImage is an image as a block of a message.
func anthropicImage(image record.Image) any {
	return map[string]any{"type": "image", "source": map[string]string{
		"type": "base64", "media_type": image.MediaType, "data": base64.StdEncoding.EncodeToString(image.Data),
	}}
}
