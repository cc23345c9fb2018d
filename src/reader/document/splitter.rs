//! Rewrites the tokens of a document as lines.

/// Stands for a line break inside a string, which JSON does not allow: the element is
/// reported as malformed.
const INVALID: u8 = 0x01;

/// The member of an outermost object whose elements become lines, as it is written.
const MESSAGES: &[u8] = b"\"messages\"";

/// Rewrites a document.
#[derive(Default)]
pub(super) struct Splitter {
    /// Number of open brackets.
    depth: usize,
    /// The list whose elements become lines.
    list: List,
    /// Whether the outermost array has no elements so far.
    is_empty: bool,
    /// The name of the current member of an outermost object, with its quotes, as far as
    /// it is needed.
    name: Vec<u8>,
    in_string: bool,
    is_escaped: bool,
    /// Whether the rest of the line is neither an array nor an object.
    in_text: bool,
    /// Whether the current line has any bytes.
    has_bytes: bool,
    /// Number of bytes before this one in its line, and whether these are white space.
    column: usize,
    is_indented: bool,
    /// The column of the current element.
    element_column: usize,
    /// Whether a brace in the first column is held back: a member behind it shows that it
    /// starts an element.
    holds_brace: bool,
    /// Line breaks that were read minus those that were written.
    missing_lines: i64,
}

/// A list whose elements become lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum List {
    /// None: outermost objects become lines.
    #[default]
    None,
    /// The outermost array.
    Outermost,
    /// A list of messages may start with the next token: its bracket is held back.
    MessagesOpened,
    /// The messages in an outermost object.
    Messages,
    /// The messages have ended, and the object has not.
    MessagesEnded,
}

impl List {
    /// Returns the depth outside of elements.
    fn depth(self) -> usize {
        match self {
            Self::None | Self::MessagesOpened | Self::MessagesEnded => 0,
            Self::Outermost => 1,
            Self::Messages => 2,
        }
    }
}

impl Splitter {
    pub(super) fn new() -> Self {
        Self { is_indented: true, ..Self::default() }
    }

    pub(super) fn split(&mut self, bytes: &[u8], to: &mut Vec<u8>) {
        for byte in bytes {
            self.byte(*byte, to);
            if *byte == b'\n' {
                (self.column, self.is_indented) = (0, true);
            } else {
                self.column += 1;
                self.is_indented &= byte.is_ascii_whitespace();
            }
        }
    }

    fn byte(&mut self, byte: u8, to: &mut Vec<u8>) {
        if std::mem::take(&mut self.holds_brace) {
            if byte == b'"' {
                self.end_element(to);
                self.element_column = 0;
            }
            self.token(b'{', to);
        }
        match byte {
            b'\n' => {
                self.missing_lines += 1;
                if std::mem::take(&mut self.in_string) {
                    self.is_escaped = false;
                    self.push(INVALID, to);
                } else if std::mem::take(&mut self.in_text) {
                    self.end_line(to);
                }
            }
            byte if self.in_text => self.push(byte, to),
            byte if self.in_string => {
                self.in_string = self.is_escaped || byte != b'"';
                self.is_escaped = byte == b'\\' && !self.is_escaped;
                self.push(byte, to);
                self.add_to_name(byte);
            }
            b'{' if self.list == List::MessagesOpened => self.token(byte, to),
            b'{' if self.is_indented && self.depth > self.list.depth() => {
                if self.column == 0 && self.element_column == 0 {
                    self.holds_brace = true;
                    return;
                }
                if self.column <= self.element_column {
                    self.end_element(to);
                }
                self.token(byte, to);
            }
            byte => self.token(byte, to),
        }
    }

    /// Handles a byte outside of strings.
    fn token(&mut self, byte: u8, to: &mut Vec<u8>) {
        if matches!(byte, b' ' | b'\t' | b'\r') {
            return;
        }
        if self.list == List::MessagesOpened {
            self.open_messages(byte == b'{', to);
        }
        let outer = self.list.depth();
        if !self.has_bytes && self.depth == outer {
            self.element_column = self.column;
        }
        match (self.list, byte) {
            (_, b'[') if self.depth == 0 => {
                self.end_line(to);
                (self.depth, self.list, self.is_empty) = (1, List::Outermost, true);
            }
            (List::Outermost, b']') if self.depth == 1 => {
                self.end_line(to);
                self.end_array(b"[]", to);
            }
            // The bracket waits for the next token.
            (List::None, b'[') if self.depth == 1 && self.name == MESSAGES => {
                self.list = List::MessagesOpened;
            }
            (List::Messages, b']') if self.depth == 2 => {
                self.end_line(to);
                (self.depth, self.list) = (1, List::MessagesEnded);
            }
            (List::MessagesEnded, b',') => {
                self.list = List::None;
                self.push(b'{', to);
            }
            (List::MessagesEnded, b'}') => (self.depth, self.list) = (0, List::None),
            (_, b',') if self.depth == outer => self.end_line(to),
            (_, b'{' | b'[') => {
                self.depth += 1;
                self.push(byte, to);
            }
            (_, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1).max(outer);
                self.push(byte, to);
                if self.depth == outer {
                    self.end_line(to);
                }
            }
            _ => {
                self.in_text = self.depth == 0;
                self.in_string = byte == b'"' && !self.in_text;
                self.push(byte, to);
                if self.in_string {
                    self.name.clear();
                    self.add_to_name(byte);
                }
            }
        }
    }

    /// Opens the list whose bracket was held back: one of messages if its first element is
    /// an object.
    fn open_messages(&mut self, has_objects: bool, to: &mut Vec<u8>) {
        self.push(b'[', to);
        if has_objects {
            self.push(b']', to);
            self.push(b'}', to);
            self.end_line(to);
            (self.depth, self.list) = (2, List::Messages);
        } else {
            self.depth += 1;
            self.list = List::None;
        }
    }

    /// Adds a byte of a string to the name of a member, as far as it is compared.
    fn add_to_name(&mut self, byte: u8) {
        if self.depth == 1 && self.name.len() <= MESSAGES.len() {
            self.name.push(byte);
        }
    }

    /// Ends the document.
    pub(super) fn finish(&mut self, to: &mut Vec<u8>) {
        if std::mem::take(&mut self.holds_brace) {
            self.token(b'{', to);
        }
        self.end_array(b"[", to);
        while self.missing_lines > 0 {
            self.break_line(to);
        }
    }

    /// Ends the outermost array, or the input inside of it. One without elements becomes
    /// the line `text`.
    fn end_array(&mut self, text: &[u8], to: &mut Vec<u8>) {
        let was_in_array = std::mem::take(&mut self.list) == List::Outermost;
        if was_in_array && std::mem::take(&mut self.is_empty) {
            for byte in text {
                self.push(*byte, to);
            }
            self.end_line(to);
        }
        self.depth = 0;
    }

    /// Ends an element that is not complete.
    fn end_element(&mut self, to: &mut Vec<u8>) {
        self.depth = self.list.depth();
        self.end_line(to);
    }

    fn push(&mut self, byte: u8, to: &mut Vec<u8>) {
        if !self.has_bytes {
            self.has_bytes = true;
            self.is_empty = false;
            while self.missing_lines > 0 {
                self.break_line(to);
            }
        }
        to.push(byte);
    }

    fn end_line(&mut self, to: &mut Vec<u8>) {
        if std::mem::take(&mut self.has_bytes) {
            self.break_line(to);
        }
    }

    fn break_line(&mut self, to: &mut Vec<u8>) {
        to.push(b'\n');
        self.missing_lines -= 1;
    }
}
