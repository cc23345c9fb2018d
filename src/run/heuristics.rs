//! Heuristics for runs that end without a failure although the work is not done.
//!
//! They apply to a run whose result did not fail. They set the category and a
//! warning, never the error.

use std::ops::Range;

use memchr::memchr2_iter;

use crate::event::Category;
use crate::harness::{ClosingQuestion, HeuristicRules};
use crate::json::{Scratch, Text};

/// What the heuristics look at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs<'a> {
    /// `num_turns` of the last result: requests to the model.
    pub(super) num_turns: Option<i64>,
    /// Number of prompts that were answered.
    pub(super) prompts: u64,
    /// Why the last message ended.
    pub(super) stop_reason: Option<&'a str>,
    /// The text of the last message, over all lines with its id.
    pub(super) last_message: &'a str,
    /// Whether the last message calls a tool that asks the user.
    pub(super) asks_user: bool,
    /// Whether a tool that asks the user could not be used.
    pub(super) was_question_refused: bool,
    /// Whether any text [mentions pending work](mentions_pending_work).
    pub(super) mentions_pending_work: bool,
    /// Number of background agents that were requested, if some have not finished.
    pub(super) unfinished_agents: usize,
    /// Number of background agents that were started and have not finished.
    pub(super) lost_agents: usize,
}

/// A heuristic that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// The run ends with a question.
    InteractiveHang,
    /// Background agents that were not waited for.
    BackgroundTask {
        /// How many were started and have not finished, as far as the CLI reports it.
        lost_agents: usize,
    },
}

impl Guess {
    /// Returns the category that it sets.
    pub(super) fn category(self) -> Category {
        match self {
            Self::InteractiveHang => Category::Interactive,
            Self::BackgroundTask { .. } => Category::BackgroundTask,
        }
    }

    /// Returns the warning; its prefix is part of the contract.
    pub(super) fn warning(self) -> String {
        match self {
            Self::InteractiveHang => {
                "interactive-hang: the run ends with a question that cannot be answered (heuristic)"
                    .to_owned()
            }
            Self::BackgroundTask { lost_agents: 0 } => {
                "background-task: the run started background agents and ended without their results (heuristic)"
                    .to_owned()
            }
            Self::BackgroundTask { lost_agents: 1 } => {
                "background-task: a background agent was stopped or still running when the run ended"
                    .to_owned()
            }
            Self::BackgroundTask { lost_agents } => format!(
                "background-task: {lost_agents} background agents were stopped or still running when the run ended"
            ),
        }
    }
}

/// More bytes than a phrase and its neighbours have.
const MAX_PHRASE: usize = 64;

/// Returns whether a text contains one of the phrases for pending work. A long text is
/// searched in parts.
pub(super) fn mentions_pending_work(
    text: &Text<'_>,
    rules: &HeuristicRules,
    scratch: &mut Scratch,
) -> bool {
    if !text.is_long() {
        let text = text.read(scratch);
        return has_phrase(text, 0..text.len(), rules);
    }
    // A part, behind the end of the one before.
    let mut window = String::new();
    let (mut start, mut is_found) = (0, false);
    text.read_in_parts(scratch, |part| {
        let overlap = window.ceil_char_boundary(window.len().saturating_sub(MAX_PHRASE));
        window.drain(..overlap);
        window.push_str(part);
        is_found = is_found || has_phrase(&window, start..window.len() - 1, rules);
        start = 1;
    });
    is_found || has_phrase(&window, start..window.len(), rules)
}

/// Returns whether one of the phrases is in a part of the text. Searches for `g`, a rare
/// letter that each of them contains.
fn has_phrase(text: &str, range: Range<usize>, rules: &HeuristicRules) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let matches = |phrase: &str, start: usize| {
        let end = start + phrase.len();
        let part = bytes.get(start..end).filter(|_| range.start <= start && end <= range.end);
        let mut neighbours = start.checked_sub(1).into_iter().chain([end]);
        part.is_some_and(|part| part.eq_ignore_ascii_case(phrase.as_bytes()))
            && !neighbours.any(|at| bytes.get(at).is_some_and(is_word))
    };
    memchr2_iter(b'g', b'G', bytes).any(|at| {
        rules.pending_phrases.iter().any(|phrase| {
            let start = phrase.find('g').and_then(|g| at.checked_sub(g));
            start.is_some_and(|start| matches(phrase, start))
        })
    })
}

/// Returns the heuristic that applies; a question comes before unfinished agents.
pub(super) fn guess(signs: &Signs<'_>, rules: &HeuristicRules) -> Option<Guess> {
    if interactive_hang(signs, rules) {
        Some(Guess::InteractiveHang)
    } else if signs.lost_agents > 0 || background_task(signs) {
        Some(Guess::BackgroundTask { lost_agents: signs.lost_agents })
    } else {
        None
    }
}

fn interactive_hang(signs: &Signs<'_>, rules: &HeuristicRules) -> bool {
    let is_question = is_question(signs.last_message);
    if is_question && signs.was_question_refused {
        return true;
    }
    match rules.closing_question {
        ClosingQuestion::OfSingleRequest { end_of_turn } => {
            signs.num_turns == Some(1)
                && signs.stop_reason == Some(end_of_turn)
                && (signs.asks_user || is_question)
        }
        ClosingQuestion::OfSinglePrompt => signs.prompts == 1 && is_question,
    }
}

/// Returns whether a text ends with a question, perhaps quoted or emphasised.
fn is_question(text: &str) -> bool {
    let is_closing = |c: char| c.is_whitespace() || "*_`\"'”’)".contains(c);
    text.trim_end_matches(is_closing).ends_with(['?', '？'])
}

/// The contract's heuristic, for releases that do not report the end of background
/// agents.
fn background_task(signs: &Signs<'_>) -> bool {
    let Ok(agents) = i64::try_from(signs.unfinished_agents) else {
        return false;
    };
    // Waiting for an agent takes a turn.
    let did_not_wait = signs.num_turns.is_some_and(|turns| turns < agents.saturating_add(2));
    agents > 0 && (did_not_wait || signs.mentions_pending_work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;
    use crate::json::Json;

    fn rules() -> &'static HeuristicRules {
        Harness::Claude.rules().heuristics.as_ref().unwrap()
    }

    fn guess_of(signs: &Signs<'_>) -> Option<Guess> {
        guess(signs, rules())
    }

    #[test]
    fn question_may_be_quoted_or_emphasised() {
        for text in ["Which one?", "Which one?\n", "**Which one?**", "He asks \"why?\"", "どれ？"]
        {
            assert!(is_question(text), "{text}");
        }
        for text in ["", "?!", "Which one? The first.", "a? b"] {
            assert!(!is_question(text), "{text}");
        }
    }

    fn is_pending(text: &str) -> bool {
        mentions_pending_work(&text.into(), rules(), &mut Scratch::default())
    }

    const QUESTION: Signs<'_> = Signs {
        num_turns: Some(1),
        prompts: 1,
        stop_reason: Some("end_turn"),
        last_message: "What next?\n\n",
        asks_user: false,
        was_question_refused: false,
        mentions_pending_work: false,
        unfinished_agents: 0,
        lost_agents: 0,
    };

    const UNFINISHED: Signs<'_> =
        Signs { num_turns: Some(9), last_message: "Done.", unfinished_agents: 1, ..QUESTION };

    const UNPROVEN: Guess = Guess::BackgroundTask { lost_agents: 0 };

    #[test]
    fn single_turn_that_ends_with_a_question_hangs() {
        assert_eq!(guess_of(&QUESTION), Some(Guess::InteractiveHang));
        let asks = Signs { asks_user: true, last_message: "", ..QUESTION };
        assert_eq!(guess_of(&asks), Some(Guess::InteractiveHang));
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
            assert_eq!(guess_of(&signs), None, "{signs:?}");
        }
    }

    #[test]
    fn closing_question_after_a_refused_question_hangs_in_any_turn() {
        let refused = Signs { num_turns: Some(3), was_question_refused: true, ..QUESTION };
        assert_eq!(guess_of(&refused), Some(Guess::InteractiveHang));
        assert_eq!(guess_of(&Signs { last_message: "Blue, then.", ..refused }), None);
    }

    #[test]
    fn closing_question_of_a_single_prompt_hangs_without_counts_of_requests() {
        let rules = Harness::Codex.rules().heuristics.as_ref().unwrap();
        let codex = Signs { num_turns: None, stop_reason: None, ..QUESTION };
        assert_eq!(guess(&codex, rules), Some(Guess::InteractiveHang));
        assert_eq!(guess(&Signs { prompts: 2, ..codex }, rules), None);
        assert_eq!(guess(&Signs { last_message: "Done.", ..codex }, rules), None);
    }

    #[test]
    fn lost_agent_needs_no_further_sign() {
        let lost = Signs { lost_agents: 1, ..UNFINISHED };
        assert_eq!(guess_of(&lost), Some(Guess::BackgroundTask { lost_agents: 1 }));
    }

    #[test]
    fn each_background_agent_needs_a_turn() {
        assert_eq!(guess_of(&UNFINISHED), None);
        let few = Signs { num_turns: Some(2), ..UNFINISHED };
        assert_eq!(guess_of(&few), Some(UNPROVEN));
        let three = Signs { num_turns: Some(4), unfinished_agents: 3, ..UNFINISHED };
        assert_eq!(guess_of(&three), Some(UNPROVEN));
        let unknown = Signs { num_turns: None, ..UNFINISHED };
        assert_eq!(guess_of(&unknown), None);
    }

    #[test]
    fn busy_phrases_reveal_unfinished_agents() {
        let busy = Signs { mentions_pending_work: true, ..UNFINISHED };
        assert_eq!(guess_of(&busy), Some(UNPROVEN));
        assert_eq!(guess_of(&Signs { unfinished_agents: 0, ..busy }), None);
        for text in ["Waiting on it", "still waiting.", "It is in the background", "é IN PROGRESS"]
        {
            assert!(is_pending(text), "{text}");
        }
        for text in ["Done.", "discontinuing", "waiting once", "in progress_bar", "g", "going on"] {
            assert!(!is_pending(text), "{text}");
        }
    }

    #[test]
    fn every_busy_phrase_is_found_at_any_position() {
        for phrase in rules().pending_phrases {
            assert!(phrase.contains('g'), "{phrase}");
            let upper = phrase.to_uppercase();
            for text in [*phrase, &upper, &format!("gg {phrase}"), &format!("{phrase}, ing")] {
                assert!(is_pending(text), "{text}");
            }
            assert!(phrase.len() + 2 < MAX_PHRASE);
            let parts = [&phrase[1..], &phrase[..phrase.len() - 1]];
            for text in [parts[0], parts[1], &format!("a{phrase}"), &format!("{phrase}s")] {
                assert!(!is_pending(text), "{text}");
            }
        }
    }

    #[test]
    fn busy_phrase_is_found_at_every_position_of_a_long_text() {
        let phrase = rules().pending_phrases[0];
        let json = |text: &str| serde_json::to_vec(text).unwrap();
        // Parts of a text have 64 KiB.
        for at in (1 << 16) - 40..(1 << 16) + 5 {
            for (before, after, expected) in
                [(" ", "\n", true), ("s", " ", false), (" ", "s", false)]
            {
                let text = "\u{e9}".repeat(at / 2) + before + phrase + after + &"y ".repeat(40_000);
                let (json, mut scratch) = (json(&text), Scratch::default());
                let text = Text::escaped(Json::new(&json));
                assert_eq!(mentions_pending_work(&text, rules(), &mut scratch), expected, "{at}");
            }
        }
    }

    #[test]
    fn question_comes_before_unfinished_agents() {
        let both = Signs { unfinished_agents: 2, ..QUESTION };
        assert_eq!(guess_of(&both), Some(Guess::InteractiveHang));
    }
}
