package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os/exec"
	"strings"
	"time"

	"assay/spec"
	"assay/visible"
)

// headline is the alert in one line.
func (a Alert) headline() string {
	state := "ALERT"
	if a.State == Resolved {
		state = "resolved"
	}
	return fmt.Sprintf("[%s] %s: %s", state, visible.Line(a.Schedule), a.Title)
}

// body is the alert in words.
func (a Alert) body() string {
	lines := []string{a.Text, ""}
	if a.RunID != "" {
		lines = append(lines, "run       "+visible.Line(a.RunID))
	}
	if a.Digest != "" {
		lines = append(lines, "digest    "+a.Digest)
	}
	return strings.Join(append(lines, "schedule  "+visible.Line(a.Schedule), "kind      "+string(a.Kind), "since     "+a.Opened.Format(time.RFC3339)), "\n")
}

// email feeds an RFC 5322 message to a program such as sendmail.
func email(to spec.AlertEmail) func(context.Context, Delivery) error {
	return func(ctx context.Context, d Delivery) error {
		message, err := compose(to, d)
		if err != nil {
			return refusal{err}
		}
		if len(to.Command) == 0 {
			return refusal{errors.New("the route has no command")}
		}
		cmd := exec.CommandContext(ctx, to.Command[0], to.Command[1:]...)
		cmd.Stdin, cmd.WaitDelay = bytes.NewReader(message), time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", to.Command[0], err, visible.Line(cut(strings.TrimSpace(string(out)), 200)))
		}
		return nil
	}
}

// compose writes a message. Headers are encoded where they hold anything but plain
// letters, and addresses are written by the library that parsed them, so that no name of a
// run begins a header of its own.
func compose(to spec.AlertEmail, d Delivery) ([]byte, error) {
	from, err := mail.ParseAddress(to.From)
	if err != nil {
		return nil, err
	}
	var receivers []string
	for _, text := range to.To {
		address, err := mail.ParseAddress(text)
		if err != nil {
			return nil, err
		}
		receivers = append(receivers, address.String())
	}
	_, host, _ := strings.Cut(from.Address, "@")
	var out bytes.Buffer
	for _, h := range [][2]string{
		{"From", from.String()}, {"To", strings.Join(receivers, ", ")},
		{"Subject", mime.QEncoding.Encode("utf-8", d.Alert.headline())},
		{"Date", d.Alert.At.Format(time.RFC1123Z)},
		{"Message-ID", fmt.Sprintf("<%s@%s>", d.ID, host)},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&out, "%s: %s\r\n", h[0], h[1])
	}
	out.WriteString("\r\n")
	text := quotedprintable.NewWriter(&out)
	if _, err := text.Write([]byte(strings.ReplaceAll(d.Alert.body(), "\n", "\r\n"))); err != nil {
		return nil, err
	}
	return out.Bytes(), text.Close()
}
