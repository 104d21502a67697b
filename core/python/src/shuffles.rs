//! Shuffles of the randomised Tukey HSD for Python.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use tiebreak_engine::shuffles::{Draw, Shuffled, largest_differences as differences};

use crate::{Object, Ticker};

/// The rows of all requests, one after the other.
enum Rows<'py> {
    Values(PyReadonlyArray1<'py, i64>),
    Ranks(PyReadonlyArray1<'py, i32>),
    Preferences(PyReadonlyArray1<'py, i32>),
    LongPreferences(PyReadonlyArray1<'py, i64>),
}

impl<'py> Rows<'py> {
    fn new(kind: &str, rows: &Bound<'py, PyAny>) -> PyResult<Self> {
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
            Rows::Values(rows) => (Shuffled::Values(rows.as_slice()?), rows.len()?, systems),
            Rows::Ranks(rows) => (Shuffled::Ranks(rows.as_slice()?), rows.len()?, systems),
            Rows::Preferences(rows) => (Shuffled::Preferences(rows.as_slice()?), rows.len()?, systems * systems),
            Rows::LongPreferences(rows) => {
                (Shuffled::LongPreferences(rows.as_slice()?), rows.len()?, systems * systems)
            }
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
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let rows = Rows::new(kind, rows)?;
    let (shuffled, requests) = rows.view(systems)?;
    let (seed, first, count) = draw;
    let mut ticker = Ticker { callback: tick, raised: None };
    let found = py.detach(|| {
        differences(shuffled, systems, requests, Draw { seed, first, count }, jobs, |done, total| {
            ticker.tick(done, total)
        })
    });
    match found {
        Some(found) => Ok(found.into_pyarray(py)),
        None => Err(ticker.raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
    }
}
