//! The languages.

/// How code of a language is split.
#[derive(Debug)]
pub(super) struct Language {
    /// Names behind the fence of a block of code, in lower case.
    pub(super) names: &'static [&'static str],
    /// Keywords and constants, separated by spaces.
    keywords: &'static str,
    ignores_case: bool,
    pub(super) comments: Comments,
    pub(super) strings: &'static [StringForm],
    pub(super) chars: CharForm,
    /// Whether the first character of a line tells what the line is.
    pub(super) is_diff: bool,
}

impl Language {
    pub(super) fn is_keyword(&self, word: &str) -> bool {
        let ignores_case = self.ignores_case;
        let is_same =
            |keyword: &str| keyword == word || ignores_case && keyword.eq_ignore_ascii_case(word);
        self.keywords.split(' ').any(is_same)
    }
}

/// How comments start and end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comments {
    /// Starts of comments that end with the line.
    pub(super) line: &'static [&'static str],
    /// Start and end of other comments.
    pub(super) block: Option<(&'static str, &'static str)>,
}

/// A form of strings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StringForm {
    pub(super) delimiter: &'static str,
    pub(super) has_escapes: bool,
    pub(super) is_multiline: bool,
}

/// What a single quote starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharForm {
    /// A character; otherwise it is no delimiter.
    Literal,
    /// A string, if there is such a form.
    String,
}

const fn string(delimiter: &'static str) -> StringForm {
    StringForm { delimiter, has_escapes: true, is_multiline: false }
}

const fn text(delimiter: &'static str) -> StringForm {
    StringForm { delimiter, has_escapes: true, is_multiline: true }
}

const fn raw(delimiter: &'static str) -> StringForm {
    StringForm { delimiter, has_escapes: false, is_multiline: true }
}

const C_COMMENTS: Comments = Comments { line: &["//"], block: Some(("/*", "*/")) };
const HASH_COMMENTS: Comments = Comments { line: &["#"], block: None };
const DOUBLE: &[StringForm] = &[text("\"")];
const QUOTES: &[StringForm] = &[string("\""), string("'")];

const BASE: Language = Language {
    names: &[],
    keywords: "",
    ignores_case: false,
    comments: C_COMMENTS,
    strings: QUOTES,
    chars: CharForm::String,
    is_diff: false,
};

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
        strings: DOUBLE,
        chars: CharForm::Literal,
        ..BASE
    },
    Language {
        names: &["c", "h", "cpp", "c++", "cc", "hpp", "cxx"],
        keywords: "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false final float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while NULL",
        strings: &[string("\"")],
        chars: CharForm::Literal,
        ..BASE
    },
    Language {
        names: &["java", "kotlin", "kt", "scala", "csharp", "cs", "c#", "swift", "dart"],
        keywords: "abstract as async await base boolean break by byte case catch char class companion const constructor continue data def default defer do double else enum extends extension false final finally float for foreach fun func guard if implements import in init instanceof int interface internal is let long match namespace new nil null object open operator out override package private protected protocol public readonly record return sealed self short static string struct super switch this throw throws trait true try typealias using val var virtual void volatile when where while with yield",
        strings: &[text("\"\"\""), string("\"")],
        chars: CharForm::Literal,
        ..BASE
    },
    Language {
        names: &["go", "golang"],
        keywords: "break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var bool byte error float64 int int64 rune string uint uint64",
        strings: &[string("\""), raw("`")],
        chars: CharForm::Literal,
        ..BASE
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx"],
        keywords: "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace never new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while with yield",
        strings: &[string("\""), string("'"), text("`")],
        ..BASE
    },
    Language {
        names: &["python", "py", "python3"],
        keywords: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
        comments: HASH_COMMENTS,
        strings: &[text("\"\"\""), text("'''"), string("\""), string("'")],
        ..BASE
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "console", "shell-session", "fish"],
        keywords: "alias break case continue do done elif else esac eval exec exit export fi for function if in local readonly return set shift source then trap unset until while",
        comments: HASH_COMMENTS,
        strings: &[text("\""), raw("'")],
        ..BASE
    },
    Language {
        names: &["ruby", "rb", "elixir", "ex", "exs", "crystal"],
        keywords: "alias and begin break case class def defmodule defp do else elsif end ensure extend false fn for if import in include module next nil not or private protected public raise require require_relative rescue return self super then true unless until use when while with yield",
        comments: HASH_COMMENTS,
        ..BASE
    },
    Language {
        names: &["php"],
        keywords: "abstract and array as break case catch class const continue declare default do echo else elseif enum extends false final finally fn for foreach function global if implements include instanceof interface match namespace new null or private protected public readonly require return self static switch this throw trait true try use var while yield",
        comments: Comments { line: &["//", "#"], block: Some(("/*", "*/")) },
        ..BASE
    },
    Language {
        names: &["sql", "postgresql", "mysql", "sqlite"],
        keywords: "add all alter and as asc begin between by case cast check column commit constraint create cross database default delete desc distinct drop else end exists explain false foreign from full group having if in index inner insert integer into is join key left like limit not null offset on or order outer primary references returning right rollback select set table text then transaction true union unique update using values varchar view when where with",
        ignores_case: true,
        comments: Comments { line: &["--"], block: Some(("/*", "*/")) },
        ..BASE
    },
    Language {
        names: &["lua"],
        keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
        comments: Comments { line: &["--"], block: Some(("--[[", "]]")) },
        ..BASE
    },
    Language {
        names: &["json", "jsonl", "json5", "jsonc", "ndjson"],
        keywords: "false null true",
        strings: &[string("\"")],
        ..BASE
    },
    Language {
        names: &["yaml", "yml", "toml", "ini", "conf", "properties", "env"],
        keywords: "false no null off on true yes",
        comments: Comments { line: &["#", ";"], block: None },
        ..BASE
    },
    Language {
        names: &[
            "dockerfile",
            "docker",
            "makefile",
            "make",
            "cmake",
            "nginx",
            "hcl",
            "terraform",
            "tf",
        ],
        keywords: "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL USER VOLUME WORKDIR data else endif false ifdef ifeq include locals module output provider resource true variable",
        comments: HASH_COMMENTS,
        ..BASE
    },
    Language {
        names: &["css", "scss", "less"],
        keywords: "important import media inherit initial none auto var",
        comments: Comments { line: &[], block: Some(("/*", "*/")) },
        ..BASE
    },
    Language {
        names: &["html", "xml", "svg", "vue", "svelte"],
        comments: Comments { line: &[], block: Some(("<!--", "-->")) },
        strings: &[text("\"")],
        ..BASE
    },
    Language { names: &["diff", "patch"], is_diff: true, ..BASE },
];
