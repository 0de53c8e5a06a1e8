package server

import (
	"net/http"
	"net/url"
	"slices"

	"assay/server/signin"
)

// attemptCookie is what a browser holds between its way to an issuer and back.
func (s *Server) attemptCookie(value string, seconds int) *http.Cookie {
	c := cookie(s.secure, http.SameSiteLaxMode) // it comes back from another site
	c.Name += "-sign-in"
	c.Value, c.MaxAge = value, seconds
	return c
}

// beginSignIn sends a browser to an issuer.
func (s *Server) beginSignIn(c *Call) error {
	name, next := c.R.PathValue("issuer"), ownPath(c.param("next"))
	if !slices.Contains(s.o.SignIn.Names(), name) {
		return refuse(http.StatusNotFound, "there is nothing here")
	}
	if !s.begins.allow(clientOf(c.R), 1, s.o.Now()) {
		return refuse(http.StatusTooManyRequests, "too many sign-ins at once: wait a while")
	}
	// The issuer sends people back to one name of the server, where the browser must have
	// the cookie.
	if at, err := url.Parse(s.o.SignIn.URL()); err == nil && at.Host != c.R.Host && c.param("moved") == "" {
		at.Path, at.RawQuery = "/login/"+name, url.Values{"next": {next}, "moved": {"yes"}}.Encode() // once: a proxy may ask for another name
		http.Redirect(c.W, c.R, at.String(), http.StatusSeeOther)
		return nil
	}
	address, key, err := s.o.SignIn.Begin(c.context(), name, next, s.o.Now())
	if err != nil {
		return &fault{signin.Status(err), err}
	}
	http.SetCookie(c.W, s.attemptCookie(key, int(signin.BrowserTime.Seconds())))
	http.Redirect(c.W, c.R, address, http.StatusSeeOther)
	return nil
}

// finishSignIn opens a session for whoever comes back from an issuer.
func (s *Server) finishSignIn(c *Call) error {
	if !slices.Contains(s.o.SignIn.Names(), c.R.PathValue("issuer")) {
		return refuse(http.StatusNotFound, "there is nothing here")
	}
	blank := s.attemptCookie("", -1)
	key := ""
	if held, err := c.R.Cookie(blank.Name); err == nil {
		key = held.Value
	}
	http.SetCookie(c.W, blank)
	who, next, err := s.o.SignIn.Finish(c.context(), c.R.PathValue("issuer"), key, c.R.URL.Query(), s.o.Now())
	if err != nil {
		c.Token = who
		return &fault{signin.Status(err), err}
	}
	http.SetCookie(c.W, s.sessions.startIssued(who, s.o.Now(), s.secure))
	s.record(c.R, who, http.StatusSeeOther, "signed in, "+string(who.Scope))
	http.Redirect(c.W, c.R, next, http.StatusSeeOther)
	return nil
}
