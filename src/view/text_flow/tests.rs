use super::*;
use crate::output::{ColorChoice, Style};

fn theme(is_terminal: bool, width: Option<usize>) -> Theme {
    let style = Style::decide(ColorChoice::Always, true, |_| None);
    Theme { is_terminal, ascii_only: false, width, has_hyperlinks: false, style }
}

/// Returns a text without colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

fn shown(text: &str, width: usize, markdown: bool) -> String {
    without_colours(&shown_with(text, &theme(true, Some(width)), markdown))
}

fn shown_with(text: &str, theme: &Theme, markdown: bool) -> String {
    let whole = {
        let mut flow = TextFlow::new(markdown, 0);
        flow.push(text, theme) + &flow.finish(theme)
    };
    // The result does not depend on how the text is split.
    let mut flow = TextFlow::new(markdown, 0);
    let mut parts: String = text.chars().map(|c| flow.push(&c.to_string(), theme)).collect();
    parts += &flow.finish(theme);
    assert_eq!(parts, whole);
    whole
}

#[test]
fn text_wraps_between_words() {
    assert_eq!(shown("one two three four", 9, false), "one two\nthree\nfour\n");
    assert_eq!(shown("averyveryverylongword x", 5, false), "averyveryverylongword\nx\n");
    assert_eq!(shown("日本語 日本語", 8, false), "日本語\n日本語\n");
}

#[test]
fn lists_hang_and_code_is_unchanged() {
    assert_eq!(shown("- one two three", 9, true), "• one two\n  three\n");
    assert_eq!(shown("1. one two three", 9, false), "1. one\n   two\n   three\n");
    let code = "```rust\nfn  main() { let x = 1; }\n```\nafter it all";
    assert_eq!(shown(code, 8, true), "```rust\nfn  main() { let x = 1; }\n```\nafter it\nall\n");
}

#[test]
fn wrapped_quote_keeps_its_sign() {
    assert_eq!(shown("> one two three", 9, true), "> one two\n> three\n");
    assert_eq!(shown("> one two three\nfour five", 9, false), "> one two\n> three\nfour five\n");
    assert_eq!(shown(">> one two", 7, true), ">> one\n>> two\n");
}

#[test]
fn delimiters_are_removed() {
    let text = "## A heading\nand **bold** `code x` 2*3 *soft words*, __b__";
    assert_eq!(shown(text, 80, true), "A heading\nand bold code x 2*3 soft words, b\n");
    assert_eq!(shown("## A heading **x**", 80, false), "## A heading **x**\n");
}

#[test]
fn other_signs_are_kept() {
    for text in [
        "def f(*args, **kwargs): match src/**/*.rs, 2**8",
        "a ** b and a * b * c",
        "snake_case_name and _private",
        "one ` stray tick",
        "5 * 4 = 20 *not closed",
    ] {
        assert_eq!(shown(text, 80, true), format!("{text}\n"));
    }
}

#[test]
fn links_have_their_target() {
    let text = "See [the docs](https://a.b/c), ![x](p.png) and [a](a).";
    let expected = "See the docs (https://a.b/c), x (p.png) and a.\n";
    assert_eq!(shown(text, 80, true), expected);
    for text in ["[not a link", "array[0] and [1]", "[x](y z)", "[a] (b)"] {
        assert_eq!(shown(text, 80, true), format!("{text}\n"));
    }
    let theme = Theme { has_hyperlinks: true, ..theme(true, Some(80)) };
    let opened = shown_with("[a b](https://x.y) [c](src/c.rs)", &theme, true);
    let link = |word| format!("\u{1b}]8;;https://x.y\u{1b}\\{word}\u{1b}]8;;\u{1b}\\");
    let expected = format!("{} {} c (src/c.rs)\n", link("a"), link("b"));
    assert_eq!(without_colours(&opened), expected);
}

#[test]
fn check_boxes_rules_and_nested_lists_are_shown() {
    let text = "- [ ] one\n  - [x] two\n- [ no\n- [\n---\n- - -\n*** x";
    let expected = "• ☐ one\n  • ☑ two\n• [ no\n• [\n────────────────────\n• - -\n*** x\n";
    assert_eq!(shown(text, 20, true), expected);
}

#[test]
fn table_is_shown_when_it_ends() {
    let theme = theme(true, Some(40));
    let mut flow = TextFlow::new(true, 0);
    assert_eq!(flow.push("| a | b |\n|---|---|\n| **1** | 2 |\n", &theme), "");
    let rest = without_colours(&flow.push("\nafter", &theme));
    assert_eq!(rest, "a │ b\n──┼──\n1 │ 2\n\n");
    assert_eq!(shown("| a | b |\n|---|---|\n| 1 | 2", 40, true), "a │ b\n──┼──\n1 │ 2\n");
    assert_eq!(shown("| a |\n|---|\nx", 40, true), "a\n─\nx\n");
}

#[test]
fn code_has_colours_and_unchanged_text() {
    let text = "```rust\n  let x = \"a b\"; // c\n\tlong\n```\nlet it be";
    assert_eq!(
        shown(text, 10, true).replace("let it be", ""),
        text.replace("let it be", "") + "\n"
    );
    let coloured = shown_with(text, &theme(true, Some(80)), true);
    assert!(
        coloured.contains("\u{1b}[35mlet\u{1b}[39m x = \u{1b}[32m\"a b\"\u{1b}[39m"),
        "{coloured:?}"
    );
    assert!(coloured.ends_with("\nlet it be\n"), "{coloured:?}");
}

#[test]
fn emphasis_is_visible_without_colour() {
    let theme = Theme { style: Style::default(), ..theme(true, Some(80)) };
    let text = "## Title\n**bold** and `code`\n";
    assert_eq!(shown_with(text, &theme, true), text);
    assert_eq!(shown_with("[a](b)", &theme, true), "a (b)\n");
}

#[test]
fn indented_code_and_single_rows_are_unchanged() {
    let text = "    let x = some + very + long + code;\n| a | b | c | d |\n";
    assert_eq!(shown(text, 12, true), text);
    assert_eq!(
        shown("- item\n    more of the item", 12, true),
        "• item\n    more of\n    the item\n"
    );
}

#[test]
fn text_without_spaces_is_not_held_back() {
    let theme = self::theme(true, Some(60));
    let mut flow = TextFlow::new(true, 0);
    flow.push("これ", &theme);
    assert_eq!(flow.push("は日本", &theme), "は日本");
    let log = self::theme(false, None);
    let mut flow = TextFlow::new(false, 0);
    flow.push("Hello wo", &log);
    assert_eq!(flow.push("rld", &log), "rld");
}
