//! Why reading ended early, as data; the Python side finds the words.

/// What is wrong with one line of one file, or with the file (line 0).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fault {
    pub kind: &'static str,
    pub line: u64,
    pub number: i64,
    pub request: Vec<u8>,
    pub item: Vec<u8>,
    pub text: Vec<u8>,
}

impl Fault {
    pub fn file(kind: &'static str, text: &[u8]) -> Self {
        Fault { kind, text: text.to_vec(), ..Fault::default() }
    }

    pub fn line(kind: &'static str, line: u64, number: i64, text: &[u8]) -> Self {
        Fault { kind, line, number, text: text.to_vec(), ..Fault::default() }
    }

    pub fn entry(kind: &'static str, line: u64, request: &[u8], item: &[u8], text: &[u8]) -> Self {
        Fault { request: request.to_vec(), item: item.to_vec(), ..Fault::line(kind, line, 0, text) }
    }
}

/// What ends a pass over a file before its end.
#[derive(Debug)]
pub enum Stop {
    Fault(Box<Fault>),
    /// A judged request came back after another one: the file must be gathered before it is ranked.
    Returning,
    Cancelled,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(Box::new(fault))
    }
}
