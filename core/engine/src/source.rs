//! Sources of lines: a file or bytes, plain or compressed, recognised by how they begin; or a table in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};

use flate2::bufread::GzDecoder;

use crate::fault::{Fault, FaultKind, Stop};
use crate::ids::Ids;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes per read.
const READ_AHEAD: usize = 256 * 1024;
/// Pieces of so many bytes that wait for the reader, where another thread decompresses them.
const PIECES_AHEAD: usize = 4;

pub enum Source<'a> {
    File(PathBuf),
    Bytes(&'a [u8]),
    Table(Rows<'a>),
}

/// A run held in memory: `request[row]` is a place in `requests`.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub requests: Ids<'a>,
    pub request: &'a [i32],
    pub items: Ids<'a>,
    pub scores: &'a [f64],
}

impl Source<'_> {
    /// Bytes to be read, as far as is known.
    pub fn size(&self) -> u64 {
        match self {
            Source::File(path) => path.metadata().map_or(0, |data| data.len()),
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Table(_) => 0,
        }
    }
}

/// Progress of a reader, and whether it should stop.
#[derive(Default)]
pub struct Watch {
    pub cancelled: AtomicBool,
    pub bytes_read: AtomicU64,
}

impl Watch {
    /// The same file is read from its beginning.
    pub fn start_again(&self) {
        self.bytes_read.store(0, Ordering::Relaxed);
    }

    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Stop::Cancelled) } else { Ok(()) }
    }
}

struct Counted<'a, R> {
    inner: R,
    watch: &'a Watch,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.watch.bytes_read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// The decompressed bytes of a text source.
pub struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    format: &'static [u8],
}

impl<'a> Text<'a> {
    pub fn open(source: &Source<'a>, watch: &'a Watch) -> Result<Self, Fault> {
        let raw: Box<dyn Read + Send + 'a> = match source {
            Source::File(path) => Box::new(File::open(path).map_err(|error| io_fault(&error))?),
            Source::Bytes(bytes) => Box::new(*bytes),
            Source::Table(_) => unreachable!("tables are not text"),
        };
        let mut raw = Counted { inner: raw, watch };
        let mut head = Vec::with_capacity(4);
        (&mut raw).take(4).read_to_end(&mut head).map_err(|error| io_fault(&error))?;
        let gzip = head.starts_with(&GZIP_MAGIC);
        let zstd = head == ZSTD_MAGIC;
        let whole = io::Cursor::new(head).chain(raw);
        if gzip {
            let members = Members::new(BufReader::with_capacity(READ_AHEAD, whole));
            return Ok(Text { reader: Box::new(members), format: b"gzip" });
        }
        if zstd {
            let reader = zstd::stream::read::Decoder::new(whole).map_err(|error| io_fault(&error))?;
            return Ok(Text { reader: Box::new(reader), format: b"zstd" });
        }
        Ok(Text { reader: Box::new(whole), format: b"" })
    }

    /// The same bytes; those of a compressed source are decompressed on a thread of their own, if one can be started.
    pub fn open_ahead<'scope>(
        source: &Source<'a>,
        watch: &'a Watch,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Self, Fault>
    where
        'a: 'scope,
    {
        let Text { reader, format } = Self::open(source, watch)?;
        if format.is_empty() {
            return Ok(Text { reader, format });
        }
        let (sender, pieces) = sync_channel(PIECES_AHEAD);
        match Builder::new().spawn_scoped(scope, move || send_pieces(reader, &sender)) {
            Ok(_) => Ok(Text { reader: Box::new(Pieces { pieces, piece: Vec::new(), begin: 0 }), format }),
            Err(_) => Self::open(source, watch),
        }
    }

    pub fn is_compressed(&self) -> bool {
        !self.format.is_empty()
    }

    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        loop {
            match self.reader.read(buffer) {
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Errors of the operating system have a number; those of the decompressor have none.
                Err(error) if self.format.is_empty() || error.raw_os_error().is_some() => return Err(io_fault(&error)),
                Err(_) => return Err(Fault::file(FaultKind::Compression, self.format)),
            }
        }
    }
}

type Piece = io::Result<Vec<u8>>;

/// Read to the end, to an error, or until nobody wants to know.
fn send_pieces(mut reader: impl Read, pieces: &SyncSender<Piece>) {
    let mut is_wanted = true;
    while is_wanted {
        let mut piece = vec![0; READ_AHEAD];
        match reader.read(&mut piece) {
            Ok(0) => return,
            Ok(n) => {
                piece.truncate(n);
                is_wanted = pieces.send(Ok(piece)).is_ok();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let _ = pieces.send(Err(error));
                return;
            }
        }
    }
}

/// What another thread has read.
struct Pieces {
    pieces: Receiver<Piece>,
    piece: Vec<u8>,
    /// Where the part begins that was not asked for yet.
    begin: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.begin == self.piece.len() {
            let Ok(piece) = self.pieces.recv() else { return Ok(0) };
            (self.piece, self.begin) = (piece?, 0);
        }
        let n = (&self.piece[self.begin..]).read(buffer)?;
        self.begin += n;
        Ok(n)
    }
}

fn io_fault(error: &io::Error) -> Fault {
    let text = error.to_string();
    // The message of the operating system, without Rust's "(os error N)".
    let text = text.split(" (os error").next().unwrap_or_default();
    Fault::file(FaultKind::Io, text.as_bytes())
}

/// Every member of a gzip file; members may be padded with zeros, any other trailing byte is damage.
struct Members<R> {
    /// Taken out only while one member ends and the next begins.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    fn new(raw: R) -> Self {
        Members { member: Some(GzDecoder::new(raw)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let Some(mut raw) = self.member.take().map(GzDecoder::into_inner) else { break };
            if skip_zeros(&mut raw)? {
                self.member = Some(GzDecoder::new(raw));
            }
        }
        Ok(0)
    }
}

/// Skip zero bytes; whether anything follows.
fn skip_zeros(raw: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let ahead = raw.fill_buf()?;
        let zeros = ahead.iter().take_while(|&&byte| byte == 0).count();
        let (all, more) = (ahead.is_empty(), zeros < ahead.len());
        raw.consume(zeros);
        if all || more {
            return Ok(more);
        }
    }
}
