//! The schema of documents with findings.

use serde_json::{Value, json};

use crate::json::Json;

/// The schema.
pub(crate) const SCHEMA: &str = include_str!("../../schemas/agent-response.json");

/// Returns the schema in strict form: every member required, no others allowed, and
/// null for what may be missing. The order of the members stays, since a model writes them
/// in this order.
pub(crate) fn strict_schema() -> String {
    let mut strict = String::new();
    write_strict(Json::new(SCHEMA.trim().as_bytes()), true, 0, &mut strict);
    strict + "\n"
}

/// Writes a schema in strict form, and null as a further type if it is not required.
fn write_strict(schema: Json<'_>, is_required: bool, depth: usize, to: &mut String) {
    let names = |object: Json<'_>| -> Vec<String> {
        object.members().map(|(name, _)| name.as_str().unwrap_or_default().into_owned()).collect()
    };
    let required: Vec<_> = schema.get("required").into_iter().flat_map(Json::elements).collect();
    let is_listed = |name: &str| required.iter().any(|own| own.as_str().as_deref() == Some(name));
    let mut members: Vec<(String, String)> = Vec::new();
    for (name, value) in schema.members() {
        let name = name.as_str().unwrap_or_default().into_owned();
        let mut text = String::new();
        match &*name {
            "properties" => {
                let mut properties = Vec::new();
                for (name, property) in value.members() {
                    let name = name.as_str().unwrap_or_default().into_owned();
                    let mut text = String::new();
                    write_strict(property, is_listed(&name), depth + 2, &mut text);
                    properties.push((name, text));
                }
                write_object(&properties, depth + 1, &mut text);
            }
            "items" => write_strict(value, true, depth + 1, &mut text),
            "type" if !is_required => {
                text = json!([value.as_str().unwrap_or_default(), "null"]).to_string();
            }
            "required" => continue,
            _ => {
                let value: Value = serde_json::from_slice(value.bytes()).unwrap_or_default();
                text = value.to_string();
            }
        }
        members.push((name, text));
    }
    if let Some(properties) = schema.get("properties") {
        members.push(("required".to_owned(), json!(names(properties)).to_string()));
        members.push(("additionalProperties".to_owned(), "false".to_owned()));
    }
    write_object(&members, depth, to);
}

/// Writes an object with a member per line.
fn write_object(members: &[(String, String)], depth: usize, to: &mut String) {
    to.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let name = json!(name);
        to.extend([comma, "\n", &"  ".repeat(depth + 1), &name.to_string(), ": ", value]);
    }
    to.extend(["\n", &"  ".repeat(depth), "}"]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::response::read;

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
            let mut required: Vec<String> =
                serde_json::from_value(object["required"].clone()).unwrap();
            required.sort();
            assert_eq!(required.iter().collect::<Vec<_>>(), names);
        }
        let document = r#"{"summary":"s","events":[{"level":"info","service":null,"message":"m"}],
            "memories":null,"escalation":{"needed":false,"reason":null,"context":null,"failed_checks":null},
            "services_checked":[{"name":"a","status":"healthy","detail":null}]}"#;
        let schema = crate::schema::Schema::new(&strict_schema()).unwrap();
        assert!(schema.validate(document.as_bytes()).is_empty());
        assert_eq!(read(Json::new(document.as_bytes())).unwrap().findings.len(), 4);
        let lenient =
            r#"{"summary":"s","events":[],"escalation":{"needed":false},"services_checked":[]}"#;
        assert_eq!(schema.validate(lenient.as_bytes()).first.len(), 4);
    }
}
