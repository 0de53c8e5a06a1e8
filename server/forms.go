package server

import (
	"net/http"
	"slices"
	"strings"

	"assay/suite/acts"
	"assay/tokens"
	"assay/warehouse"
)

func (s *Server) alertsPage(c *Call) error {
	list, err := s.alerts(c.context())
	if err != nil {
		return err
	}
	states := []string{"", warehouse.AlertOpen, acts.Acknowledged, acts.Fixed, acts.Dismissed, warehouse.Recovered, warehouse.Settled}
	state := c.param("state")
	if !slices.Contains(states, state) {
		return refuse(http.StatusBadRequest, "state %q: want one of %s", shortened(state), strings.Join(states[1:], ", "))
	}
	list = slices.DeleteFunc(list, func(a warehouse.Alert) bool { return state != "" && a.State != state })
	return s.page(c, http.StatusOK, "alerts", struct {
		frame
		States []string
		Alerts []warehouse.Alert
	}{frameOf(c, "Alerts"), states, list[:min(200, len(list))]})
}

// form reads a form from the body alone: what stands in the address is no decision.
func form(c *Call) error {
	if kind, _, _ := strings.Cut(c.R.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/x-www-form-urlencoded" {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type %q: want a form", shortened(c.R.Header.Get("Content-Type")))
	}
	if err := c.R.ParseForm(); err != nil {
		return bodyFault(err)
	}
	return nil
}

func (s *Server) alertForm(c *Call) error {
	if err := form(c); err != nil {
		return err
	}
	if _, err := s.actOnAlert(c, decision{Run: c.R.PostForm.Get("run"), As: c.R.PostForm.Get("as"), Why: c.R.PostForm.Get("why")}); err != nil {
		return err
	}
	http.Redirect(c.W, c.R, "/alerts", http.StatusSeeOther)
	return nil
}

// A loginForm is the page on which a browser shows its token, or is sent to an issuer.
type loginForm struct {
	frame
	Problem, Next string
	Issuers       []string
}

func (s *Server) loginForm(next, problem string) loginForm {
	return loginForm{frame: frame{Title: "Log in"}, Problem: problem, Next: next, Issuers: s.o.SignIn.Names()}
}

func (s *Server) loginPage(c *Call) error {
	return s.page(c, http.StatusOK, "login", s.loginForm(ownPath(c.param("next")), ""))
}

// ownPath is a path of this server; another address, or none, becomes the overview.
func ownPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") || strings.HasPrefix(path, "/login") {
		return "/"
	}
	return path
}

func (s *Server) login(c *Call) error {
	if err := form(c); err != nil {
		return err
	}
	if !s.failures.allow(clientOf(c.R), 0, s.o.Now()) {
		return refuse(http.StatusTooManyRequests, "too many wrong tokens: wait a while")
	}
	next := ownPath(c.R.PostForm.Get("next"))
	t, err := s.o.Tokens.Check(strings.TrimSpace(c.R.PostForm.Get("token")), s.o.Now())
	if err != nil {
		if tokens.Status(err) == http.StatusInternalServerError {
			return err
		}
		s.failures.allow(clientOf(c.R), 1, s.o.Now()) // one less is left
		s.record(c.R, tokens.Token{}, http.StatusUnauthorized, err.Error())
		return s.page(c, http.StatusUnauthorized, "login", s.loginForm(next, err.Error()))
	}
	http.SetCookie(c.W, s.sessions.start(t, s.o.Now(), s.secure))
	http.Redirect(c.W, c.R, next, http.StatusSeeOther)
	return nil
}

func (s *Server) logout(c *Call) error {
	http.SetCookie(c.W, s.sessions.end(c.R, s.secure))
	http.Redirect(c.W, c.R, "/login", http.StatusSeeOther)
	return nil
}
