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
export const secretFolders: readonly string[] = (
  ".ssh .gnupg .aws .azure .kube .docker .oci .terraform.d .pki .fly .config/gh .config/glab-cli .config/hub " +
  ".config/gcloud .config/doctl .config/op .config/1Password .config/sops .config/rclone .config/containers " +
  ".password-store .local/share/keyrings .local/share/kwalletd .mozilla .thunderbird .config/google-chrome " +
  ".config/chromium .config/BraveSoftware .config/Signal .bitcoin .ethereum .electrum Library/Keychains"
).split(" ");

export const isSecretName = (name: string): boolean =>
  secretName.test(name) && !harmless.test(name);

/** An address in it may hold a token. */
export const isGitConfig = (path: string): boolean =>
  /(?:^|\/)\.git\/(?:.*\/)?config(?:\.worktree)?$/.test(path);

/** Nearly the same names as pathspecs, without most backups: what git must not print. */
export const secretPathspecs: readonly string[] = (
  ".env .env[.~_-]* *.env *.env.* .envrc [._]netrc .pgpass .my*.cnf .npmrc .pypirc .boto .s3cfg " +
  ".dockercfg .htpasswd .vault*pass* .git-credentials credentials* .credentials* *-credentials " +
  "*-credentials.* secret secrets secret.* secrets.* client_secret* service[-_]account* *.pem " +
  "*.key *.p12 *.pfx *.jks *.keystore *.kdb* *.ppk *.ovpn *.agekey *.tfstate* *.tfvars* " +
  "id_[rd]sa* id_ecdsa* id_ed25519* *_[rd]sa *_ecdsa *_ed25519 kubeconfig kubeconfig.* " +
  ".?*_history wp-config.php local.settings.json appsettings.production.json"
)
  .split(" ")
  .map((name) => `:(top,exclude,glob,icase)**/${name}`);
