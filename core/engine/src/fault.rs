//! Why reading ended early, as data; the sentences are on the Python side.

macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        /// The kinds of faults; Python has a sentence for each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FaultKind {
            $($kind,)*
        }

        impl FaultKind {
            pub const ALL: &[FaultKind] = &[$(FaultKind::$kind,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(FaultKind::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    Io "io",
    Empty "empty",
    Compression "compression",
    LongLine "long_line",
    Control "control",
    Encoding "encoding",
    Columns "columns",
    Score "score",
    Grade "grade",
    Rank "rank",
    Duplicate "duplicate",
    Conflict "conflict",
    Memory "memory",
    Null "null",
    IdType "id_type",
    ValueType "value_type",
    Damaged "damaged",
}

/// What is wrong with one line of one file, or with the file (line 0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub line: u64,
    pub number: i64,
    pub request: Vec<u8>,
    pub item: Vec<u8>,
    pub text: Vec<u8>,
}

impl Fault {
    pub fn file(kind: FaultKind, text: &[u8]) -> Self {
        Fault::line(kind, 0, 0, text)
    }

    pub fn line(kind: FaultKind, line: u64, number: i64, text: &[u8]) -> Self {
        Fault { kind, line, number, request: Vec::new(), item: Vec::new(), text: text.to_vec() }
    }

    pub fn entry(kind: FaultKind, line: u64, request: &[u8], item: &[u8], text: &[u8]) -> Self {
        Fault { request: request.to_vec(), item: item.to_vec(), ..Fault::line(kind, line, 0, text) }
    }
}

/// What ends a pass over a file before its end.
#[derive(Debug)]
pub enum Stop {
    Fault(Box<Fault>),
    /// The lines of a judged request are not contiguous: the file must be gathered before it is ranked.
    Returning,
    Cancelled,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(Box::new(fault))
    }
}
