//! The rules: one table of everything that is detected, with an example each.
//!
//! A rule applies where one of its words occurs; one automaton finds the words of all
//! rules, so the number of rules does not affect the time. The shapes are those that
//! the vendors document.
//!
//! In examples the secret is between `⟦` and `⟧`, and `{a20}` stands for 20 letters and
//! digits, `{U}` for upper case, `{x}` for hexadecimal digits, `{d}` for digits: the file
//! contains nothing that looks like a key.

use std::ops::Range;

use super::plausible::{
    Follows, any, has_digit, is_password, is_random, is_user_password, names_curl,
};

/// What a kind of secret looks like.
pub(super) struct Rule {
    /// Its name in reports.
    pub(super) name: &'static str,
    /// Words in lower case, one of which every match contains. `[ab]` is one of these
    /// characters.
    pub(super) words: &'static [&'static str],
    /// Where the secret is, relative to the word.
    pub(super) place: Place,
    /// What is before a word.
    pub(super) follows: Follows,
    /// The secret. Whatever comes before its first possible end is bounded, so a search
    /// takes linear time.
    pub(super) secret: &'static str,
    /// Returns whether a match is a secret and not a word, a type or a placeholder.
    pub(super) accepts: fn(&[u8], Range<usize>) -> bool,
    /// Whether the secret is recognised by itself, not by a name before it.
    pub(super) is_token: bool,
    /// A text with such a secret.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) example: &'static str,
}

/// Where a secret is, relative to the word that was found.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// It starts with the word.
    AtWord,
    /// It follows the word and this pattern.
    Behind(&'static str),
    /// The word starts a private key of several lines.
    KeyBlock,
}

/// A secret that starts with a word.
const fn token(
    name: &'static str,
    words: &'static [&'static str],
    secret: &'static str,
    example: &'static str,
) -> Rule {
    let place = Place::AtWord;
    Rule {
        name,
        words,
        place,
        follows: Follows::Boundary,
        secret,
        accepts: has_digit,
        is_token: true,
        example,
    }
}

/// A secret that follows a word and a pattern.
const fn behind(
    name: &'static str,
    words: &'static [&'static str],
    context: &'static str,
    secret: &'static str,
    example: &'static str,
) -> Rule {
    let place = Place::Behind(context);
    Rule {
        name,
        words,
        place,
        follows: Follows::Anything,
        secret,
        accepts: any,
        is_token: false,
        example,
    }
}

/// Between a name and its value: quotes, escaped or not, a sign of assignment, a type,
/// and an authorization scheme.
pub(super) const ASSIGNED: &str = concat!(
    r#"[0-9]{0,2}["'`\\]{0,4}[\])]?(?:[ \t]|\\t){0,8}"#,
    r#"(?:(?::[ ]{0,4})?&?(?:str|string|text)[ ]{0,4}:?=|[:|?+]{0,2}=[>=]?|::?|->|>"#,
    r#"|,[ ]{0,4}["'`\\]|\([ ]{0,4}["'`\\]|["'`])"#,
    r#"(?:[ \t]|\\t){0,8}["'`\\]{0,4}(?:(?:basic|token|bearer|bot|apikey|splunk|digest)[ ]{1,4})?"#,
);
const VALUE: &str = r"[a-z0-9._~+/=$!@%^*#-]{6,}";

/// Characters of most tokens.
const LONG: &str = "[a-z0-9_-]{16,}";

/// The name of the rule for private keys in base64, which may have several lines.
pub(super) const ENCODED_KEY: &str = "private-key-base64";

/// All rules.
pub(super) const RULES: &[Rule] = &[
    // Models.
    Rule {
        accepts: any,
        ..token(
            "openai-anthropic",
            &["sk-"],
            r"sk-(?:(?:ant|proj|or|live|test|svcacct|admin|None)-[a-z0-9_-]+|[a-z0-9_-]{20,})",
            "key ⟦sk-ant-api03-{a80}⟧.",
        )
    },
    token("groq", &["gsk_"], "gsk_[a-z0-9]{20,}", "⟦gsk_{a52}⟧"),
    token("xai", &["xai-"], "xai-[a-z0-9]{20,}", "⟦xai-{a80}⟧"),
    token("perplexity", &["pplx-"], "pplx-[a-z0-9]{20,}", "⟦pplx-{a48}⟧"),
    token("replicate", &["r8_"], "r8_[a-z0-9]{20,}", "⟦r8_{a37}⟧"),
    token("fireworks", &["fw_"], "fw_[a-z0-9]{20,}", "⟦fw_{a24}⟧"),
    token("hugging-face", &["hf_", "api_org_"], "(?-i:hf_|api_org_)[a-z0-9]{20,}", "⟦hf_{a34}⟧"),
    token("langsmith", &["lsv2_"], "lsv2_[ps][tk]_[a-z0-9_]{20,}", "⟦lsv2_pt_{x32}_{x10}⟧"),
    // Forges and package registries.
    Rule {
        accepts: any,
        ..token(
            "github",
            &["gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_"],
            "[a-z_]{4,11}[a-z0-9_]{10,}",
            "https://x.test/?q=%20⟦ghp_{a36}⟧",
        )
    },
    Rule {
        accepts: any,
        ..token(
            "gitlab",
            &[
                "glpat-",
                "gldt-",
                "glrt-",
                "glptt-",
                "glft-",
                "glcbt-",
                "glsoat-",
                "glimt-",
                "glagent-",
                "gloas-",
                "glffct-",
                "gr1348941",
            ],
            "[a-z0-9]{4,10}[a-z0-9._-]{10,}",
            "⟦glpat-{a20}⟧",
        )
    },
    token(
        "bitbucket-atlassian",
        &["atatt3", "atctt3", "atbb", "atoa"],
        "(?-i:ATATT3|ATCTT3|ATBB|ATOA)[a-z0-9_=-]{20,}",
        "⟦ATATT3{a60}⟧",
    ),
    token("npm", &["npm_"], "npm_[a-z0-9]{30,}", "//registry.npmjs.org/:_authToken=⟦npm_{a36}⟧"),
    token("pypi", &["pypi-"], "pypi-[a-z0-9_-]{10,}", "⟦pypi-AgEIcHlwaS5vcmc{a70}⟧"),
    token("rubygems", &["rubygems_"], "rubygems_[a-f0-9]{32,}", "⟦rubygems_{x48}⟧"),
    token("clojars", &["clojars_"], "clojars_[a-z0-9]{40,}", "⟦CLOJARS_{x60}⟧"),
    token("crates-io", &["cio"], "(?-i:cio)[a-z0-9]{32}", "⟦cio{a32}⟧"),
    token("nuget", &["oy2"], "oy2[a-z0-9]{43}", "⟦oy2{a43}⟧"),
    token("docker", &["dckr_pat_", "dckr_oat_"], "dckr_[po]at_[a-z0-9_-]{20,}", "⟦dckr_pat_{a27}⟧"),
    token(
        "artifactory",
        &["akcp", "cmvmdgtu"],
        "(?-i:AKCp[0-9a-z]|cmVmdGtuOj)[a-z0-9]{40,}",
        "⟦AKCp8{a69}⟧",
    ),
    // Clouds.
    token(
        "aws-access-key-id",
        &["akia", "asia", "abia", "acca"],
        "(?-i:A(?:KI|SI|BI|CC)A[0-9A-Z]{16})",
        "aws_access_key_id = ⟦AKIA{U16}⟧",
    ),
    token(
        "aws-bedrock",
        &["absk", "bedrock-api-key-"],
        "(?-i:ABSK|bedrock-api-key-)[a-z0-9+/=]{60,}",
        "⟦ABSK{a110}⟧",
    ),
    token("google-api-key", &["aiza"], "(?-i:AIza)[a-z0-9_-]{35}", "⟦AIza{a35}⟧"),
    token(
        "google-oauth",
        &["ya29.", "gocspx-", "1//0"],
        "(?:ya29[.]|gocspx-|1//0)[a-z0-9_-]{20,}",
        "⟦ya29.{a80}⟧",
    ),
    behind(
        "azure-storage",
        &["accountkey", "sharedaccesskey"],
        "[ ]?=[ ]?",
        "[a-z0-9+/=%]{20,}",
        "AccountName=x;AccountKey=⟦{a86}==⟧;EndpointSuffix=x",
    ),
    Rule {
        follows: Follows::UrlParameter,
        accepts: has_digit,
        ..behind(
            "azure-sas",
            &["sig="],
            "",
            "[a-z0-9+/=%]{30,}",
            "https://x.blob.core.windows.net/c?sv=2024&sig=⟦{a43}%3D⟧&se=2026",
        )
    },
    Rule {
        follows: Follows::Anything,
        ..token(
            "azure-client-secret",
            &["8q~", "7q~"],
            "(?-i:[78]Q~)[a-z0-9_~.-]{31,34}",
            "AbC⟦8Q~{a34}⟧",
        )
    },
    token(
        "digitalocean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        "do[opr]_v1_[a-f0-9]{40,}",
        "⟦dop_v1_{x64}⟧",
    ),
    token("alibaba", &["ltai"], "(?-i:LTAI)[a-z0-9]{12,20}", "⟦LTAI{a20}⟧"),
    token("tencent", &["akid"], "(?-i:AKID)[a-z0-9]{32}", "⟦AKID{a32}⟧"),
    token("heroku", &["hrku-"], "hrku-[a-z0-9_-]{30,}", "⟦HRKU-AA{a58}⟧"),
    token(
        "fly",
        &["fm1_", "fm1r_", "fm2_", "fm1a_"],
        "fm[12][ar]?_[a-z0-9+/=,]{40,}",
        "FlyV1 ⟦fm2_{a80}⟧",
    ),
    token("netlify", &["nfp_", "nfc_", "nfo_"], "nf[pco]_[a-z0-9]{30,}", "⟦nfp_{a36}⟧"),
    token(
        "vercel",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        "vc[piark]_[a-z0-9]{24,}",
        "⟦vcp_{a56}⟧",
    ),
    token(
        "cloudflare-origin",
        &["v1.0-"],
        "v1[.]0-[a-f0-9]{24}-[a-f0-9]{100,}",
        "⟦v1.0-{x24}-{x146}⟧",
    ),
    token("supabase", &["sbp_", "sb_secret_"], "(?:sbp|sb_secret)_[a-z0-9_-]{20,}", "⟦sbp_{x40}⟧"),
    token(
        "planetscale",
        &["pscale_"],
        "pscale_(?:tkn|pw|oauth)_[a-z0-9=._-]{30,}",
        "⟦pscale_tkn_{a43}⟧",
    ),
    token("databricks", &["dapi"], "(?-i:dapi)[a-f0-9]{32}(?:-[0-9])?", "⟦dapi{x32}-2⟧"),
    token("openshift", &["sha256~"], "sha256~[a-z0-9_-]{43}", "oc login --token ⟦sha256~{a43}⟧"),
    token("pulumi", &["pul-"], "pul-[a-f0-9]{40}", "⟦pul-{x40}⟧"),
    Rule {
        follows: Follows::Anything,
        ..token(
            "terraform",
            &[".atlasv1."],
            "[.]atlasv1[.][a-z0-9_=-]{60,}",
            "{a14}⟦.atlasv1.{a67}⟧",
        )
    },
    token("vault", &["hvs.", "hvb.", "hvr."], "hv[sbr][.][a-z0-9_-]{20,}", "⟦hvs.{a90}⟧"),
    token(
        "doppler",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        "dp[.][a-z]{2,5}[.][a-z0-9_.-]{30,}",
        "⟦dp.pt.{a43}⟧",
    ),
    token(
        "1password",
        &["ops_eyj", "a3-"],
        "(?-i:ops_eyJ[a-zA-Z0-9+/=]{100,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,5})",
        "⟦ops_eyJ{a250}⟧",
    ),
    token("age", &["age-secret-key-1"], "age-secret-key-1[a-z0-9]{50,}", "⟦AGE-SECRET-KEY-1{U58}⟧"),
    token("tailscale", &["tskey-"], "tskey-[a-z]+-[a-z0-9-]{16,}", "⟦tskey-auth-{a12}-{a32}⟧"),
    // Services.
    token(
        "slack",
        &[
            "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-",
            "xoxs-", "xapp-",
        ],
        "[a-z]{4}[.-][a-z0-9.%_-]{10,}",
        "⟦xoxb-{d12}-{d12}-{a24}⟧",
    ),
    behind(
        "slack-webhook",
        &["hooks.slack.com/"],
        "(?:services|workflows|triggers)/",
        "[a-z0-9_/-]{20,}",
        "https://hooks.slack.com/services/⟦T{U8}/B{U8}/{a24}⟧",
    ),
    behind(
        "discord-webhook",
        &["discord.com/api/", "discordapp.com/api/"],
        "(?:v[0-9]{1,2}/)?webhooks/[0-9]{5,30}/",
        LONG,
        "https://discord.com/api/webhooks/{d18}/⟦{a68}⟧",
    ),
    token(
        "discord",
        &["[mn][dtjz][aeimquyckg]", "o[dt][aeimquyckg]"],
        "(?-i:[MNO][TjzD])[a-z0-9_-]{21,26}[.][a-z0-9_-]{6}[.][a-z0-9_-]{27,}",
        "⟦MTAyMzQ1Njc4OTAxMjM0NTY3.{a6}.{a38}⟧",
    ),
    behind(
        "teams-webhook",
        &[".webhook.office.com/"],
        "webhookb2/",
        "[a-z0-9@/-]{30,}",
        "https://x.webhook.office.com/webhookb2/⟦{x8}@{x8}/IncomingWebhook/{x32}⟧",
    ),
    Rule {
        follows: Follows::BotNumber,
        ..token("telegram", &[":aa"], "(?-i::AA)[a-z0-9_-]{32,34}", "bot{d10}⟦:AA{a33}⟧")
    },
    token(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"],
        "(?:[sr]k_[a-z]{4}_|whsec_)[a-z0-9+/=]{10,}",
        "⟦sk_live_{a99}⟧",
    ),
    token(
        "sendgrid",
        &["sg."],
        "(?-i:SG)[.][a-z0-9_-]{16,24}[.][a-z0-9_-]{16,}",
        "⟦SG.{a22}.{a43}⟧",
    ),
    token("twilio", &["sk[0123456789abcdef]"], "(?-i:SK[a-f0-9]{32})", "⟦SK{x32}⟧"),
    token("mailgun", &["key-", "pubkey-"], "(?:pub)?key-[a-f0-9]{32}", "⟦key-{x32}⟧"),
    token(
        "brevo",
        &["xkeysib-", "xsmtpsib-"],
        "x(?:key|smtp)sib-[a-f0-9]{64}-[a-z0-9]{16}",
        "⟦xkeysib-{x64}-{a16}⟧",
    ),
    token(
        "shopify",
        &["shpat_", "shpca_", "shpss_", "shppa_", "shptka_"],
        "shp[a-z]{2,3}_[a-f0-9]{32}",
        "⟦shpat_{x32}⟧",
    ),
    token(
        "square",
        &["sq0atp-", "sq0csp-", "eaaa"],
        "(?:sq0[a-z]{3}-|(?-i:EAAA))[a-z0-9_-]{22,}",
        "⟦sq0csp-{a43}⟧",
    ),
    token(
        "paypal-braintree",
        &["access_token$"],
        "access_token[$][a-z]+[$][a-z0-9]{16}[$][a-f0-9]{32}",
        "⟦access_token$production${a16}${x32}⟧",
    ),
    token(
        "linear",
        &["lin_api_", "lin_oauth_"],
        "lin_(?:api|oauth)_[a-z0-9]{30,}",
        "⟦lin_api_{a40}⟧",
    ),
    token("notion", &["ntn_", "secret_"], "(?:ntn|secret)_[a-z0-9]{40,}", "⟦ntn_{d11}{a35}⟧"),
    token("airtable", &["pat"], "(?-i:pat[a-zA-Z0-9]{14})[.][a-f0-9]{64}", "⟦pat{a14}.{x64}⟧"),
    token(
        "hubspot",
        &["pat-na", "pat-eu"],
        "pat-(?:na|eu)[0-9]-[a-f0-9-]{36}",
        "⟦pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}⟧",
    ),
    token("figma", &["figd_", "figo_", "figu_"], "fig[dou]_[a-z0-9_-]{30,}", "⟦figd_{a40}⟧"),
    token("postman", &["pmak-", "pmat-"], "pma[kt]-[a-z0-9-]{26,}", "⟦PMAK-{x24}-{x34}⟧"),
    token("grafana", &["glc_", "glsa_"], "gl(?:c|sa)_[a-z0-9+/=_]{30,}", "⟦glsa_{a32}_{x8}⟧"),
    token(
        "sentry",
        &["sntrys_", "sntryu_", "sntrya_"],
        "sntry[sua]_[a-z0-9+/=_]{40,}",
        "⟦sntryu_{x64}⟧",
    ),
    token(
        "new-relic",
        &["nrak-", "nrjs-", "nraa-", "nrra-", "nrii-"],
        "nr[a-z]{2}-[a-z0-9_-]{16,}",
        "⟦NRAK-{U27}⟧",
    ),
    token(
        "dynatrace",
        &["dt0c01.", "dt0s"],
        "dt0[a-z][0-9]{2}[.][a-z0-9]{8,24}[.][a-z0-9]{60,}",
        "⟦dt0c01.{U24}.{U64}⟧",
    ),
    token("sonar", &["sqp_", "squ_", "sqa_"], "sq[pua]_[a-f0-9]{40}", "⟦squ_{x40}⟧"),
    token("buildkite", &["bkua_", "bkaj_", "bkct_"], "bk[a-z]{2}_[a-z0-9]{30,}", "⟦bkua_{x40}⟧"),
    token(
        "circleci",
        &["ccipat_", "cciprj_"],
        "cci(?:pat|prj)_[a-z0-9_]{30,}",
        "⟦CCIPAT_{a22}_{x40}⟧",
    ),
    token("sourcegraph", &["sgp_"], "sgp_[a-z0-9_]{40,}", "⟦sgp_{x40}⟧"),
    token("dropbox", &["sl.u.", "sl.b"], "sl[.][a-z0-9_.-]{100,}", "⟦sl.u.{a130}⟧"),
    token("meta", &["eaa"], "(?-i:EAA[MCJ])[a-z0-9]{80,}", "⟦EAAC{a150}⟧"),
    token(
        "launchdarkly",
        &["sdk-", "api-", "mob-"],
        "(?:sdk|api|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
        "⟦sdk-{x8}-{x4}-{x4}-{x4}-{x12}⟧",
    ),
    token(
        "prefixed",
        &[
            "rdme_",
            "shippo_live_",
            "shippo_test_",
            "duffel_live_",
            "duffel_test_",
            "tfp_",
            "aio_",
            "pnu_",
            "ico-",
            "fio-u-",
            "cfpat-",
            "flwseck",
            "ezak",
            "eztk",
            "sm_pat_",
            "sm_aat_",
            "dnkey-",
            "infisical_",
            "st.",
            "tk-us-",
        ],
        "[a-z._-]{3,12}[a-z0-9._=-]{28,}",
        "⟦rdme_{a70}⟧",
    ),
    // Formats.
    Rule {
        accepts: any,
        ..token(
            "json-web-token",
            &["eyj"],
            "(?-i:eyJ)[a-z0-9_-]{8,512}[.][a-z0-9_-]{8,}(?:[.][a-z0-9_.-]*)?",
            "cookie ⟦eyJhbGciOiJI{a9}.eyJzdWIiOiIx{a20}.{a43}⟧ end",
        )
    },
    Rule {
        follows: Follows::Boundary,
        accepts: is_random,
        is_token: true,
        ..behind("bearer", &["bearer"], r"[ \t]{1,8}", "[a-z0-9._~+/=-]{4,}", "Bearer ⟦{a16}⟧")
    },
    Rule {
        place: Place::KeyBlock,
        follows: Follows::Anything,
        accepts: any,
        ..token(
            "private-key",
            &["-----begin "],
            "",
            "⟦-----BEGIN EC PRIVATE KEY-----\n{a64}\n{a20}=\n-----END EC PRIVATE KEY-----⟧\n",
        )
    },
    token(
        ENCODED_KEY,
        &["ls0tls1crudjti"],
        r"(?-i:LS0tLS1CRUdJTiB(?:SU0Eg|QUklW|PUEVO|FQyBQ|FTkNS|QR1AgUFJJ|EU0Eg)[A-Za-z0-9+/=]*(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{16,})*)",
        "key: ⟦LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{a700}⟧",
    ),
    Rule {
        accepts: is_user_password,
        ..behind(
            "url-password",
            &["://"],
            r#"[^/\s:@"'\\<>]{0,128}:"#,
            r#"[^\s"'\\<>]{1,256}@"#,
            "postgres://app:⟦p@ss/w0rd#1⟧@db.test:5432/x",
        )
    },
    Rule {
        accepts: names_curl,

        ..behind(
            "basic-auth",
            &[" -u", " --user"],
            r#"(?:[ ]{0,4}|=)["']?[^\s:"'\\]{1,64}:"#,
            r#"[^\s"'\\]{3,}"#,
            "curl -u me:⟦letmein⟧ https://x.test",
        )
    },
    behind(
        "netrc",
        &["machine "],
        r#"[^\s"\\]{1,128}\s{1,8}login\s{1,8}[^\s"\\]{1,128}\s{1,8}password\s{1,8}"#,
        r#"[^\s"\\]{3,}"#,
        "machine x.test\nlogin me\npassword ⟦letmein⟧\n",
    ),
    Rule {
        accepts: is_random,
        ..behind(
            "cookie",
            &["cookie"],
            r#"["'\\]{0,4}[ ]?:[ ]?["'\\]{0,4}[a-z0-9_.%-]{1,64}="#,
            r#"[^\x00-\x20"'\\;]+(?:;[ ]?[^\x00-\x20"'\\;]+)*"#,
            "Set-Cookie: sid=⟦{a32}; Path=/; HttpOnly⟧",
        )
    },
    // Names.
    Rule {
        accepts: is_password,
        ..behind("password", PASSWORDS, ASSIGNED, VALUE, "DB_PASS=⟦s3cr3t-{a6}⟧")
    },
    Rule {
        accepts: is_password,
        ..behind("secret", SECRETS, ASSIGNED, VALUE, r#"client_secret: "⟦{a32}⟧""#)
    },
    Rule {
        accepts: is_random,
        ..behind("token", TOKENS, ASSIGNED, VALUE, r#"{"token":"⟦{a24}⟧"}"#)
    },
    Rule {
        follows: Follows::OptionDashes,
        accepts: is_password,
        ..behind(
            "option",
            OPTIONS,
            r#"[ ]{1,4}["']?"#,
            VALUE,
            "login --password ⟦hunter2-x⟧ --user me",
        )
    },
];

/// Names of passwords.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "_pass", "-pass", "pwd", "pass"];

/// Names of other values that are certainly secret.
const SECRETS: &[&str] = &[
    "api_key",
    "api-key",
    "apikey",
    "api key",
    "access_key",
    "access-key",
    "accesskey",
    "secret_key",
    "secret-key",
    "secretkey",
    "private_key",
    "private-key",
    "privatekey",
    "secret",
    "authorization",
    "encryption_key",
    "encryptionkey",
    "signing_key",
    "signingkey",
    "license_key",
    "account_key",
    "master_key",
    "auth_key",
    "authkey",
    "app_key",
    "appkey",
    "webhook_key",
    "service_key",
    "client_key",
    "session_key",
];

/// Names of values that may be secret.
const TOKENS: &[&str] = &["token", "credential", "credentials", "auth", "jwt"];

/// Options of commands with a secret as the next argument.
const OPTIONS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "api-key",
    "access-key",
    "secret-key",
    "auth",
];

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::redact::{REDACTED, Redactor};

    /// Returns an example and the same text masked.
    pub(in crate::redact) fn example(rule: &Rule) -> (String, String) {
        let mut text = String::new();
        let mut rest = rule.example;
        while let Some((before, more)) = rest.split_once('{') {
            let Some((spec, more)) =
                more.split_once('}').filter(|(spec, _)| spec.len() < 5 && !spec.contains('"'))
            else {
                text += before;
                text.push('{');
                rest = more;
                continue;
            };
            let characters = match &spec[..1] {
                "x" => "0123456789abcdef",
                "d" => "7192836450",
                "U" => "A1B2C3D4E5F6G7H8J9",
                _ => "a1Bc2De3Fg4Hi5Jk6Lm7No8Pq9",
            };
            text += before;
            text.extend(characters.chars().cycle().take(spec[1..].parse().unwrap()));
            rest = more;
        }
        text += rest;
        let (before, secret) = text.split_once('⟦').unwrap();
        let (secret, after) = secret.split_once('⟧').unwrap();
        (format!("{before}{secret}{after}"), format!("{before}{REDACTED}{after}"))
    }

    #[test]
    fn example_of_every_rule_is_masked() {
        for rule in RULES {
            let (text, masked) = example(rule);
            assert_eq!(Redactor::default().mask(&text), masked, "{}", rule.name);
            let other = format!("and {text} too");
            assert_eq!(
                Redactor::default().mask(&other),
                format!("and {masked} too"),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn words_are_lower_case_and_names_unique() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
        for word in RULES.iter().flat_map(|rule| rule.words) {
            assert_eq!(*word, word.to_ascii_lowercase());
            // Shorter words have no trigram, and every line would be searched slowly.
            assert!(word.len() >= 3, "{word}");
        }
    }
}
