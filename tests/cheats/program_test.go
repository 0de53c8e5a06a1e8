package cheats

import (
	"bufio"
	"cmp"
	"encoding/json"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// programSpeed tells the test binary that it is a target, and how fast its clock runs.
const programSpeed = "CHEATS_PROGRAM_SPEED"

// programWait is how long the program takes for every word, in milliseconds.
const programWait = "CHEATS_PROGRAM_WAIT"

// answerCalls is a program that says a word every 8 ms, or as it is told, as a target of the API command. At a
// speed other than 1 its clock begins each answer right and then runs at that speed; at a speed
// below zero its first stamps are early by so many milliseconds, and the last is right.
func answerCalls(speed string) (code int) {
	rate, err := strconv.ParseFloat(speed, 64)
	if err != nil {
		return 2
	}
	pace, err := strconv.Atoi(cmp.Or(os.Getenv(programWait), "8"))
	if err != nil {
		return 2
	}
	conn, err := net.Dial("tcp", os.Getenv("ASSAY_CTRL"))
	if err != nil {
		return 1
	}
	var writing sync.Mutex
	say := func(line object) {
		data, err := json.Marshal(line)
		if err != nil {
			panic(err) // lines of ours
		}
		writing.Lock()
		defer writing.Unlock()
		_, _ = conn.Write(append(data, '\n')) // whoever has gone needs no word
	}
	say(object{"t": "hello", "v": 1, "token": os.Getenv("ASSAY_TOKEN")})
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call struct {
			Type   string `json:"t"`
			ID     int64  `json:"id"`
			Tokens int    `json:"max_tokens"`
		}
		switch json.Unmarshal(lines.Bytes(), &call); call.Type {
		case "call":
			go answerCall(call.ID, call.Tokens, time.Duration(pace)*time.Millisecond, rate, say)
		case "stop":
			return 0
		}
	}
	return 0
}

func answerCall(id int64, tokens int, pace time.Duration, rate float64, say func(object)) {
	begun, began := monotonic(), time.Now()
	whole := time.Duration(tokens) * pace
	stamp := func() int64 {
		past := monotonic() - begun
		if rate < 0 {
			early := -rate * 1e6 * float64(int64(whole)-past) / float64(whole)
			return max(begun, monotonic()-max(0, int64(early)))
		}
		return begun + int64(rate*float64(past))
	}
	for i := range tokens {
		time.Sleep(time.Until(began.Add(time.Duration(i+1) * pace)))
		say(object{"t": "chunk", "v": 1, "id": id, "mono": stamp(), "text": word(id, i)})
	}
	say(object{"t": "done", "v": 1, "id": id, "mono": stamp(), "finish_reason": "length", "usage": object{"input_tokens": 64, "output_tokens": tokens}})
}

// monotonic is CLOCK_MONOTONIC in nanoseconds.
func monotonic() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		panic(err)
	}
	return at.Nano()
}
