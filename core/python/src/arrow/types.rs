//! The types of Arrow columns, by the format strings of the C data interface.

use std::str;

use crate::memory::Schema;

/// Types within types that are followed: a dictionary of runs of text has three.
const MOST_NESTED: usize = 8;

/// The type of a column.
pub enum Type {
    Null,
    Integer {
        width: usize,
        is_signed: bool,
    },
    Float {
        width: usize,
    },
    Decimal {
        width: usize,
        digits: usize,
        scale: i32,
    },
    Text(Layout),
    Bytes(Layout),
    Dictionary {
        keys: Box<Type>,
        words: Box<Type>,
    },
    Runs {
        ends: Box<Type>,
        values: Box<Type>,
    },
    /// Any other, by what messages call its cells.
    Other(&'static str),
    /// A union: no other type but `Null` and `Runs` has cells without a bit that says whether they are null.
    Union,
}

/// How cells of various lengths are stored.
#[derive(Clone, Copy)]
pub enum Layout {
    Offsets32,
    Offsets64,
    Views,
}

impl Type {
    pub fn new(schema: &Schema) -> Result<Self, String> {
        Type::parse(schema, 0)
    }

    fn parse(schema: &Schema, depth: usize) -> Result<Self, String> {
        let part = |schema: Option<&Schema>| match schema {
            Some(schema) if depth < MOST_NESTED => Type::parse(schema, depth + 1).map(Box::new),
            _ => Err("an Arrow type lacks a part, or has too many".to_string()),
        };
        let format = str::from_utf8(schema.format()).unwrap_or_default();
        let kind = match format {
            "+r" => {
                let mut children = schema.children();
                let (ends, values) = (part(children.next().flatten())?, part(children.next().flatten())?);
                match *ends {
                    Type::Integer { is_signed: true, .. } => Some(Type::Runs { ends, values }),
                    _ => None,
                }
            }
            _ => Type::from_format(format),
        };
        match (kind, schema.dictionary()) {
            (Some(kind), None) => Ok(kind),
            (Some(keys @ Type::Integer { .. }), words) => {
                Ok(Type::Dictionary { keys: Box::new(keys), words: part(words)? })
            }
            _ => Err(format!("the Arrow type {format:?} is not known")),
        }
    }

    /// A type by its format string.
    fn from_format(format: &str) -> Option<Self> {
        Some(match format {
            "n" => Type::Null,
            "c" | "s" | "i" | "l" => Type::Integer { width: width(format), is_signed: true },
            "C" | "S" | "I" | "L" => Type::Integer { width: width(format), is_signed: false },
            "e" | "f" | "g" => Type::Float { width: width(format) },
            "u" => Type::Text(Layout::Offsets32),
            "U" => Type::Text(Layout::Offsets64),
            "vu" => Type::Text(Layout::Views),
            "z" => Type::Bytes(Layout::Offsets32),
            "Z" => Type::Bytes(Layout::Offsets64),
            "vz" => Type::Bytes(Layout::Views),
            "b" => Type::Other("Booleans"),
            "+s" => Type::Other("records"),
            "+l" | "+L" | "+vl" | "+vL" | "+m" => Type::Other("lists"),
            _ => match (format.split_at_checked(2)?, format) {
                (("td" | "tt" | "ts" | "tD", _), _) => Type::Other("dates or times"),
                (("ti", _), _) => Type::Other("other values"),
                (("w:", _), _) => Type::Other("bytes"),
                (("+w", _), _) => Type::Other("lists"),
                (("+u", _), _) => Type::Union,
                (("d:", parameters), _) => Type::decimal(parameters)?,
                _ => return None,
            },
        })
    }

    /// `digits,scale` or `digits,scale,bits`.
    fn decimal(parameters: &str) -> Option<Self> {
        let mut parts = parameters.split(',');
        let (digits, scale) = (parts.next()?.parse::<u8>().ok()?, parts.next()?.parse::<i8>().ok()?);
        let width = match (parts.next(), parts.next()) {
            (None | Some("128"), None) => 16,
            (Some("32"), None) => 4,
            (Some("64"), None) => 8,
            (Some("256"), None) => 32,
            _ => return None,
        };
        Some(Type::Decimal { width, digits: digits.into(), scale: scale.into() })
    }

    pub fn is_id(&self) -> bool {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.is_id(),
            kind => matches!(kind, Type::Text(_) | Type::Integer { .. }),
        }
    }

    pub fn is_number(&self) -> bool {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.is_number(),
            kind => matches!(kind, Type::Integer { .. } | Type::Float { .. } | Type::Decimal { .. }),
        }
    }

    /// What cells are called in messages.
    pub fn family(&self) -> &'static str {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.family(),
            Type::Text(_) => "text",
            Type::Bytes(_) => "bytes",
            Type::Float { .. } => "floats",
            Type::Decimal { .. } => "decimals",
            Type::Other(family) => family,
            Type::Union => "lists",
            Type::Null | Type::Integer { .. } => "other values",
        }
    }
}

/// Bytes of a number with this format.
fn width(format: &str) -> usize {
    match format {
        "c" | "C" => 1,
        "s" | "S" | "e" => 2,
        "i" | "I" | "f" => 4,
        _ => 8,
    }
}
