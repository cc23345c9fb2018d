//! Emphasis, links and check boxes in the words of a line.

use super::emphasis::{Delimiter, closing, opening};
use super::link::{self, Link, LinkStart};
use super::text_flow::TextFlow;
use super::theme::{Theme, Tone};

/// Maximum number of words that are held back.
const MAX_HELD: usize = 60;

/// What words are held back for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hold {
    /// The closing delimiter.
    Emphasis(Delimiter),
    /// The end of a link.
    Link,
}

/// Whether a check box may come next: it is the first word of an item of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CheckBox {
    #[default]
    No,
    Possible,
    /// The first half of `[ ]` came.
    Open,
}

impl TextFlow {
    /// Prints a word, or holds it back until it is known what it belongs to.
    pub(super) fn inline_word(
        &mut self,
        word: &str,
        space: &str,
        shown: &mut String,
        theme: &Theme,
    ) {
        if !self.renders_markdown {
            return self.place(&[(word.to_owned(), Tone::Plain)], space, shown, theme);
        }
        match (std::mem::take(&mut self.check_box), word) {
            (CheckBox::Possible, "[x]" | "[X]") => return self.check("☑", space, shown, theme),
            (CheckBox::Possible, "[") => {
                self.check_box = CheckBox::Open;
                return;
            }
            (CheckBox::Open, "]") => return self.check("☐", " ", shown, theme),
            (CheckBox::Open, _) => {
                self.place(&[("[".to_owned(), Tone::Plain)], " ", shown, theme);
            }
            _ => {}
        }
        if self.hold.is_some() {
            self.held.push((space.to_owned(), word.to_owned()));
        } else if let Some(hold) = Self::starts_hold(word, theme) {
            self.hold = Some(hold);
            self.held.push((space.to_owned(), word.to_owned()));
        } else {
            return self.place(&[(word.to_owned(), Tone::Plain)], space, shown, theme);
        }
        self.resolve(shown, theme);
    }

    fn check(&mut self, sign: &str, space: &str, shown: &mut String, theme: &Theme) {
        self.place(&[(sign.to_owned(), Tone::Accent)], space, shown, theme);
    }

    /// Returns what a word is held back for. Without colour the delimiters are kept, since
    /// nothing else shows the emphasis.
    fn starts_hold(word: &str, theme: &Theme) -> Option<Hold> {
        if link::may_start(word) && link::parse(word) != LinkStart::Not {
            return Some(Hold::Link);
        }
        let (_, delimiter) = opening(word).filter(|_| theme.style.is_coloured())?;
        Some(Hold::Emphasis(delimiter))
    }

    /// Prints the held words if it is known what they are.
    fn resolve(&mut self, shown: &mut String, theme: &Theme) {
        match self.hold {
            Some(Hold::Emphasis(delimiter)) => {
                let from = match self.held.as_slice() {
                    [(_, first)] => opening(first).map_or(0, |(at, _)| at + delimiter.0.len()),
                    _ => 0,
                };
                let last = self.held.last().map_or("", |(_, word)| word);
                if closing(last, delimiter.0, from).is_some() {
                    return self.emphasise(delimiter, shown, theme);
                }
            }
            Some(Hold::Link) => {
                let words = self.held.iter().enumerate();
                let text: String = words
                    .flat_map(|(at, (space, word))| [if at == 0 { "" } else { space }, word])
                    .collect();
                match link::parse(&text) {
                    LinkStart::Complete(link) => return self.link(&link, shown, theme),
                    LinkStart::Not => return self.release(shown, theme),
                    LinkStart::Open => {}
                }
            }
            None => return,
        }
        if self.held.len() > MAX_HELD {
            self.release(shown, theme);
        }
    }

    /// Prints the held words with emphasis and without their delimiters.
    fn emphasise(&mut self, (sign, tone): Delimiter, shown: &mut String, theme: &Theme) {
        self.hold = None;
        let held = std::mem::take(&mut self.held);
        let last = held.len() - 1;
        for (at, (space, word)) in held.iter().enumerate() {
            let start = if at == 0 { word.find(sign).unwrap_or(0) } else { 0 };
            let inside = if at == 0 { start + sign.len() } else { 0 };
            let end = if at == last { closing(word, sign, inside) } else { None };
            let spans = [
                (word[..start].to_owned(), Tone::Plain),
                (word[inside..end.unwrap_or(word.len())].to_owned(), tone),
                (end.map_or(String::new(), |end| word[end + sign.len()..].to_owned()), Tone::Plain),
            ];
            self.place(&spans, space, shown, theme);
        }
    }

    /// Prints a link: its label as a link of the terminal, or with the target behind it.
    fn link(&mut self, link: &Link<'_>, shown: &mut String, theme: &Theme) {
        self.hold = None;
        let held = std::mem::take(&mut self.held);
        let first_space = held.first().map_or("", |(space, _)| space.as_str());
        let is_opened = theme.has_hyperlinks && link.is_web();
        let names_target = link.label == link.target || link.label.is_empty();
        let label = if names_target { link.target } else { link.label };
        let shows_target = !is_opened && !names_target;
        let words: Vec<&str> = label.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let is_first = at == 0;
            let is_last = at + 1 == words.len() && !shows_target;
            let text = if is_opened {
                format!("\u{1b}]8;;{}\u{1b}\\{word}\u{1b}]8;;\u{1b}\\", link.target)
            } else {
                (*word).to_owned()
            };
            let spans = [
                (if is_first { link.before } else { "" }.to_owned(), Tone::Plain),
                (text, Tone::Link),
                (if is_last { link.after } else { "" }.to_owned(), Tone::Plain),
            ];
            self.place(&spans, if is_first { first_space } else { " " }, shown, theme);
        }
        if shows_target {
            let spans =
                [(format!("({})", link.target), Tone::Dim), (link.after.to_owned(), Tone::Plain)];
            self.place(&spans, " ", shown, theme);
        }
    }

    /// Prints the held words unchanged, since what they were held back for did not come.
    pub(super) fn release(&mut self, shown: &mut String, theme: &Theme) {
        self.hold = None;
        if std::mem::take(&mut self.check_box) == CheckBox::Open {
            self.place(&[("[".to_owned(), Tone::Plain)], " ", shown, theme);
        }
        for (space, word) in std::mem::take(&mut self.held) {
            self.place(&[(word, Tone::Plain)], &space, shown, theme);
        }
    }
}
