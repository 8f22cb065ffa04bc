/** Files that may hold secrets, by their names. In lower case: some file systems ignore case. */

/** Endings of files that hold nothing but values. */
const data = "{,.json,.y*ml,.toml,.ini,.xml,.properties,.txt,.enc,.db}";

/** Braces hold alternatives, as in the shell. */
const forms = [
  ".env .env[.~_-]* *.env *.env[.~_-]* .envrc [._]netrc .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .boto .s3cfg",
  ".dockercfg .htpasswd .vault{,-,_}pass{,word} .git-credentials .*_history kubeconfig kubeconfig.* wp-config.php",
  "local.settings.json appsettings.production.json id_{rsa,dsa,ecdsa,ed25519}{,_*} *_{rsa,dsa,ecdsa,ed25519}",
  "*.{pem,key,p12,pfx,jks,keystore,kdb,kdbx,ppk,ovpn,agekey,tfstate,tfstate.*,tfvars,tfvars.json}",
  `{,.}credential{,s}${data} client_secret{,s}${data} secret{,s}${data} *-credentials${data} service{,-,_}account*`,
].flatMap((line) => line.split(" "));

const patterns = forms.map((form) =>
  form
    .replace(/(?<!\[)\./g, "\\.")
    .replace(/^\*/, ".+")
    .replaceAll("*", ".*")
    .replace(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.replaceAll(",", "|")})`),
);
const backup = "(?:\\.(?:bak|old|orig|save|sw[a-p]))?~?";
const secretName = new RegExp(`^(?:${patterns.join("|")})${backup}$`);

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

const secretVariable =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|CREDENTIALS?|DSN|COOKIE)(?:_|$)|_PAT$|^PGPASS|_AUTH$/i;

/** A password in an address, and the forms of keys that services give out. */
const secretValue =
  /:\/\/[^/\s:@]*:[^@\s/]+@|^(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|npm_|pypi-|hf_|eyJ[\w-]+\.eyJ)[\w.-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY/;

/** A variable of the environment that a confined command does not get. */
export const isSecretVariable = (name: string, value: string): boolean =>
  secretVariable.test(name) || (!/_proxy$/i.test(name) && secretValue.test(value));
