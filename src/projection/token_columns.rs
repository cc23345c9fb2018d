//! Columns of tokens for people. In every arrangement they add up to the total, so that
//! a narrow terminal shows less detail and no wrong sum.

use crate::event::Tokens;
use crate::output::thousands;

/// Which columns show the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenColumns {
    /// Each kind of tokens, and the total.
    Separate,
    /// As `Separate`, with one column for the cache.
    Cached,
    /// The input, cached or not, the output, and the total.
    AllInput,
    /// The total.
    Total,
}

impl TokenColumns {
    /// All arrangements, widest first.
    pub(super) const ALL: [Self; 4] = [Self::Separate, Self::Cached, Self::AllInput, Self::Total];

    /// Returns the headings.
    pub(super) fn headings(self) -> &'static [&'static str] {
        match self {
            Self::Separate => &["input", "output", "cache read", "cache write", "total"],
            Self::Cached => &["input", "output", "cached", "total"],
            Self::AllInput => &["all input", "output", "total"],
            Self::Total => &["total"],
        }
    }

    /// Returns the cells of a row.
    pub(super) fn cells(self, tokens: &Tokens) -> Vec<String> {
        let or_dash = |count: Option<u64>| count.map_or("-".to_owned(), thousands);
        let output = thousands(tokens.output);
        let total = thousands(tokens.total());
        let uncached = tokens.uncached_input();
        match self {
            Self::Separate => {
                let (read, write) = (or_dash(tokens.cache_read), or_dash(tokens.cache_write));
                vec![thousands(uncached), output, read, write, total]
            }
            Self::Cached => {
                vec![thousands(uncached), output, or_dash(tokens.cached_input()), total]
            }
            Self::AllInput => {
                let input = uncached.saturating_add(tokens.cached_input().unwrap_or(0));
                vec![thousands(input), output, total]
            }
            Self::Total => vec![total],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_add_up_to_the_total() {
        let claude = Tokens {
            input: 1200,
            output: 34,
            cache_read: Some(5600),
            cache_write: Some(7),
            ..Tokens::default()
        };
        let codex = Tokens { input: 6807, input_has_cache: true, ..claude };
        let unknown = Tokens { cache_read: None, cache_write: None, ..claude };
        for (tokens, total) in [(claude, 6841), (codex, 6841), (unknown, 1234)] {
            for columns in TokenColumns::ALL {
                let cells = columns.cells(&tokens);
                assert_eq!(cells.len(), columns.headings().len());
                let number = |cell: &String| cell.replace(',', "").parse::<u64>().unwrap_or(0);
                let (sum, parts) = cells.split_last().unwrap();
                assert_eq!(number(sum), total, "{columns:?}");
                if !parts.is_empty() {
                    assert_eq!(parts.iter().map(number).sum::<u64>(), total, "{columns:?}");
                }
            }
        }
    }
}
