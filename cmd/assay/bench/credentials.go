package bench

import "assay/spec"

// keyVariable holds a key that was given as a flag: a document names the variable
// and never the key.
const keyVariable = "ASSAY_API_KEY"

// credentials says how assay proves who it is. Whatever was given as a flag stays
// in this process, in the variable in which the target looks for it.
func (m *maker) credentials() {
	auth := &m.run.Spec.Target.Auth
	if m.v.flag("api-key") != "" || m.v.flag("model-api-key") != "" {
		m.note("a key on the command line can be read by every user of this host, in the list of processes: set MODEL_API_KEY instead")
	}
	auth.Kind = m.backend.Auth
	switch m.backend.Auth {
	case spec.AuthBearer, spec.AuthHeader:
		m.bearer(auth)
	case spec.AuthAWS:
		for _, name := range []string{"aws-access-key-id", "aws-secret-access-key", "aws-session-token", "aws-profile"} {
			o, _ := Find(name)
			m.keep(o.Env, m.v.flag(name))
		}
		m.keep("AWS_REGION", m.v.flag("aws-region"))
	case spec.AuthAzure:
		m.keep("AZURE_OPENAI_API_KEY", m.v.text("model-api-key"))
		m.keep("AZURE_OPENAI_AD_TOKEN", m.v.text("azure-ad-token"))
	case spec.AuthGoogle:
		m.keep("GOOGLE_API_KEY", or(m.v.text("model-api-key"), m.variable("GCP_API_KEY")))
		m.keep("GOOGLE_OAUTH_ACCESS_TOKEN", m.variable("GCP_ACCESS_TOKEN"))
		m.keep("GOOGLE_APPLICATION_CREDENTIALS", m.v.flag("gcp-credentials-path"))
	case spec.AuthOCI:
		m.oracle()
	}
	if m.cloud() && m.v.flag("api-key") != "" {
		m.note("--api-key is not used for backend %s, as in genai-bench: %s finds its own credentials", m.backend.Name, m.backend.Auth)
	}
}

// cloud reports whether the backend's credentials are found as a cloud's own
// clients find them.
func (m *maker) cloud() bool {
	return m.backend.Auth != spec.AuthBearer && m.backend.Auth != spec.AuthHeader
}

// bearer finds the key of a server that takes one: the one for the model goes
// before the general one, and the backend's usual variable comes last. Without
// any, none is sent.
func (m *maker) bearer(auth *spec.Auth) {
	given := or(m.v.flag("model-api-key"), m.v.flag("api-key"))
	set := func(variable, key string) {
		auth.Env, m.key = variable, key
		if auth.Kind == spec.AuthHeader {
			auth.Header = "X-Api-Key" // the only API of its kind, Anthropic's
		}
	}
	switch {
	case m.v.flag("model-api-key") == "" && m.variable("MODEL_API_KEY") != "":
		set("MODEL_API_KEY", m.variable("MODEL_API_KEY"))
	case given != "":
		m.keep(keyVariable, given)
		set(keyVariable, given)
	default:
		for _, name := range m.backend.Keys {
			if key := m.variable(name); key != "" {
				set(name, key)
				return
			}
		}
		auth.Kind = "" // none
	}
}

// oracle takes what options say about the profile of OCI.
func (m *maker) oracle() {
	switch auth := m.v.text("auth"); auth {
	case "", "user_principal", "security_token":
	default:
		m.fail("--auth: got %q, want user_principal or security_token: assay asks no metadata service", auth)
	}
	m.keep("OCI_CONFIG_FILE", m.v.flag("config-file"))
	m.keep("OCI_CLI_PROFILE", m.v.flag("profile"))
}

// keep puts a value into a variable of this process; an empty one stays away.
func (m *maker) keep(variable, value string) {
	if value != "" && value != m.variable(variable) {
		m.environ = append(m.environ, variable+"="+value)
	}
}

func (m *maker) variable(name string) string {
	value, _ := m.v.Lookup(name)
	return value
}
