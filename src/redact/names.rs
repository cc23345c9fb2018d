//! Names of members and variables that hold a secret.

/// How certain it is that a member with this name holds a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretName {
    /// Whatever the value is.
    Certain,
    /// If the value looks like one.
    Likely,
}

/// Ends of names, in lower case and without `_` and `-`.
const CERTAIN: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "authorization",
];
const LIKELY: &[&str] = &[
    "token",
    "auth",
    "pass",
    "pwd",
    "cookie",
    "credential",
    "credentials",
    "encryptionkey",
    "signingkey",
    "accountkey",
    "masterkey",
    "authkey",
    "appkey",
    "clientkey",
    "servicekey",
    "jwt",
];

/// Returns whether a member of this name holds a secret.
pub(super) fn is_secret_name(name: &str) -> Option<SecretName> {
    if name.len() > 128 {
        return None;
    }
    let joined: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let is_one = |ends: &[&str]| ends.iter().any(|end| joined.ends_with(end));
    if is_one(CERTAIN) {
        Some(SecretName::Certain)
    } else {
        is_one(LIKELY).then_some(SecretName::Likely)
    }
}
