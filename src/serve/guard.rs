//! Which requests are answered.
//!
//! A page of another site can send requests to a port of this machine, and by DNS
//! rebinding under a name of its own. Only addresses of the loopback interface are
//! accepted as the host, only pages of the server itself as the origin, and only requests
//! with the token.

use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};

use super::token::Token;

/// Names of this machine, with any port: it may be forwarded.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Returns why a request is not answered.
pub(super) fn check(uri: &Uri, headers: &HeaderMap, token: &Token) -> Result<(), StatusCode> {
    let host = single(headers, &header::HOST)?.ok_or(StatusCode::FORBIDDEN)?;
    if !HOSTS.contains(&without_port(host)) {
        return Err(StatusCode::FORBIDDEN);
    }
    let origin = single(headers, &header::ORIGIN)?;
    if origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
        return Err(StatusCode::FORBIDDEN);
    }
    let given = parameter(uri, "token").unwrap_or_default();
    if token.is(&given) { Ok(()) } else { Err(StatusCode::UNAUTHORIZED) }
}

/// Returns the value of a header that must not be repeated.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, StatusCode> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(|value| value.to_str().map_err(|_| StatusCode::FORBIDDEN));
    if values.next().is_some() { Err(StatusCode::FORBIDDEN) } else { value.transpose() }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Returns the value of a parameter of the address.
pub(super) fn parameter(uri: &Uri, name: &str) -> Option<String> {
    let parameters = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    let mut found = parameters.filter(|(own, _)| *own == name);
    found.next().map(|(_, value)| decoded(value))
}

/// Decodes a value as forms encode it.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        (bytes, rest) = match (first, code) {
            (b'%', Some(code)) => (pushed(bytes, code), &tail[2..]),
            (b'+', _) => (pushed(bytes, b' '), tail),
            (byte, _) => (pushed(bytes, *byte), tail),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn pushed(mut bytes: Vec<u8>, byte: u8) -> Vec<u8> {
    bytes.push(byte);
    bytes
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn checked(query: &str, headers: &[(HeaderName, &str)]) -> u16 {
        let token = Token::random().unwrap();
        let uri = format!("/x?{}", query.replace("TOKEN", &token.to_string())).parse().unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        check(&uri, &map, &token).map_or_else(|status| status.as_u16(), |()| 200)
    }

    #[test]
    fn requests_need_the_token_a_local_host_and_no_foreign_origin() {
        let host = |name| (header::HOST, name);
        let origin = |name| (header::ORIGIN, name);
        let local = "127.0.0.1:80";
        for (query, headers, status) in [
            ("token=TOKEN", vec![host(local)], 200),
            ("a=b&token=TOKEN", vec![host("localhost:9")], 200),
            ("token=TOKEN", vec![host("[::1]:9")], 200),
            ("token=TOKEN", vec![host(local), origin("http://127.0.0.1:80")], 200),
            ("", vec![host(local)], 401),
            ("token=TOKENx", vec![host(local)], 401),
            ("token=", vec![host(local)], 401),
            ("token=TOKEN", vec![], 403),
            ("token=TOKEN", vec![host("attacker.example:80")], 403),
            ("token=TOKEN", vec![host("127.0.0.1.attacker.example")], 403),
            ("token=TOKEN", vec![host("127.0.0.1:x")], 403),
            ("token=TOKEN", vec![host(local), host("attacker.example")], 403),
            ("token=TOKEN", vec![host(local), origin("http://attacker.example")], 403),
            ("token=TOKEN", vec![host(local), origin("http://127.0.0.1:81")], 403),
            ("token=TOKEN", vec![host(local), origin("null")], 403),
            ("token=TOKEN", vec![host(local), origin("https://127.0.0.1:80")], 403),
        ] {
            assert_eq!(checked(query, &headers), status, "{query} {headers:?}");
        }
    }

    #[test]
    fn parameters_are_decoded() {
        let uri = "/?name=%2Fa+b%C3%A9%zz%2&x=1".parse().unwrap();
        assert_eq!(parameter(&uri, "name").unwrap(), "/a bé%zz%2");
        assert_eq!(parameter(&uri, "y"), None);
    }
}
