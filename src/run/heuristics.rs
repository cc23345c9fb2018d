//! Two guesses about runs that end well and are not done. Pure.
//!
//! Both look at a run with a result that did not fail. They warn, and they
//! set the category; they never set the error.

use memchr::memchr2_iter;

use super::classify::Category;

/// What the guesses are made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs<'a> {
    /// `num_turns` of the last result.
    pub num_turns: Option<i64>,
    /// Why the final message ended.
    pub stop_reason: Option<&'a str>,
    /// The text of the final message: all lines that share its id.
    pub closing_words: &'a str,
    /// The final message calls `AskUserQuestion`.
    pub asks_user: bool,
    /// Something the agent said [sounds busy](sounds_busy).
    pub busy: bool,
    /// Background agents that were started, if some have not come back.
    pub launched: usize,
}

/// A guess that came true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// A single turn that ends with a question.
    InteractiveHang,
    /// Background agents nobody waited for.
    BackgroundTask,
}

impl Guess {
    /// The category it sets.
    #[must_use]
    pub fn category(self) -> Category {
        match self {
            Self::InteractiveHang => Category::Interactive,
            Self::BackgroundTask => Category::BackgroundTask,
        }
    }

    /// The warning; its prefix is part of the contract.
    #[must_use]
    pub fn warning(self) -> &'static str {
        match self {
            Self::InteractiveHang => {
                "interactive-hang: the run ends with a question, and nobody is there to answer it (heuristic)"
            }
            Self::BackgroundTask => {
                "background-task: the run started background agents and ended without their results (heuristic)"
            }
        }
    }
}

/// Words of work that is still going on, and where each has its first `g`: a
/// letter that all of them have, and that is rare enough to look for.
const BUSY: [(&str, usize); 5] = [
    ("waiting on", 6),
    ("still waiting", 12),
    ("continuing", 9),
    ("in progress", 6),
    ("in the background", 11),
];

/// Whether a text talks of work that is still going on.
#[must_use]
pub fn sounds_busy(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_here = |words: &str, start: usize| {
        let end = start + words.len();
        let here =
            bytes.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(words.as_bytes()));
        let mut beside = start.checked_sub(1).into_iter().chain([end]);
        here && !beside.any(|at| bytes.get(at).is_some_and(is_word))
    };
    memchr2_iter(b'g', b'G', bytes).any(|at| {
        let is_around = |&(words, g): &(&str, usize)| {
            at.checked_sub(g).is_some_and(|start| is_here(words, start))
        };
        BUSY.iter().any(is_around)
    })
}

/// The first guess that comes true; a question wins over work left behind.
#[must_use]
pub fn guess(signs: &Signs<'_>) -> Option<Guess> {
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
        && (signs.asks_user || signs.closing_words.trim_end().ends_with('?'))
}

fn background_task(signs: &Signs<'_>) -> bool {
    let Ok(launched) = i64::try_from(signs.launched) else {
        return false;
    };
    let hurried = signs.num_turns.is_some_and(|turns| turns < launched.saturating_add(2));
    launched > 0 && (hurried || signs.busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Signs<'_> = Signs {
        num_turns: Some(1),
        stop_reason: Some("end_turn"),
        closing_words: "What next?\n\n",
        asks_user: false,
        busy: false,
        launched: 0,
    };

    const LAUNCHED: Signs<'_> = Signs {
        num_turns: Some(9),
        stop_reason: Some("end_turn"),
        closing_words: "Done.",
        asks_user: false,
        busy: false,
        launched: 1,
    };

    #[test]
    fn a_single_turn_that_ends_with_a_question_hangs() {
        assert_eq!(guess(&QUESTION), Some(Guess::InteractiveHang));
        let asks = Signs { asks_user: true, closing_words: "", ..QUESTION };
        assert_eq!(guess(&asks), Some(Guess::InteractiveHang));
    }

    #[test]
    fn several_turns_another_stop_or_an_unknown_count_do_not_hang() {
        for signs in [
            Signs { num_turns: None, ..QUESTION },
            Signs { num_turns: Some(2), ..QUESTION },
            Signs { stop_reason: Some("tool_use"), ..QUESTION },
            Signs { stop_reason: None, ..QUESTION },
            Signs { closing_words: "Done.", ..QUESTION },
        ] {
            assert_eq!(guess(&signs), None, "{signs:?}");
        }
    }

    #[test]
    fn background_agents_need_turns_enough_to_be_waited_for() {
        assert_eq!(guess(&LAUNCHED), None);
        let few = Signs { num_turns: Some(2), ..LAUNCHED };
        assert_eq!(guess(&few), Some(Guess::BackgroundTask));
        let three = Signs { num_turns: Some(4), launched: 3, ..LAUNCHED };
        assert_eq!(guess(&three), Some(Guess::BackgroundTask));
        let unknown = Signs { num_turns: None, ..LAUNCHED };
        assert_eq!(guess(&unknown), None);
    }

    #[test]
    fn words_of_waiting_give_background_agents_away() {
        let busy = Signs { busy: true, ..LAUNCHED };
        assert_eq!(guess(&busy), Some(Guess::BackgroundTask));
        assert_eq!(guess(&Signs { launched: 0, ..busy }), None);
        for text in ["Waiting on it", "still waiting.", "It is in the background", "é IN PROGRESS"]
        {
            assert!(sounds_busy(text), "{text}");
        }
        for text in ["Done.", "discontinuing", "waiting once", "in progress_bar", "g", "going on"] {
            assert!(!sounds_busy(text), "{text}");
        }
    }

    #[test]
    fn every_busy_word_is_found_wherever_it_stands() {
        for (words, g) in BUSY {
            assert_eq!(words.find('g'), Some(g), "{words}");
            let loud = words.to_uppercase();
            for text in [words, &loud, &format!("gg {words}"), &format!("{words}, ing")] {
                assert!(sounds_busy(text), "{text}");
            }
            for text in
                [&words[1..], &words[..words.len() - 1], &format!("a{words}"), &format!("{words}s")]
            {
                assert!(!sounds_busy(text), "{text}");
            }
        }
    }

    #[test]
    fn a_question_wins_over_background_work() {
        let both = Signs { launched: 2, ..QUESTION };
        assert_eq!(guess(&both), Some(Guess::InteractiveHang));
    }
}
