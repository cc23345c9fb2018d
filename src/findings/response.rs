//! Findings in a structured output: a document that follows
//! `schemas/agent-response.json`.
//!
//! Members may be missing or null. A member of the wrong type makes the document
//! invalid.

use serde_json::{Map, Value, json};

use super::{Finding, Level, is_name_character};
use crate::json::Json;

/// The findings of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Summary, events, memories, escalation, services, in this order.
    pub findings: Vec<Finding>,
    /// Values that were corrected.
    pub warnings: Vec<String>,
    /// Number of warnings beyond the limit.
    more: usize,
}

/// Why a document is invalid, for example `/events/0/level is not a string`.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongType(String);

impl WrongType {
    /// Returns whether a member of the schema is present, but has the wrong type.
    #[must_use]
    pub fn is_in_a_member(&self) -> bool {
        self.0.starts_with('/')
    }
}

/// The member of an event that is not part of the schema.
const ACTION: &str = "action";

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 20;

impl std::fmt::Display for WrongType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns the document without the members of events that are [read](read) in addition
/// to those of the schema; `None` if there are none.
pub(crate) fn without_actions(document: &[u8]) -> Option<Vec<u8>> {
    with_events(document, |event| event.remove(ACTION).is_some())
}

/// Returns the document with every level of an event that is missing or not one of the
/// schema's replaced by the one it is [read](read) as; `None` if there is nothing to
/// replace.
pub(crate) fn with_known_levels(document: &[u8]) -> Option<Vec<u8>> {
    with_events(document, |event| {
        let word = event.get("level").and_then(Value::as_str).unwrap_or_default();
        let known = Level::of(word).name();
        let is_unknown = word != known;
        if is_unknown {
            event.insert("level".to_owned(), json!(known));
        }
        is_unknown
    })
}

/// Returns the document with its events changed; `None` if `change` changed none.
fn with_events(
    document: &[u8],
    mut change: impl FnMut(&mut Map<String, Value>) -> bool,
) -> Option<Vec<u8>> {
    let mut document: Value = serde_json::from_slice(document).ok()?;
    let events = document.get_mut("events")?.as_array_mut()?;
    let events = events.iter_mut().filter_map(Value::as_object_mut);
    let changed = events.map(&mut change).filter(|is_changed| *is_changed).count();
    (changed > 0).then(|| document.to_string().into_bytes())
}

/// Reads a document that is JSON.
///
/// # Errors
///
/// Returns an error if a value has the wrong type.
pub fn read(document: Json<'_>) -> Result<Response, WrongType> {
    let document = Node { json: document, path: String::new() };
    document.is(b'{', "an object")?;
    let [summary, events, memories, escalation, services] =
        ["summary", "events", "memories", "escalation", "services_checked"]
            .map(|name| document.get(name));
    if [&summary, &events, &memories, &escalation, &services].iter().all(|part| part.is_none()) {
        return Err(WrongType("it has none of the expected members".to_owned()));
    }
    let mut response = Response::default();
    if let Some(summary) = summary {
        response.findings.push(Finding::Summary { text: summary.text()? });
    }
    for event in elements(events)? {
        response.event(&event)?;
    }
    for memory in elements(memories)? {
        response.memory(&memory)?;
    }
    if let Some(escalation) = escalation {
        response.escalation(&escalation)?;
    }
    for service in elements(services)? {
        service.is(b'{', "an object")?;
        response.findings.push(Finding::Service {
            name: service.member("name")?.unwrap_or_default(),
            status: service.member("status")?.unwrap_or_default(),
            detail: service.member("detail")?,
        });
    }
    if response.more > 0 {
        response.warnings.push(format!("{} more warnings", response.more));
    }
    Ok(response)
}

impl Response {
    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.more += 1;
        }
    }

    fn event(&mut self, event: &Node<'_>) -> Result<(), WrongType> {
        event.is(b'{', "an object")?;
        let word = event.get("level").and_then(|level| level.json.as_str()).unwrap_or_default();
        let level = Level::of(&word);
        if level.name() != word {
            let path = &event.path;
            let name = level.name();
            self.warn(format!("{path}/level is not info, warning or critical; read as {name}"));
        }
        let service = event.member("service")?.filter(|service| !service.is_empty());
        let message = event.member("message")?.unwrap_or_default();
        let action = self.action(event, level, service.as_deref(), &message);
        self.findings.push(Finding::Event { level, service, message });
        self.findings.extend(action);
        Ok(())
    }

    /// Returns the action that an event reports. It is not part of the schema, and counts
    /// like a `[COOLDOWN:…]` marker; a critical event reports one that failed.
    fn action(
        &mut self,
        event: &Node<'_>,
        level: Level,
        service: Option<&str>,
        message: &str,
    ) -> Option<Finding> {
        let action = event.get(ACTION)?;
        let word = action.json.as_str().unwrap_or_default();
        match (&*word, service) {
            ("restart" | "redeployment", Some(service)) => Some(Finding::Cooldown {
                action_type: word.into_owned(),
                service: service.to_owned(),
                success: level != Level::Critical,
                message: message.to_owned(),
            }),
            ("restart" | "redeployment", None) => {
                self.warn(format!("{} is ignored: the event names no service", action.path));
                None
            }
            _ => {
                self.warn(format!("{} is neither restart nor redeployment", action.path));
                None
            }
        }
    }

    fn memory(&mut self, memory: &Node<'_>) -> Result<(), WrongType> {
        memory.is(b'{', "an object")?;
        let key = memory.member("key")?.unwrap_or_default();
        let (service, category) = match key.split_once(':') {
            Some((service, category)) if !service.is_empty() => (Some(service), category),
            _ => (None, &*key),
        };
        if !key.chars().all(|letter| letter == ':' || is_name_character(letter)) {
            let path = &memory.path;
            self.warn(format!("{path}/key is neither category nor service:category"));
        }
        self.findings.push(Finding::Memory {
            service: service.map(str::to_owned),
            category: category.to_owned(),
            observation: memory.member("value")?.unwrap_or_default(),
        });
        Ok(())
    }

    fn escalation(&mut self, escalation: &Node<'_>) -> Result<(), WrongType> {
        escalation.is(b'{', "an object")?;
        let needed = match escalation.get("needed").map(|needed| (needed.json.bytes(), needed)) {
            Some((b"true", _)) => true,
            Some((b"false", _)) | None => false,
            Some((_, needed)) => return Err(needed.wrong("a boolean")),
        };
        let checks = elements(escalation.get("failed_checks"))?;
        self.findings.push(Finding::Escalation {
            needed,
            reason: escalation.member("reason")?,
            context: escalation.member("context")?,
            failed_checks: checks.iter().map(Node::text).collect::<Result<_, _>>()?,
        });
        Ok(())
    }
}

/// A value and its path in the document.
struct Node<'a> {
    json: Json<'a>,
    path: String,
}

impl<'a> Node<'a> {
    /// Returns the member `name`, unless it is null.
    fn get(&self, name: &str) -> Option<Node<'a>> {
        let json = self.json.get(name).filter(|json| json.bytes() != b"null")?;
        Some(Node { json, path: format!("{}/{name}", self.path) })
    }

    /// Returns the string member `name`.
    fn member(&self, name: &str) -> Result<Option<String>, WrongType> {
        self.get(name).map(|node| node.text()).transpose()
    }

    fn text(&self) -> Result<String, WrongType> {
        self.json.as_str().map(std::borrow::Cow::into_owned).ok_or_else(|| self.wrong("a string"))
    }

    fn is(&self, opening: u8, what: &str) -> Result<(), WrongType> {
        let is = self.json.bytes().first() == Some(&opening);
        if is { Ok(()) } else { Err(self.wrong(what)) }
    }

    fn wrong(&self, what: &str) -> WrongType {
        let path = if self.path.is_empty() { "it" } else { &self.path };
        WrongType(format!("{path} is not {what}"))
    }
}

/// Returns the elements of a list, if there is one.
fn elements(list: Option<Node<'_>>) -> Result<Vec<Node<'_>>, WrongType> {
    let Some(Node { json, path }) = list else {
        return Ok(Vec::new());
    };
    let list = Node { json, path };
    list.is(b'[', "a list")?;
    let node = |(index, json)| Node { json, path: format!("{}/{index}", list.path) };
    Ok(json.elements().enumerate().map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(document: &str) -> Result<Response, String> {
        read(Json::new(document.as_bytes())).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_document_is_read_in_the_order_of_the_schema() {
        let response = of(r#"{"services_checked":[{"name":"a","status":"down"}],
            "escalation":{"needed":true,"reason":"r","failed_checks":["x","y"]},
            "memories":[{"key":"a:timing","value":"slow"}],
            "events":[{"level":"critical","message":"m","service":"a"}],"summary":"s"}"#)
        .unwrap();
        let text = str::to_owned;
        assert_eq!(
            response.findings,
            [
                Finding::Summary { text: text("s") },
                Finding::Event {
                    level: Level::Critical,
                    service: Some(text("a")),
                    message: text("m")
                },
                Finding::Memory {
                    service: Some(text("a")),
                    category: text("timing"),
                    observation: text("slow"),
                },
                Finding::Escalation {
                    needed: true,
                    reason: Some(text("r")),
                    context: None,
                    failed_checks: vec![text("x"), text("y")],
                },
                Finding::Service { name: text("a"), status: text("down"), detail: None },
            ]
        );
        assert_eq!(response.warnings, [""; 0]);
    }

    #[test]
    fn absent_and_null_are_the_same_and_wrong_types_are_not() {
        assert_eq!(of(r#"{"summary":"s","memories":null}"#).unwrap().findings.len(), 1);
        for (document, wrong) in [
            ("[]", "it is not an object"),
            (r#"{"name":"x"}"#, "it has none of the expected members"),
            (r#"{"summary":1}"#, "/summary is not a string"),
            (r#"{"events":{}}"#, "/events is not a list"),
            (r#"{"events":["x"]}"#, "/events/0 is not an object"),
            (r#"{"events":[{"level":"info","message":[]}]}"#, "/events/0/message is not a string"),
            (r#"{"memories":[{"key":7}]}"#, "/memories/0/key is not a string"),
            (r#"{"escalation":{"needed":"yes"}}"#, "/escalation/needed is not a boolean"),
            (
                r#"{"escalation":{"failed_checks":[1]}}"#,
                "/escalation/failed_checks/0 is not a string",
            ),
            (r#"{"services_checked":[{"name":{}}]}"#, "/services_checked/0/name is not a string"),
        ] {
            assert_eq!(of(document).unwrap_err(), wrong, "{document}");
        }
    }

    #[test]
    fn unknown_level_is_corrected_with_a_warning() {
        let response = of(r#"{"events":[{"level":"FATAL","message":"m"}]}"#).unwrap();
        assert_eq!(response.findings.len(), 1);
        let warning = "/events/0/level is not info, warning or critical; read as critical";
        assert_eq!(response.warnings, [warning]);
        let document = br#"{"events":[{"level":"FATAL"},{"level":"info"},{"level":5},1],"x":[]}"#;
        let corrected: Value =
            serde_json::from_slice(&with_known_levels(document).unwrap()).unwrap();
        assert_eq!(corrected["events"][0]["level"], "critical");
        assert_eq!(corrected["events"][2]["level"], "info");
        let response = of(r#"{"events":[{"level":3,"message":"m"}]}"#).unwrap();
        let warning = "/events/0/level is not info, warning or critical; read as info";
        assert_eq!((response.findings.len(), response.warnings), (1, vec![warning.to_owned()]));
        assert_eq!(with_known_levels(br#"{"events":[{"level":"info"}]}"#), None);
        assert_eq!(with_known_levels(b"[]"), None);
    }

    #[test]
    fn first_colon_of_a_key_separates_service_and_category() {
        for (key, service, category) in [
            ("timing", None, "timing"),
            ("nas:disk_io", Some("nas"), "disk_io"),
            ("nas:disk-health", Some("nas"), "disk-health"),
            ("Nas:Timing", Some("Nas"), "Timing"),
            ("a:b:c", Some("a"), "b:c"),
            ("x:", Some("x"), ""),
            (":x", None, ":x"),
            ("", None, ""),
        ] {
            let document = json!({"memories": [{"key": key, "value": "v"}]}).to_string();
            let response = of(&document).unwrap();
            let memory = Finding::Memory {
                service: service.map(str::to_owned),
                category: category.to_owned(),
                observation: "v".to_owned(),
            };
            assert_eq!((&response.findings[..], &response.warnings[..]), (&[memory][..], &[][..]));
        }
    }

    #[test]
    fn action_of_an_event_is_a_cooldown() {
        let cooldown = |success| Finding::Cooldown {
            action_type: "restart".to_owned(),
            service: "db".to_owned(),
            success,
            message: "m".to_owned(),
        };
        for (level, success) in [("warning", true), ("critical", false)] {
            let event =
                json!({"level": level, "service": "db", "message": "m", "action": "restart"});
            let response = of(&json!({ "events": [event] }).to_string()).unwrap();
            assert_eq!(response.findings[1], cooldown(success));
        }
        for (members, warning) in [
            (r#""action":"restart""#, "/events/0/action is ignored: the event names no service"),
            (
                r#""service":"db","action":"stop""#,
                "/events/0/action is neither restart nor redeployment",
            ),
            (
                r#""service":"db","action":1"#,
                "/events/0/action is neither restart nor redeployment",
            ),
        ] {
            let document = format!(r#"{{"events":[{{"level":"info","message":"m",{members}}}]}}"#);
            let response = of(&document).unwrap();
            assert_eq!(
                (response.findings.len(), &response.warnings[..]),
                (1, &[warning.to_owned()][..])
            );
        }
    }
}
