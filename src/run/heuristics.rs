//! Heuristics for runs that end well although the work is not done.
//!
//! They apply to a run whose result did not fail. They set the category and a
//! warning, never the error.

use memchr::memchr2_iter;

use crate::event::Category;

/// What the heuristics look at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs<'a> {
    /// `num_turns` of the last result.
    pub(super) num_turns: Option<i64>,
    /// Why the last message ended.
    pub(super) stop_reason: Option<&'a str>,
    /// The text of the last message, over all lines with its id.
    pub(super) last_message: &'a str,
    /// Whether the last message calls a tool that asks the user.
    pub(super) asks_user: bool,
    /// Whether any text [sounds busy](sounds_busy).
    pub(super) sounds_busy: bool,
    /// Number of background agents, if some have not finished.
    pub(super) unfinished_agents: usize,
}

/// A heuristic that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// A single turn that ends with a question.
    InteractiveHang,
    /// Background agents that were not waited for.
    BackgroundTask,
}

impl Guess {
    /// Returns the category that it sets.
    pub(super) fn category(self) -> Category {
        match self {
            Self::InteractiveHang => Category::Interactive,
            Self::BackgroundTask => Category::BackgroundTask,
        }
    }

    /// Returns the warning; its prefix is part of the contract.
    pub(super) fn warning(self) -> &'static str {
        match self {
            Self::InteractiveHang => {
                "interactive-hang: the run ends with a question that cannot be answered (heuristic)"
            }
            Self::BackgroundTask => {
                "background-task: the run started background agents and ended without their results (heuristic)"
            }
        }
    }
}

/// Phrases for work in progress, with the position of the first `g`: a letter that
/// all of them have and that is rare enough to search for.
const BUSY: [(&str, usize); 5] = [
    ("waiting on", 6),
    ("still waiting", 12),
    ("continuing", 9),
    ("in progress", 6),
    ("in the background", 11),
];

/// Returns whether a text mentions work in progress.
pub(super) fn sounds_busy(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let matches = |phrase: &str, start: usize| {
        let end = start + phrase.len();
        let part = bytes.get(start..end);
        let mut neighbours = start.checked_sub(1).into_iter().chain([end]);
        part.is_some_and(|part| part.eq_ignore_ascii_case(phrase.as_bytes()))
            && !neighbours.any(|at| bytes.get(at).is_some_and(is_word))
    };
    memchr2_iter(b'g', b'G', bytes).any(|at| {
        let is_around = |&(phrase, g): &(&str, usize)| {
            at.checked_sub(g).is_some_and(|start| matches(phrase, start))
        };
        BUSY.iter().any(is_around)
    })
}

/// Returns the heuristic that applies; a question comes before unfinished agents.
pub(super) fn guess(signs: &Signs<'_>) -> Option<Guess> {
    if interactive_hang(signs) {
        Some(Guess::InteractiveHang)
    } else if background_task(signs) {
        Some(Guess::BackgroundTask)
    } else {
        None
    }
}

fn interactive_hang(signs: &Signs<'_>) -> bool {
    signs.num_turns == Some(1)
        && signs.stop_reason == Some("end_turn")
        && (signs.asks_user || signs.last_message.trim_end().ends_with('?'))
}

fn background_task(signs: &Signs<'_>) -> bool {
    let Ok(agents) = i64::try_from(signs.unfinished_agents) else {
        return false;
    };
    // Waiting for an agent takes a turn.
    let did_not_wait = signs.num_turns.is_some_and(|turns| turns < agents.saturating_add(2));
    agents > 0 && (did_not_wait || signs.sounds_busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Signs<'_> = Signs {
        num_turns: Some(1),
        stop_reason: Some("end_turn"),
        last_message: "What next?\n\n",
        asks_user: false,
        sounds_busy: false,
        unfinished_agents: 0,
    };

    const UNFINISHED: Signs<'_> = Signs {
        num_turns: Some(9),
        stop_reason: Some("end_turn"),
        last_message: "Done.",
        asks_user: false,
        sounds_busy: false,
        unfinished_agents: 1,
    };

    #[test]
    fn single_turn_that_ends_with_a_question_hangs() {
        assert_eq!(guess(&QUESTION), Some(Guess::InteractiveHang));
        let asks = Signs { asks_user: true, last_message: "", ..QUESTION };
        assert_eq!(guess(&asks), Some(Guess::InteractiveHang));
    }

    #[test]
    fn several_turns_another_stop_or_an_unknown_count_do_not_hang() {
        for signs in [
            Signs { num_turns: None, ..QUESTION },
            Signs { num_turns: Some(2), ..QUESTION },
            Signs { stop_reason: Some("tool_use"), ..QUESTION },
            Signs { stop_reason: None, ..QUESTION },
            Signs { last_message: "Done.", ..QUESTION },
        ] {
            assert_eq!(guess(&signs), None, "{signs:?}");
        }
    }

    #[test]
    fn each_background_agent_needs_a_turn() {
        assert_eq!(guess(&UNFINISHED), None);
        let few = Signs { num_turns: Some(2), ..UNFINISHED };
        assert_eq!(guess(&few), Some(Guess::BackgroundTask));
        let three = Signs { num_turns: Some(4), unfinished_agents: 3, ..UNFINISHED };
        assert_eq!(guess(&three), Some(Guess::BackgroundTask));
        let unknown = Signs { num_turns: None, ..UNFINISHED };
        assert_eq!(guess(&unknown), None);
    }

    #[test]
    fn busy_phrases_reveal_unfinished_agents() {
        let busy = Signs { sounds_busy: true, ..UNFINISHED };
        assert_eq!(guess(&busy), Some(Guess::BackgroundTask));
        assert_eq!(guess(&Signs { unfinished_agents: 0, ..busy }), None);
        for text in ["Waiting on it", "still waiting.", "It is in the background", "é IN PROGRESS"]
        {
            assert!(sounds_busy(text), "{text}");
        }
        for text in ["Done.", "discontinuing", "waiting once", "in progress_bar", "g", "going on"] {
            assert!(!sounds_busy(text), "{text}");
        }
    }

    #[test]
    fn every_busy_phrase_is_found_at_any_position() {
        for (phrase, g) in BUSY {
            assert_eq!(phrase.find('g'), Some(g), "{phrase}");
            let upper = phrase.to_uppercase();
            for text in [phrase, &upper, &format!("gg {phrase}"), &format!("{phrase}, ing")] {
                assert!(sounds_busy(text), "{text}");
            }
            let parts = [&phrase[1..], &phrase[..phrase.len() - 1]];
            for text in [parts[0], parts[1], &format!("a{phrase}"), &format!("{phrase}s")] {
                assert!(!sounds_busy(text), "{text}");
            }
        }
    }

    #[test]
    fn question_comes_before_unfinished_agents() {
        let both = Signs { unfinished_agents: 2, ..QUESTION };
        assert_eq!(guess(&both), Some(Guess::InteractiveHang));
    }
}
