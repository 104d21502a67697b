//! Shuffles of the randomised Tukey HSD for Python.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use tiebreak_engine::shuffles::{self, Draw, Shuffled};

use crate::memory::Slice;
use crate::{Object, Ticker, array, table};

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
    let draw = Draw::from(draw);
    let largest =
        watched(py, tick, |tick| shuffles::largest_differences(shuffled, systems, requests, draw, jobs, tick))?;
    array(py, largest)
}

#[pyfunction]
#[pyo3(signature = (kind, rows, systems, numbers, draw, jobs, tick, /))]
#[allow(clippy::too_many_arguments)]
pub fn shuffled_sums<'py>(
    py: Python<'py>,
    kind: &str,
    rows: &Bound<'py, PyAny>,
    systems: usize,
    numbers: Slice<i64>,
    draw: (u64, u64, usize),
    jobs: usize,
    tick: Option<Object>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::new(kind, rows)?;
    let (shuffled, requests) = rows.view(systems)?;
    let numbers: Vec<u64> = numbers.iter().map(|&number| number as u64).collect();
    if numbers.len() != requests {
        return Err(PyValueError::new_err("the rows do not fit the numbers of requests"));
    }
    let (draw, width) = (Draw::from(draw), shuffled.width(systems));
    let sums = watched(py, tick, |tick| shuffles::shuffled_sums(shuffled, systems, &numbers, draw, jobs, tick))?;
    table(py, sums, draw.count, width)
}

/// What is computed without holding Python, unless it is interrupted.
fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<Object>,
    compute: impl FnOnce(&mut (dyn FnMut(u64, u64) -> bool + Send)) -> Option<T> + Send,
) -> PyResult<T> {
    let mut ticker = Ticker { callback, raised: None };
    let computed = py.detach(|| compute(&mut |done, total| ticker.tick(done, total)));
    computed.ok_or_else(|| ticker.raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())))
}
