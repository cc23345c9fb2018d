//! How many secrets are masked, and how many ordinary lines are changed.

use serde_json::{Value, json};

use super::copied;
use crate::support::{files_under, shared};

/// A pseudorandom sequence that is the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % below as u64).unwrap()
    }

    fn one<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.next(choices.len())]
    }

    fn text(&mut self, characters: &str, length: usize) -> String {
        let characters: Vec<char> = characters.chars().collect();
        (0..length).map(|_| characters[self.next(characters.len())]).collect()
    }

    fn alnum(&mut self, length: usize) -> String {
        self.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
    }

    fn base64(&mut self, length: usize) -> String {
        self.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", length)
    }

    fn url_safe(&mut self, length: usize) -> String {
        self.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", length)
    }

    fn hex(&mut self, length: usize) -> String {
        self.text("0123456789abcdef", length)
    }

    fn upper(&mut self, length: usize) -> String {
        self.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
    }

    fn digits(&mut self, length: usize) -> String {
        self.text("123456789", length)
    }

    fn password(&mut self) -> String {
        let length = 8 + self.next(12);
        let start = self.alnum(length);
        start + self.one(&["7", "!9", "_4x", "-2Q", "$8", "%5z"])
    }
}

/// Encodes groups of three bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| group.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    let digits = |sum: usize| [18, 12, 6, 0].map(|shift| char::from(DIGITS[sum >> shift & 63]));
    bytes.chunks(3).flat_map(|bytes| digits(group(bytes))).collect()
}

/// A secret that is recognised by its own form.
fn token(vendor: &str, random: &mut Random) -> String {
    match vendor {
        "anthropic" => format!("sk-ant-api03-{}-{}AA", random.url_safe(86), random.url_safe(6)),
        "openai" => format!("sk-proj-{}", random.url_safe(120)),
        "openai-old" => format!("sk-{}", random.alnum(48)),
        "groq" => format!("gsk_{}", random.alnum(52)),
        "xai" => format!("xai-{}", random.alnum(80)),
        "hugging face" => format!("hf_{}", random.alnum(34)),
        "github" => {
            format!("{}_{}", random.one(&["ghp", "gho", "ghu", "ghs", "ghr"]), random.alnum(36))
        }
        "github fine-grained" => format!("github_pat_{}_{}", random.alnum(22), random.alnum(59)),
        "gitlab" => format!("{}-{}", random.one(&["glpat", "gldt", "glrt"]), random.url_safe(20)),
        "aws id" => format!("{}{}", random.one(&["AKIA", "ASIA"]), random.upper(16)),
        "gcp" => format!("AIza{}", random.url_safe(35)),
        "google oauth" => format!("ya29.{}", random.url_safe(120)),
        "google client" => format!("GOCSPX-{}", random.url_safe(28)),
        "slack bot" => {
            format!("xoxb-{}-{}-{}", random.digits(12), random.digits(13), random.alnum(24))
        }
        "slack user" => format!(
            "xoxp-{}-{}-{}-{}",
            random.digits(12),
            random.digits(12),
            random.digits(12),
            random.hex(32)
        ),
        "slack app" => {
            format!("xapp-1-A{}-{}-{}", random.upper(10), random.digits(13), random.hex(64))
        }
        "npm" => format!("npm_{}", random.alnum(36)),
        "pypi" => format!("pypi-AgEIcHlwaS5vcmc{}", random.url_safe(80)),
        "sendgrid" => format!("SG.{}.{}", random.url_safe(22), random.url_safe(43)),
        "digitalocean" => format!("{}_v1_{}", random.one(&["dop", "doo", "dor"]), random.hex(64)),
        "vault" => format!("hvs.{}", random.url_safe(90)),
        "databricks" => format!("dapi{}", random.hex(32)),
        "docker" => format!("dckr_pat_{}", random.url_safe(27)),
        "stripe" => {
            format!("{}_{}", random.one(&["sk_live", "rk_live", "sk_test"]), random.alnum(99))
        }
        "stripe webhook" => format!("whsec_{}", random.alnum(32)),
        "twilio" => format!("SK{}", random.hex(32)),
        "telegram" => format!("{}:AA{}", random.digits(10), random.url_safe(33)),
        "discord" => {
            let user = base64(random.digits(18).as_bytes());
            format!("{user}.{}.{}", random.url_safe(6), random.url_safe(38))
        }
        "jwt" => {
            format!("eyJ{}.eyJ{}.{}", random.url_safe(33), random.url_safe(90), random.url_safe(43))
        }
        "shopify" => format!("shpat_{}", random.hex(32)),
        "linear" => format!("lin_api_{}", random.alnum(40)),
        "notion" => format!("ntn_{}{}", random.digits(11), random.alnum(35)),
        "atlassian" => format!("ATATT3{}", random.url_safe(186)),
        "grafana" => format!("glsa_{}_{}", random.alnum(32), random.hex(8)),
        "sentry" => format!("sntryu_{}", random.hex(64)),
        "new relic" => format!("NRAK-{}", random.upper(27)),
        "postman" => format!("PMAK-{}-{}", random.hex(24), random.hex(34)),
        "figma" => format!("figd_{}", random.url_safe(40)),
        "pulumi" => format!("pul-{}", random.hex(40)),
        "supabase" => format!("sbp_{}", random.hex(40)),
        "replicate" => format!("r8_{}", random.alnum(37)),
        "perplexity" => format!("pplx-{}", random.alnum(48)),
        "mailgun" => format!("key-{}", random.hex(32)),
        "rubygems" => format!("rubygems_{}", random.hex(48)),
        "age" => format!("AGE-SECRET-KEY-1{}", random.upper(58)),
        "tailscale" => format!("tskey-auth-{}CNTRL-{}", random.alnum(12), random.alnum(32)),
        "base64 key" => format!("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{}", random.base64(900)),
        _ => unreachable!("{vendor}"),
    }
}

const VENDORS: &[&str] = &[
    "anthropic",
    "openai",
    "openai-old",
    "groq",
    "xai",
    "hugging face",
    "github",
    "github fine-grained",
    "gitlab",
    "aws id",
    "gcp",
    "google oauth",
    "google client",
    "slack bot",
    "slack user",
    "slack app",
    "npm",
    "pypi",
    "sendgrid",
    "digitalocean",
    "vault",
    "databricks",
    "docker",
    "stripe",
    "stripe webhook",
    "twilio",
    "telegram",
    "discord",
    "jwt",
    "shopify",
    "linear",
    "notion",
    "atlassian",
    "grafana",
    "sentry",
    "new relic",
    "postman",
    "figma",
    "pulumi",
    "supabase",
    "replicate",
    "perplexity",
    "mailgun",
    "rubygems",
    "age",
    "tailscale",
    "base64 key",
];

/// Texts around a token.
const PLACES: &[&str] = &[
    "The value is @ as far as I can see.",
    "@",
    "export KEY=@",
    "found '@' in config.yaml:3",
    "https://host.test/?q=a%20@",
    "| name | @ |",
    "const client = new Client(\"@\");",
    "  12→key: @",
    "config.py:7:KEY = \"@\"",
    "+KEY=@",
    "(@)",
    "a\n@\nb",
    "[default]\nkey = @\n",
    "x-header: @",
    "{\"k\":\"@\"}",
    "\u{1b}[32m@\u{1b}[0m",
];

/// Names of secrets without a form of their own.
const NAMES: &[&str] = &[
    "aws_secret_access_key",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "aws_session_token",
    "TWILIO_AUTH_TOKEN",
    "DISCORD_TOKEN",
    "cloudflare_api_token",
    "CLOUDFLARE_API_KEY",
    "datadog_api_key",
    "HEROKU_API_KEY",
    "fastly_api_token",
    "TRAVIS_TOKEN",
    "CODECOV_TOKEN",
    "okta_access_token",
    "SNYK_TOKEN",
    "bitbucket_client_secret",
    "ASANA_CLIENT_SECRET",
    "algolia_api_key",
    "DB_PASS",
    "db_password",
    "POSTGRES_PASSWORD",
    "MYSQL_ROOT_PASSWORD",
    "redisPassword",
    "smtp_pass",
    "jwt_secret",
    "SECRET_KEY",
    "clientSecret",
    "apiToken",
    "accessToken",
    "token",
    "password",
    "api_key",
    "secret",
    "ENCRYPTION_KEY",
    "auth_token",
    "refresh_token",
];

/// How a name and its value are written.
const ASSIGNMENTS: &[&str] = &[
    "N=@",
    "N = \"@\"",
    "N='@'",
    "N: @",
    "N: \"@\"",
    "\"N\": \"@\"",
    "\"N\":\"@\"",
    "N := \"@\"",
    "'N' => '@'",
    "export N=@",
    "ENV N=@",
    "var N string = \"@\"",
    "const N: string = '@';",
    "N ||= '@'",
    "N ?= @",
    "set N \"@\"; N=@",
    "<N>@</N>",
    "{\\\"N\\\": \\\"@\\\"}",
    "--N @",
    "--N=@",
    "os.environ[\"N\"] = \"@\"",
    "setenv(\"N\", \"@\")",
    "?N=@&x=1",
    "N=`@`",
    "  3→N=@",
    ".env:3:N=@",
    "+N: @",
    "-e N=@ image",
];

/// Secrets that need what is around them. Returns the text and the secret.
#[allow(clippy::too_many_lines)] // one arm per kind
fn in_context(kind: usize, random: &mut Random) -> (String, String) {
    let password = random.password();
    match kind {
        0 => {
            let key = random.base64(86) + "==";
            (
                format!(
                    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={key};EndpointSuffix=x"
                ),
                key,
            )
        }
        1 => {
            let sig = random.alnum(43) + "%3D";
            (
                format!("https://a.blob.core.windows.net/c/b?sv=2022-11-02&se=2030&sr=b&sig={sig}"),
                sig,
            )
        }
        2 => {
            let path = random.alnum(24);
            (
                format!(
                    "https://hooks.slack.com/services/T{}/B{}/{path}",
                    random.upper(8),
                    random.upper(10)
                ),
                path,
            )
        }
        3 => {
            let path = random.url_safe(68);
            (format!("https://discord.com/api/webhooks/{}/{path}", random.digits(18)), path)
        }
        4 => {
            let value = random.alnum(32);
            (format!("Cookie: theme=dark; session={value}; lang=en"), value)
        }
        5 => {
            let value = random.hex(40);
            (format!("< Set-Cookie: sid={value}; Path=/; HttpOnly"), value)
        }
        6 => (format!("curl -s -u admin:{password} https://host.test/api"), password),
        7 => (format!("curl --user admin:{password} https://host.test/api"), password),
        8 => (format!("machine host.test login me password {password}"), password),
        9 => (format!("machine host.test\n  login me\n  password {password}\n"), password),
        10 => (format!("mysql --user root --password {password} db"), password),
        11 => (format!("postgres://app:{password}@db.test:5432/app"), password),
        12 => {
            let password = format!("{password}@#/x");
            (format!("DATABASE_URL=mysql://app:{password}@db.test/app"), password)
        }
        13 => (format!("redis://:{password}@cache.test:6379/0"), password),
        14 => (format!("mongodb+srv://me:{password}@cluster.test/?retryWrites=true"), password),
        15 => {
            let value = random.alnum(40);
            (format!("curl -H 'Authorization: Bearer {value}' https://host.test"), value)
        }
        16 => {
            let value = random.base64(24);
            (format!("Authorization: Basic {value}"), value)
        }
        17 => {
            let lines: Vec<_> = (0..12).map(|_| random.base64(64)).collect();
            let last = lines[11].clone();
            let body = lines.join("\n");
            (
                format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"),
                last,
            )
        }
        18 => {
            let lines: Vec<_> =
                (0..12).map(|at| format!("{:6}→{}\n", at + 2, random.base64(64))).collect();
            let last = lines[11].trim_end().to_owned();
            (
                format!(
                    "     1→-----BEGIN OPENSSH PRIVATE KEY-----\n{}    14→-----END OPENSSH PRIVATE KEY-----\n",
                    lines.concat()
                ),
                last,
            )
        }
        19 => {
            let lines: Vec<_> =
                (0..12).map(|_| format!("id_rsa:{}\n", random.base64(64))).collect();
            let last = lines[11].trim_end().to_owned();
            (
                format!(
                    "id_rsa:-----BEGIN PRIVATE KEY-----\n{}id_rsa:-----END PRIVATE KEY-----\n",
                    lines.concat()
                ),
                last,
            )
        }
        20 => {
            let body = random.base64(64);
            (
                format!(
                    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{}\n\n{body}\n-----END RSA PRIVATE KEY-----",
                    random.hex(32)
                ),
                body,
            )
        }
        21 => {
            let body = random.base64(64);
            (
                format!(
                    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\nComment: a key\n\n{body}\n={}\n-----END PGP PRIVATE KEY BLOCK-----",
                    random.base64(4)
                ),
                body,
            )
        }
        22 => {
            let value = random.base64(36);
            (
                format!(
                    "{{\"auths\":{{\"https://index.docker.io/v1/\":{{\"auth\":\"{value}\"}}}}}}"
                ),
                value,
            )
        }
        _ => {
            let value = random.alnum(34);
            (format!("abc8Q~{value}"), value)
        }
    }
}

/// Returns texts with a secret each: the kind, the text, the secret.
fn samples() -> Vec<(String, String, String)> {
    let mut random = Random(20);
    let mut samples = Vec::new();
    for vendor in VENDORS {
        for place in PLACES {
            let secret = token(vendor, &mut random);
            samples.push(((*vendor).to_owned(), place.replace('@', &secret), secret));
        }
    }
    for assignment in ASSIGNMENTS {
        for name in NAMES {
            let length = 20 + random.next(30);
            let is_password = name.to_lowercase().contains("pass");
            let secret = if is_password { random.password() } else { random.alnum(length) };
            // Options are written with hyphens.
            let name = if assignment.contains("--N") {
                name.replace('_', "-")
            } else {
                (*name).to_owned()
            };
            let text = assignment.replace('N', &name).replace('@', &secret);
            samples.push((format!("named: {assignment}"), text, secret));
        }
    }
    for kind in 0..24 {
        for _ in 0..10 {
            let (text, secret) = in_context(kind, &mut random);
            samples.push((format!("context {kind}"), text, secret));
        }
    }
    samples
}

/// Returns the share of each kind of sample that is masked, and of all.
fn recall() -> (Vec<(String, usize, usize)>, f64) {
    let samples = samples();
    let lines: Vec<_> = samples
        .iter()
        .map(|(_, text, _)| json!({"type": "x", "text": text}).to_string() + "\n")
        .collect();
    let copied = copied(lines.concat().as_bytes());
    let mut kinds: Vec<(String, usize, usize)> = Vec::new();
    let mut masked = 0;
    for ((kind, _, secret), line) in samples.iter().zip(copied.lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let end = &secret[secret.len() - secret.len().min(8)..];
        let is_masked = !line["text"].as_str().unwrap().contains(end);
        masked += usize::from(is_masked);
        if kinds.last().is_none_or(|(last, ..)| last != kind) {
            kinds.push((kind.clone(), 0, 0));
        }
        let (_, of_kind, all) = kinds.last_mut().unwrap();
        *of_kind += usize::from(is_masked);
        *all += 1;
    }
    assert_eq!(copied.lines().count(), samples.len());
    #[allow(clippy::cast_precision_loss)]
    (kinds, masked as f64 / samples.len() as f64)
}

#[test]
fn secrets_of_common_vendors_are_masked() {
    let (kinds, share) = recall();
    let missed: Vec<_> = kinds.iter().filter(|(_, masked, all)| masked < all).collect();
    assert!(share >= 0.85, "{share}: {missed:?}");
    // As published in SECURITY.md.
    assert!(share >= 0.99, "{share}: {missed:?}");
}

#[test]
fn recorded_lines_are_unchanged() {
    let (Some(captures), Some(more)) = (shared("captures"), shared("more_captures")) else {
        return;
    };
    let (mut lines, mut changed) = (0, 0);
    for path in [captures, more].iter().flat_map(|folder| files_under(folder, "jsonl")) {
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let copied = copied(&bytes);
        assert_eq!(text.lines().count(), copied.lines().count(), "{}", path.display());
        lines += text.lines().count();
        changed += text.lines().zip(copied.lines()).filter(|(line, copy)| line != copy).count();
    }
    assert!(lines > 1000, "{lines}");
    assert!(changed * 1000 <= lines, "{changed} of {lines} lines are changed");
}
