/** Files that may hold secrets, by their names. In lower case: some file systems ignore case. */

const names = [
  "\\.env(?:[.~_-].*)?",
  ".+\\.env(?:[.~_-].*)?",
  "\\.envrc",
  "[._]netrc",
  "\\.(?:pgpass|my\\.cnf|mylogin\\.cnf|npmrc|pypirc|boto|s3cfg|dockercfg|htpasswd|vault[-_]?pass(?:word)?)",
  "\\.git-credentials",
  "(?:\\.?credentials?|client_secrets?|secrets?|service[-_]?account.*|.*-credentials)(?:\\.(?:json|ya?ml|toml|ini|xml|properties|txt|enc|db))?",
  ".+\\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|ppk|ovpn|agekey|tfstate|tfstate\\..+|tfvars|tfvars\\.json)",
  "id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?(?:\\.(?:bak|old|orig))?[~]?",
  ".+_(?:rsa|dsa|ecdsa|ed25519)",
  "kubeconfig(?:\\..+)?",
  "\\..+_history",
  "(?:wp-config|local\\.settings|appsettings\\.production)\\.(?:php|json)",
];

const secretName = new RegExp(`^(?:${names.join("|")})(?:\\.(?:bak|old|orig|save|sw[a-p]))?~?$`);

const harmless = /^(?:.*\.)?\.?env\.(?:example|sample|template|dist|defaults?|schema)$|\.pub$/;

/** Folders of the home. */
export const secretFolders = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gh",
  ".config/gcloud",
  ".config/op",
  ".config/sops",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  "library/keychains",
] as const;

export const isSecretName = (name: string): boolean =>
  secretName.test(name) && !harmless.test(name);

/** An address in it may hold a token. */
export const isGitConfig = (path: string): boolean =>
  /(?:^|\/)\.git\/(?:.*\/)?config(?:\.worktree)?$/.test(path);

/** Much the same for git: what it must not print. */
export const secretPathspecs: readonly string[] = [
  ".env",
  ".env.*",
  "*.env",
  ".envrc",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".htpasswd",
  ".git-credentials",
  "credentials*",
  "secrets.*",
  "client_secret*",
  "service-account*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.tfstate*",
  "*.tfvars",
  "id_rsa*",
  "id_ed25519*",
].map((name) => `:(top,exclude,glob,icase)**/${name}`);
