//! Shuffles of the randomised Tukey HSD for Python.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use tiebreak_engine::shuffles::{Draw, Shuffled, largest_differences as differences};

use crate::memory::Slice;
use crate::{Object, Ticker, array};

/// The rows of all requests, one after the other.
enum Rows {
    Values(Slice<i64>),
    Ranks(Slice<i32>),
    Preferences(Slice<i32>),
    LongPreferences(Slice<i64>),
}

impl Rows {
    fn new(kind: &str, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        match kind {
            "values" => Ok(Rows::Values(rows.extract()?)),
            "ranks" => Ok(Rows::Ranks(rows.extract()?)),
            "preferences" => {
                rows.extract().map(Rows::LongPreferences).or_else(|_| Ok(Rows::Preferences(rows.extract()?)))
            }
            _ => Err(PyValueError::new_err(format!("unknown kind of rows {kind:?}"))),
        }
    }

    /// What is shuffled, and of how many requests.
    fn view(&self, systems: usize) -> PyResult<(Shuffled<'_>, usize)> {
        let (shuffled, numbers, width) = match self {
            Rows::Values(rows) => (Shuffled::Values(rows), rows.len(), systems),
            Rows::Ranks(rows) => (Shuffled::Ranks(rows), rows.len(), systems),
            Rows::Preferences(rows) => (Shuffled::Preferences(rows), rows.len(), systems * systems),
            Rows::LongPreferences(rows) => (Shuffled::LongPreferences(rows), rows.len(), systems * systems),
        };
        if width == 0 || numbers % width != 0 {
            return Err(PyValueError::new_err("the rows do not fit the number of systems"));
        }
        Ok((shuffled, numbers / width))
    }
}

#[pyfunction]
#[pyo3(signature = (kind, rows, systems, draw, jobs, tick, /))]
pub fn largest_differences<'py>(
    py: Python<'py>,
    kind: &str,
    rows: &Bound<'py, PyAny>,
    systems: usize,
    draw: (u64, u64, usize),
    jobs: usize,
    tick: Option<Object>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::new(kind, rows)?;
    let (shuffled, requests) = rows.view(systems)?;
    let (seed, first, count) = draw;
    let mut ticker = Ticker { callback: tick, raised: None };
    let largest = py.detach(|| {
        differences(shuffled, systems, requests, Draw { seed, first, count }, jobs, |done, total| {
            ticker.tick(done, total)
        })
    });
    match largest {
        Some(largest) => array(py, largest),
        None => Err(ticker.raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
    }
}
