//! `tiebreak._core`: the engine for Python. Arguments and results are those of `src/tiebreak/_kernels/interface.py`.

mod frames;
mod shuffles;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use tiebreak_engine::ids::{IdColumn, Ids};
use tiebreak_engine::project::{Failure, Projection, project as project_runs};
use tiebreak_engine::run::RunResult;
use tiebreak_engine::source::Rows;
use tiebreak_engine::tally::{COUNTERS, Tally};
use tiebreak_engine::{Ahead, Duplicates, Fault, Judged, JudgedRows, MEMORY, Options, Source, Stop, Watch};

const INTERFACE: u32 = 7;

type Object = Py<PyAny>;

/// An id column as Python holds it: bytes and offsets.
#[derive(FromPyObject)]
struct PyIds<'py>(Bound<'py, PyBytes>, PyReadonlyArray1<'py, i64>);

impl PyIds<'_> {
    fn view(&self) -> PyResult<Ids<'_>> {
        Ok(Ids { buffer: self.0.as_bytes(), offsets: self.1.as_slice()? })
    }
}

/// A source as Python holds it.
enum PySource<'py> {
    File(PathBuf),
    Bytes(Bound<'py, PyBytes>),
    Table(PyTable<'py>),
}

struct PyTable<'py> {
    requests: PyIds<'py>,
    request: PyReadonlyArray1<'py, i32>,
    items: PyIds<'py>,
    scores: PyReadonlyArray1<'py, f64>,
}

impl<'py> PySource<'py> {
    fn new(source: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let kind: String = source.get_item(0)?.extract()?;
        match kind.as_str() {
            "file" => Ok(PySource::File(source.get_item(1)?.extract()?)),
            "bytes" => Ok(PySource::Bytes(source.get_item(1)?.extract()?)),
            "table" => Ok(PySource::Table(PyTable {
                requests: source.get_item(1)?.extract()?,
                request: source.get_item(2)?.extract()?,
                items: source.get_item(3)?.extract()?,
                scores: source.get_item(4)?.extract()?,
            })),
            _ => Err(PyValueError::new_err(format!("unknown source kind {kind:?}"))),
        }
    }

    fn view(&self) -> PyResult<Source<'_>> {
        match self {
            PySource::File(path) => Ok(Source::File(path.clone())),
            PySource::Bytes(bytes) => Ok(Source::Bytes(bytes.as_bytes())),
            PySource::Table(table) => Ok(Source::Table(table.view()?)),
        }
    }
}

impl PyTable<'_> {
    fn view(&self) -> PyResult<Rows<'_>> {
        let (requests, items) = (self.requests.view()?, self.items.view()?);
        let (request, scores) = (self.request.as_slice()?, self.scores.as_slice()?);
        let sound = requests.is_sound()
            && items.is_sound()
            && items.len() == request.len()
            && scores.len() == request.len()
            && request.iter().all(|&r| (r as usize) < requests.len());
        if !sound {
            return Err(PyValueError::new_err("the columns of a table do not fit together"));
        }
        Ok(Rows { requests, request, items, scores })
    }
}

#[derive(FromPyObject)]
struct PyJudged<'py>(
    PyIds<'py>,
    PyIds<'py>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i32>,
    PyReadonlyArray1<'py, i32>,
    usize,
);

impl PyJudged<'_> {
    fn view(&self) -> PyResult<Judged<'_>> {
        let PyJudged(requests, items, starts, item, slot, slots) = self;
        let (starts, item, slot) = (starts.as_slice()?, item.as_slice()?, slot.as_slice()?);
        Judged::new(requests.view()?, items.view()?, starts, item, slot, *slots)
            .ok_or_else(|| PyValueError::new_err("the arrays of the judgements do not fit together"))
    }
}

#[derive(FromPyObject)]
struct PyOptions(Option<usize>, bool, String, String, String, Option<usize>, bool, u64, usize, bool);

impl PyOptions {
    fn engine(self) -> PyResult<Options> {
        let PyOptions(depth, judged_only, ties, duplicates, on_bad_score, top, pool, memory, jobs, audit) = self;
        Ok(Options {
            depth: depth.unwrap_or(usize::MAX),
            judged_only,
            rank_breaks_ties: choice(&ties, &[("item", false), ("rank", true)])?,
            duplicates: choice(
                &duplicates,
                &[("error", Duplicates::Error), ("first", Duplicates::First), ("best", Duplicates::Best)],
            )?,
            drop_bad_scores: choice(&on_bad_score, &[("error", false), ("drop", true)])?,
            top,
            pool,
            memory,
            jobs,
            audit,
        })
    }
}

fn choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| PyValueError::new_err(format!("unknown choice {name:?}")))
}

/// Reports progress to Python and learns of Ctrl-C; keeps what Python raised.
struct Ticker {
    callback: Option<Object>,
    raised: Option<PyErr>,
}

impl Ticker {
    fn tick(&mut self, done: u64, total: u64) -> bool {
        if self.raised.is_none() {
            self.raised = Python::attach(|py| -> PyResult<()> {
                py.check_signals()?;
                if let Some(callback) = &self.callback {
                    callback.call1(py, (done, total))?;
                }
                Ok(())
            })
            .err();
        }
        self.raised.is_none()
    }
}

#[pyfunction]
#[pyo3(signature = (source, tick, memory=MEMORY, /))]
fn read_judgements<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyTuple>,
    tick: Option<Object>,
    memory: u64,
) -> PyResult<Object> {
    let held = PySource::new(source)?;
    let source = held.view()?;
    let mut ticker = Ticker { callback: tick, raised: None };
    let rows = py.detach(|| {
        let watch = Watch::default();
        let total = source.size();
        tiebreak_engine::project::watched(
            &watch,
            total,
            |done, total| ticker.tick(done, total),
            || tiebreak_engine::read_judgements(&source, memory, &watch),
        )
    });
    rows_or_fault(py, rows, ticker)
}

fn rows_or_fault(py: Python<'_>, rows: Result<JudgedRows, Stop>, ticker: Ticker) -> PyResult<Object> {
    match rows {
        Err(stop) => stopped(py, Failure { run: 0, stop }, ticker),
        Ok(rows) => {
            let ids = (id_column(py, rows.requests), id_column(py, rows.subtopics), id_column(py, rows.items));
            let codes = (rows.request.into_pyarray(py), rows.subtopic.into_pyarray(py), rows.item.into_pyarray(py));
            let counts = counts(py, &[&rows.tally])?;
            let fields = (ids.0, ids.1, ids.2, codes.0, codes.1, codes.2, rows.grade.into_pyarray(py), counts);
            done(py, fields)
        }
    }
}

#[pyfunction]
#[pyo3(signature = (sources, judged, options, tick, /))]
fn project<'py>(
    py: Python<'py>,
    sources: Vec<Bound<'py, PyTuple>>,
    judged: PyJudged<'py>,
    options: PyOptions,
    tick: Option<Object>,
) -> PyResult<Object> {
    let held = sources.iter().map(PySource::new).collect::<PyResult<Vec<_>>>()?;
    let sources = held.iter().map(PySource::view).collect::<PyResult<Vec<_>>>()?;
    let options = options.engine()?;
    let judged = judged.view()?;
    let mut ticker = Ticker { callback: tick, raised: None };
    let projected = py.detach(|| project_runs(&sources, &judged, &options, |done, total| ticker.tick(done, total)));
    projection_or_fault(py, projected, judged.slots, options.top.is_some(), ticker)
}

fn projection_or_fault(
    py: Python<'_>,
    projected: Result<Projection, Failure>,
    slots: usize,
    with_top: bool,
    ticker: Ticker,
) -> PyResult<Object> {
    match projected {
        Err(failure) => stopped(py, failure, ticker),
        Ok(projection) => done(py, projection_fields(py, projection, slots, with_top)?),
    }
}

/// Reading that has begun; each of its results can be taken once.
#[pyclass(frozen)]
struct ReadAhead {
    ahead: Mutex<Ahead>,
    with_top: bool,
}

#[pymethods]
impl ReadAhead {
    #[new]
    fn begin(judgements: PathBuf, runs: Vec<PathBuf>, options: PyOptions) -> PyResult<Self> {
        let options = options.engine()?;
        let with_top = options.top.is_some();
        Ok(ReadAhead { ahead: Mutex::new(Ahead::begin(judgements, runs, options)), with_top })
    }

    /// What `read_judgements` returns; None when it was taken before.
    #[pyo3(signature = (tick, /))]
    fn judgements(&self, py: Python<'_>, tick: Option<Object>) -> PyResult<Option<Object>> {
        let mut ticker = Ticker { callback: tick, raised: None };
        let rows = py.detach(|| self.lock().rows(|done, total| ticker.tick(done, total)));
        rows.map(|rows| rows_or_fault(py, rows, ticker)).transpose()
    }

    /// What `project` returns; None when other judgements were read, or it was taken before.
    #[pyo3(signature = (judged, tick, /))]
    fn projection<'py>(
        &self,
        py: Python<'py>,
        judged: PyJudged<'py>,
        tick: Option<Object>,
    ) -> PyResult<Option<Object>> {
        let judged = judged.view()?;
        let mut ticker = Ticker { callback: tick, raised: None };
        let projected = py.detach(|| self.lock().projection(&judged, |done, total| ticker.tick(done, total)));
        projected.map(|projected| projection_or_fault(py, projected, judged.slots, self.with_top, ticker)).transpose()
    }
}

impl ReadAhead {
    fn lock(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn projection_fields<'py>(
    py: Python<'py>,
    projection: Projection,
    slots: usize,
    with_top: bool,
) -> PyResult<impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>> {
    let Projection { ranks, runs, pool } = projection;
    let ranks = ranks.into_pyarray(py).reshape([runs.len(), slots])?;
    let requests = runs.first().map_or(0, |run| run.listed.len());
    let table = |of: fn(&RunResult) -> &Vec<i32>| {
        let all: Vec<i32> = runs.iter().flat_map(|run| of(run).iter().copied()).collect();
        all.into_pyarray(py).reshape([runs.len(), requests])
    };
    let (listed, retrieved, tied) = (table(|run| &run.listed)?, table(|run| &run.retrieved)?, table(|run| &run.tied)?);
    let scores: Vec<f64> = runs.iter().flat_map(|run| [run.scores.low, run.scores.high]).collect();
    let scores = scores.into_pyarray(py).reshape([runs.len(), 2])?;
    let tallies: Vec<&Tally> = runs.iter().map(|run| &run.tally).collect();
    let counts = counts(py, &tallies)?;
    let top = with_top.then(|| runs.iter().map(|run| top_items(py, run)).collect::<Vec<_>>());
    let pool = pool.map(|sizes| sizes.into_pyarray(py));
    Ok((ranks, listed, retrieved, tied, scores, counts, top, pool))
}

fn top_items<'py>(
    py: Python<'py>,
    run: &RunResult,
) -> (Bound<'py, PyArray1<i64>>, PyIdColumn<'py>, Bound<'py, PyArray1<i32>>) {
    let (mut starts, mut items, mut judgements) = (vec![0i64], IdColumn::default(), Vec::new());
    for top in &run.top {
        let ids = top.items.view();
        (0..ids.len()).for_each(|i| items.push(ids.get(i)));
        judgements.extend_from_slice(&top.judgement);
        starts.push(judgements.len() as i64);
    }
    (starts.into_pyarray(py), id_column(py, items), judgements.into_pyarray(py))
}

type PyIdColumn<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>);

fn id_column(py: Python<'_>, ids: IdColumn) -> PyIdColumn<'_> {
    (PyBytes::new(py, &ids.buffer), ids.offsets.into_pyarray(py))
}

/// Counts, first lines and examples, one row a file.
fn counts<'py>(py: Python<'py>, tallies: &[&Tally]) -> PyResult<Bound<'py, PyTuple>> {
    let table = |of: fn(&Tally) -> [i64; COUNTERS]| {
        let all: Vec<i64> = tallies.iter().flat_map(|tally| of(tally)).collect();
        all.into_pyarray(py).reshape([tallies.len(), COUNTERS])
    };
    let examples = tallies.iter().map(|tally| PyList::new(py, tally.example.iter().map(|text| PyBytes::new(py, text))));
    let examples = examples.collect::<PyResult<Vec<_>>>()?;
    (table(|tally| tally.count)?, table(|tally| tally.first_line)?, examples).into_pyobject(py)
}

/// What a kernel returns when all went well: (None, result).
fn done<'py>(
    py: Python<'py>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Object> {
    Ok((py.None(), fields.into_pyobject(py)?).into_pyobject(py)?.unbind().into_any())
}

/// What a kernel returns when the input is at fault: (fault, None). What Python raised is raised again.
fn stopped(py: Python<'_>, failure: Failure, ticker: Ticker) -> PyResult<Object> {
    match failure.stop {
        Stop::Fault(fault) => {
            Ok((fault_fields(py, *fault, failure.run), py.None()).into_pyobject(py)?.unbind().into_any())
        }
        _ => Err(ticker.raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
    }
}

type PyFault<'py> = (&'static str, usize, u64, i64, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// A fault of a file as Python holds it.
fn fault_fields(py: Python<'_>, fault: Fault, file: usize) -> PyFault<'_> {
    let Fault { kind, line, number, request, item, text } = fault;
    let [request, item, text] = [request, item, text].map(|text| PyBytes::new(py, &text));
    (kind, file, line, number, request, item, text)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("INTERFACE", INTERFACE)?;
    module.add_class::<ReadAhead>()?;
    module.add_function(wrap_pyfunction!(read_judgements, module)?)?;
    module.add_function(wrap_pyfunction!(frames::read_frame, module)?)?;
    module.add_function(wrap_pyfunction!(shuffles::largest_differences, module)?)?;
    module.add_function(wrap_pyfunction!(project, module)?)
}
