//! Data that is no text, recognised by its first bytes.

/// The format of data that was given instead of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// What some shells write for `>`.
    Utf16,
    Gzip,
    Zstandard,
    Xz,
    Bzip2,
    Zip,
    Sqlite,
    /// What is left where a file was truncated while it was written.
    Nul,
}

/// The first bytes of each format.
const SIGNATURES: [(&[u8], Foreign); 9] = [
    (b"\xff\xfe", Foreign::Utf16),
    (b"\xfe\xff", Foreign::Utf16),
    (b"\x1f\x8b", Foreign::Gzip),
    (b"\x28\xb5\x2f\xfd", Foreign::Zstandard),
    (b"\xfd7zXZ\0", Foreign::Xz),
    (b"BZh", Foreign::Bzip2),
    (b"PK\x03\x04", Foreign::Zip),
    (b"SQLite format 3\0", Foreign::Sqlite),
    (b"\0", Foreign::Nul),
];

impl Foreign {
    /// Returns the format of a line that does not start with a JSON value.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let (_, format) = SIGNATURES.iter().find(|(bytes, _)| line.starts_with(bytes))?;
        Some(*format)
    }

    /// Returns what it is.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "UTF-16 text",
            Self::Gzip => "gzip data",
            Self::Zstandard => "Zstandard data",
            Self::Xz => "xz data",
            Self::Bzip2 => "bzip2 data",
            Self::Zip => "a ZIP archive",
            Self::Sqlite => "an SQLite database",
            Self::Nul => "NUL bytes",
        }
    }

    /// Returns the command that converts it to text.
    pub(crate) fn converter(self) -> Option<&'static str> {
        Some(match self {
            Self::Utf16 => "iconv -f UTF-16 -t UTF-8",
            Self::Gzip => "gzip -dc",
            Self::Zstandard => "zstd -dc",
            Self::Xz => "xz -dc",
            Self::Bzip2 => "bzip2 -dc",
            Self::Zip => "unzip -p",
            Self::Sqlite | Self::Nul => return None,
        })
    }
}
