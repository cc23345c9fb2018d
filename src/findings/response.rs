//! Findings in a structured output: a document that follows
//! `schemas/agent-response.json`.
//!
//! Members may be missing or null. A member of the wrong type makes the document
//! invalid.

use serde_json::{Value, json};

use super::{Finding, Level, is_name_character};
use crate::json::Json;

/// The schema of such documents.
pub(crate) const SCHEMA: &str = include_str!("../../schemas/agent-response.json");

/// Returns the schema in strict form: every member required, no others allowed, and
/// null for what may be missing.
pub(crate) fn strict_schema() -> String {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    tighten(&mut schema);
    schema.to_string()
}

fn tighten(schema: &mut Value) {
    if let Some(items) = schema.get_mut("items") {
        tighten(items);
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let required = required.as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, property) in &mut *properties {
        tighten(property);
        if !required.iter().any(|required| required == name) {
            property["type"] = json!([property["type"], "null"]);
        }
    }
    let names: Vec<_> = properties.keys().cloned().collect();
    schema["required"] = json!(names);
    schema["additionalProperties"] = json!(false);
}

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

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 20;

impl std::fmt::Display for WrongType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
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
        let word = event.member("level")?.unwrap_or_default();
        let level = Level::of(&word);
        if level.name() != word {
            let path = &event.path;
            let name = level.name();
            self.warn(format!("{path}/level is not info, warning or critical; read as {name}"));
        }
        self.findings.push(Finding::Event {
            level,
            service: event.member("service")?.filter(|service| !service.is_empty()),
            message: event.member("message")?.unwrap_or_default(),
        });
        Ok(())
    }

    fn memory(&mut self, memory: &Node<'_>) -> Result<(), WrongType> {
        memory.is(b'{', "an object")?;
        let key = memory.member("key")?.unwrap_or_default();
        let (service, category) = match key.split_once(':') {
            Some((service, category)) if !service.is_empty() => (Some(service), category),
            _ => (None, &*key),
        };
        let is_category =
            !category.is_empty() && category.chars().all(|letter| letter.is_ascii_lowercase());
        if !is_category || !service.is_none_or(|service| service.chars().all(is_name_character)) {
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
    fn levels_and_keys_out_of_order_are_kept_with_a_warning() {
        let response = of(r#"{"events":[{"level":"FATAL","message":"m"}],
            "memories":[{"key":"","value":"v"},{"key":":timing","value":"v"},{"key":"a:b:c","value":"v"},{"key":"fine","value":"v"}]}"#)
        .unwrap();
        assert_eq!(response.findings.len(), 5);
        assert_eq!(
            response.warnings,
            [
                "/events/0/level is not info, warning or critical; read as critical",
                "/memories/0/key is neither category nor service:category",
                "/memories/1/key is neither category nor service:category",
                "/memories/2/key is neither category nor service:category",
            ]
        );
    }

    /// Every object of a schema that has properties.
    fn objects(schema: &Value) -> Vec<&Value> {
        let own = schema.get("properties").and_then(Value::as_object);
        let inner = own.into_iter().flat_map(|own| own.values()).chain(schema.get("items"));
        own.map(|_| schema).into_iter().chain(inner.flat_map(objects)).collect()
    }

    #[test]
    fn the_strict_schema_requires_everything_and_null_stands_for_absent() {
        let strict: Value = serde_json::from_str(&strict_schema()).unwrap();
        let all = objects(&strict);
        assert_eq!(all.len(), 5);
        for object in all {
            assert_eq!(object["additionalProperties"], false);
            let names: Vec<_> = object["properties"].as_object().unwrap().keys().collect();
            assert_eq!(object["required"], json!(names));
        }
        let document = r#"{"summary":"s","events":[{"level":"info","service":null,"message":"m"}],
            "memories":null,"escalation":{"needed":false,"reason":null,"context":null,"failed_checks":null},
            "services_checked":[{"name":"a","status":"healthy","detail":null}]}"#;
        let schema = crate::schema::Schema::new(&strict_schema()).unwrap();
        assert!(schema.validate(document.as_bytes()).is_empty());
        assert_eq!(of(document).unwrap().findings.len(), 4);
        let lenient =
            r#"{"summary":"s","events":[],"escalation":{"needed":false},"services_checked":[]}"#;
        assert_eq!(schema.validate(lenient.as_bytes()).first.len(), 4);
    }
}
