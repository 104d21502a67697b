//! Recall levels of pairs of rankings for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tiebreak_engine::pair_signs::{Levels, sum_pair_signs as sum_signs};

use crate::memory::Slice;
use crate::table;

#[pyfunction]
#[pyo3(signature = (p, shape, x, y, /))]
pub fn sum_pair_signs<'py>(
    py: Python<'py>,
    p: Slice<i32>,
    shape: (usize, usize, usize),
    x: Slice<i64>,
    y: Slice<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (runs, requests, levels) = shape;
    let (p, x, y): (&[i32], &[i64], &[i64]) = (&p, &x, &y);
    let sums = py.detach(|| sum_signs(Levels { p, runs, requests, levels }, x, y));
    let sums = sums.ok_or_else(|| PyValueError::new_err("the positions and the pairs do not fit together"))?;
    table(py, sums, requests, x.len())
}
