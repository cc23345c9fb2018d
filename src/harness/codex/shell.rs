//! The command in the command line of a shell: Codex runs every command as
//! `/bin/bash -lc 'COMMAND'`.

use std::borrow::Cow;

const SHELLS: [&str; 4] = ["bash", "zsh", "sh", "dash"];

/// Returns the command that a shell is called with, or the whole text.
pub(super) fn unwrap(command: &str) -> Cow<'_, str> {
    let inner = || {
        let (program, rest) = command.split_once(' ')?;
        let (flag, word) = rest.trim_start().split_once(' ')?;
        let name = program.rsplit('/').next()?;
        let is_shell = SHELLS.contains(&name) && matches!(flag, "-lc" | "-c");
        single_word(word.trim()).filter(|_| is_shell)
    };
    inner().map_or(Cow::Borrowed(command), Cow::Owned)
}

/// Returns the command of a list of arguments: the last one if the others are a shell.
pub(super) fn unwrap_list(arguments: &[Cow<'_, str>]) -> String {
    match arguments {
        [program, flag, command] => {
            let name = program.rsplit('/').next().unwrap_or_default();
            if SHELLS.contains(&name) && matches!(&**flag, "-lc" | "-c") {
                return command.to_string();
            }
            arguments.join(" ")
        }
        _ => arguments.join(" "),
    }
}

/// Returns a quoted word without its quotes; `None` if the text is not one word.
fn single_word(text: &str) -> Option<String> {
    let mut word = String::with_capacity(text.len());
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '\\') => word.push(chars.next()?),
            (Some('"'), '\\') => match chars.next_if(|next| "\"\\$`".contains(*next)) {
                Some(escaped) => word.push(escaped),
                None => word.push('\\'),
            },
            (None, c) if c.is_whitespace() || "|&;<>()$`".contains(c) => return None,
            (_, c) => word.push(c),
        }
    }
    quote.is_none().then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_shown_without_its_shell() {
        for (command, expected) in [
            ("/bin/bash -lc 'echo two; exit 3'", "echo two; exit 3"),
            ("bash -lc ls", "ls"),
            (r#"/usr/bin/zsh -c "echo \"a\" '\$b' \\n""#, r#"echo "a" '$b' \n"#),
            (r#"bash -lc 'it'"'"'s'"#, "it's"),
            ("bash -lc 'a' 'b'", "bash -lc 'a' 'b'"),
            ("bash -lc 'open", "bash -lc 'open"),
            ("cargo -c x", "cargo -c x"),
            ("bash script.sh", "bash script.sh"),
            ("bash -c $CMD", "bash -c $CMD"),
        ] {
            assert_eq!(unwrap(command), expected);
        }
        let list = ["bash", "-lc", "ls -l"].map(Cow::from);
        assert_eq!(unwrap_list(&list), "ls -l");
        assert_eq!(unwrap_list(&list[1..]), "-lc ls -l");
    }
}
