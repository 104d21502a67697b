//! The text of an input, as far as it goes.

use std::io::Read;

use flate2::bufread::GzDecoder;

/// No more text than this is compared with the model.
const LONGEST: usize = 1 << 20;

pub struct Decoded {
    pub text: Vec<u8>,
    pub end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Whole,
    Damaged,
    /// A frame whose last block is empty and which announced more: zstd notices when it sees the frame at once.
    Doubtful,
    /// More text than anyone looks at.
    Cut,
}

impl Decoded {
    pub fn new(input: &[u8]) -> Self {
        let mut text = Vec::new();
        let end = if input.starts_with(b"\x1f\x8b") {
            gunzip(input, &mut text)
        } else if input.starts_with(b"\x28\xb5\x2f\xfd") {
            unzstd(input, &mut text)
        } else {
            text.extend_from_slice(input);
            End::Whole
        };
        Decoded { text, end }
    }

    /// How many lines there are, where that is known.
    pub fn lines(&self) -> u64 {
        match self.end {
            End::Cut => u64::MAX,
            _ => self.text.split_inclusive(|&byte| byte == b'\n').count() as u64,
        }
    }
}

fn gunzip(mut input: &[u8], text: &mut Vec<u8>) -> End {
    while !input.is_empty() {
        let mut member = GzDecoder::new(input);
        let end = read_all(&mut member, text);
        if end != End::Whole {
            return end;
        }
        input = member.into_inner();
        while let [0, rest @ ..] = input {
            input = rest;
        }
    }
    End::Whole
}

fn unzstd(input: &[u8], text: &mut Vec<u8>) -> End {
    let decoder = zstd::stream::read::Decoder::new(Drops(input)).expect("memory");
    match read_all(decoder, text) {
        End::Whole if zstd::bulk::decompress(input, LONGEST).is_err() => End::Doubtful,
        end => end,
    }
}

/// Bytes that come one by one.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(1);
        self.0.read(&mut buffer[..n])
    }
}

/// In small steps, so that as much text as possible stands before damage.
fn read_all(mut reader: impl Read, text: &mut Vec<u8>) -> End {
    let mut step = [0; 64];
    while text.len() < LONGEST {
        match reader.read(&mut step) {
            Ok(0) => return End::Whole,
            Ok(n) => text.extend_from_slice(&step[..n]),
            Err(_) => return End::Damaged,
        }
    }
    End::Cut
}
