package bench

// apiOptions say what is asked and where.
var apiOptions = []Option{
	{Name: "api-backend", Group: groupAPI, Doc: "what the server speaks: a backend of genai-bench in any case, or an API of assay", Becomes: "`target.api`, see the table of backends; without it `openai-chat`"},
	{Name: "api-base", Group: groupAPI, Doc: "base URL of the server, with or without /v1", Becomes: "`target.url`"},
	{Name: "api-key", Group: groupAPI, Secret: true, Doc: "key of the server; better a variable, which other users of the host cannot read", Becomes: "`target.auth` with a reference to `ASSAY_API_KEY`, never the key"},
	{Name: "task", Group: groupAPI, Doc: "what goes in and comes out, such as text-to-text", Becomes: "`workload.prompt.task`; without it text-to-text"},
	{Name: "api-model-name", Group: groupAPI, Doc: "name of the model in requests", Becomes: "`target.model`"},
	{Name: "additional-request-params", Group: groupAPI, Doc: "JSON object merged into the body of every request", Becomes: "`target.extraBody`; `temperature` and `ignore_eos` become `load.temperature` and `load.ignoreEOS` and are sent as given"},
}

// keyOptions say who asks. Each stands for the variable in which assay looks for
// that credential.
var keyOptions = []Option{
	{Name: "model-auth-type", Group: groupKeys, Fate: Noted, Doc: "kind of authentication", Becomes: "the backend decides it, as in genai-bench"},
	{Name: "model-api-key", Group: groupKeys, Env: "MODEL_API_KEY", Secret: true, Doc: "key of the server, before --api-key", Becomes: "as `--api-key`"},
	{Name: "aws-access-key-id", Group: groupKeys, Env: "AWS_ACCESS_KEY_ID", Secret: true, Doc: "AWS access key", Becomes: "the variable, for `target.auth.kind: aws`"},
	{Name: "aws-secret-access-key", Group: groupKeys, Env: "AWS_SECRET_ACCESS_KEY", Secret: true, Doc: "AWS secret key", Becomes: "the variable"},
	{Name: "aws-session-token", Group: groupKeys, Env: "AWS_SESSION_TOKEN", Secret: true, Doc: "AWS session token", Becomes: "the variable"},
	{Name: "aws-profile", Group: groupKeys, Env: "AWS_PROFILE", Doc: "AWS profile", Becomes: "the variable"},
	{Name: "aws-region", Group: groupKeys, Env: "AWS_DEFAULT_REGION", Doc: "AWS region; us-east-1 without it", Becomes: "the variable, and `target.url` without `--api-base`"},
	{Name: "azure-endpoint", Group: groupKeys, Env: "AZURE_OPENAI_ENDPOINT", Doc: "Azure endpoint", Becomes: "`target.url`, before `--api-base`"},
	{Name: "azure-deployment", Group: groupKeys, Env: "AZURE_OPENAI_DEPLOYMENT", Doc: "Azure deployment", Becomes: "`target.model`"},
	{Name: "azure-api-version", Group: groupKeys, Env: "AZURE_OPENAI_API_VERSION", Doc: "version of Azure's API", Becomes: "`target.query.api-version`; without it the dialect's 2024-10-21"},
	{Name: "azure-ad-token", Group: groupKeys, Env: "AZURE_AD_TOKEN", Secret: true, Doc: "Azure AD token", Becomes: "the variable `AZURE_OPENAI_AD_TOKEN`"},
	{Name: "gcp-project-id", Group: groupKeys, Env: "GCP_PROJECT_ID", Doc: "Google project", Becomes: "part of `target.url`"},
	{Name: "gcp-location", Group: groupKeys, Env: "GCP_LOCATION", Doc: "Google location; us-central1 without it", Becomes: "part of `target.url`"},
	{Name: "gcp-credentials-path", Group: groupKeys, Env: "GOOGLE_APPLICATION_CREDENTIALS", Doc: "file of a service account", Becomes: "the variable"},
	{Name: "auth", Group: groupKeys, Doc: "OCI authentication: user_principal or security_token", Becomes: "the profile decides; instance principals are refused"},
	{Name: "config-file", Group: groupKeys, Doc: "OCI configuration file", Becomes: "the variable `OCI_CONFIG_FILE`"},
	{Name: "profile", Group: groupKeys, Doc: "OCI profile", Becomes: "the variable `OCI_CLI_PROFILE`"},
	{Name: "security-token", Group: groupKeys, Fate: Refused, Secret: true, Doc: "OCI session token", Becomes: "a token is read from the file that the profile's security_token_file names; name it there"},
	{Name: "region", Group: groupKeys, Fate: Noted, Doc: "OCI region", Becomes: "the address of --api-base names it"},

	{Name: "server-engine", Group: groupServer, Doc: "engine of the server, any name", Becomes: "`target.system.engine`, declared and not measured"},
	{Name: "server-gpu-type", Group: groupServer, Doc: "GPU of the server, any name", Becomes: "`target.system.gpuType`"},
	{Name: "server-version", Group: groupServer, Doc: "version of the engine", Becomes: "`target.system.version`"},
	{Name: "server-gpu-count", Group: groupServer, Doc: "GPUs of the server", Becomes: "`target.system.gpuCount`"},
}
