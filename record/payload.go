package record

// A Payload is what a Call carries beyond its prompt. Text tasks of one turn
// need none. A dialect sends the parts its API knows.
type Payload struct {
	Task      string    // such as text-to-rerank; empty means text-to-text
	Messages  []Message // the conversation so far, oldest first; the prompt is the last of them
	Documents []string  // what to embed or rank
	Query     string    // what documents are ranked against
	Images    []Image   // what to look at
	Paint     Paint     // what image generation is asked for
	Voice     string    // who speaks; empty leaves it to the dialect
	Sound     *Sound    // what to listen to
}

// A Message is one turn of a conversation.
type Message struct {
	Role    string // system, user, assistant or tool
	Content string
}

// An Image is one picture of a call, encoded.
type Image struct {
	MediaType string // such as image/png
	Data      []byte
}

// Paint is the size and number of images that are asked for.
type Paint struct{ Width, Height, Images int32 }

// A Sound is one recording of a call, encoded.
type Sound struct {
	MediaType string // such as audio/wav
	Data      []byte
}
