//! Reads runs and projects them onto judgements: where does each judged item stand?
//!
//! The readable definition of all of it is the Python twin, `src/tiebreak/_kernels/reference.py`; this crate gives the same
//! ranks, counters and faults in one pass over the bytes. Modules in the order data flows:
//! [`source`] opens and decompresses, [`separators`] and [`text`] find lines and columns, [`number`] reads scores,
//! [`judgements`] reads a judgements file, [`judged`] indexes judgements, [`ranking`] orders the items of one request,
//! [`run`] projects one run ([`options`] say how, [`run_result`] is what becomes known), [`project`] many of them on
//! several threads, [`ahead`] in the background.
//! The crate `tiebreak_processor` has what depends on the processor.
//! Beside them [`pair_signs`] compares recall levels of pairs of rankings, and [`shuffles`] draws the shuffles of the
//! randomised Tukey HSD.
#![forbid(unsafe_code)]

pub mod ahead;
pub mod fault;
mod gathered;
pub mod ids;
pub mod judged;
pub mod judgements;
pub mod number;
pub mod options;
pub mod pair_signs;
pub mod project;
pub mod ranking;
pub mod run;
pub mod run_result;
mod separators;
pub mod shuffles;
pub mod source;
pub mod tally;
pub mod text;

/// Rank of an item that a run does not retrieve.
pub const UNRETRIEVED: i32 = i32::MAX;

/// Default limit on the bytes held in memory per file.
pub const MEMORY: u64 = 2_000_000_000;

pub use ahead::Ahead;
pub use fault::{Fault, FaultKind, Stop};
pub use judged::Judged;
pub use judgements::{JudgedRows, read_judgements};
pub use options::{Duplicates, Options};
pub use project::{Projection, project};
pub use source::{Source, Watch};
