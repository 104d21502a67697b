//! `tiebreak._core`: the engine for Python. Arguments and results are those of `src/tiebreak/_kernels/interface.py`.

#![deny(unsafe_code)]

mod arrow;
mod frames;
mod memory;
mod pair_signs;
mod shuffles;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyTuple};
use tiebreak_engine::ids::{IdColumn, Ids};
use tiebreak_engine::project::{Failure, Projection, project as project_runs};
use tiebreak_engine::run_result::RunResult;
use tiebreak_engine::source::Rows;
use tiebreak_engine::tally::{COUNTERS, Tally};
use tiebreak_engine::{Ahead, Duplicates, Fault, FaultKind, Judged, JudgedRows, MEMORY, Options, Source, Stop, Watch};

use crate::memory::{Number, Numbers, Slice};

const INTERFACE: u32 = 10;

type Object = Py<PyAny>;

/// An id column as Python holds it: bytes and offsets.
#[derive(FromPyObject)]
struct PyIds<'py>(Bound<'py, PyBytes>, Slice<i64>);

impl PyIds<'_> {
    fn view(&self) -> Ids<'_> {
        Ids { buffer: self.0.as_bytes(), offsets: &self.1 }
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
    request: Slice<i32>,
    items: PyIds<'py>,
    scores: Slice<f64>,
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
        let (requests, items) = (self.requests.view(), self.items.view());
        let (request, scores): (&[i32], &[f64]) = (&self.request, &self.scores);
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

/// `Judged` of the interface, by the names of its fields.
#[derive(FromPyObject)]
struct PyJudged<'py> {
    requests: PyIds<'py>,
    items: PyIds<'py>,
    starts: Slice<i64>,
    item: Slice<i32>,
    slot: Slice<i32>,
    slots: usize,
}

impl PyJudged<'_> {
    fn view(&self) -> PyResult<Judged<'_>> {
        let (requests, items) = (self.requests.view(), self.items.view());
        Judged::new(requests, items, &self.starts, &self.item, &self.slot, self.slots)
            .ok_or_else(|| PyValueError::new_err("the arrays of the judgements do not fit together"))
    }
}

/// `Options` of the interface, by the names of its fields.
#[derive(FromPyObject)]
struct PyOptions {
    depth: Option<usize>,
    judged_only: bool,
    ties: String,
    duplicates: String,
    on_bad_score: String,
    top: Option<usize>,
    pool: bool,
    memory: u64,
    jobs: usize,
    audit: bool,
}

impl PyOptions {
    fn engine(self) -> PyResult<Options> {
        let PyOptions { depth, judged_only, ties, duplicates, on_bad_score, top, pool, memory, jobs, audit } = self;
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
            ..Options::default()
        })
    }
}

fn choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let choice = choices.iter().find(|(known, _)| *known == name);
    choice.map(|&(_, value)| value).ok_or_else(|| PyValueError::new_err(format!("unknown choice {name:?}")))
}

/// Reports progress to Python and checks for Ctrl-C; keeps the exception that Python raised.
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
        tiebreak_engine::project::run_watched(
            &watch,
            total,
            |done, total| ticker.tick(done, total),
            || tiebreak_engine::read_judgements(&source, memory, &watch),
        )
    });
    judgements_result(py, rows, ticker)
}

fn judgements_result(py: Python<'_>, rows: Result<JudgedRows, Stop>, ticker: Ticker) -> PyResult<Object> {
    match rows {
        Err(stop) => failure_result(py, Failure { run: 0, stop }, ticker),
        Ok(rows) => {
            let fields = (
                id_column(py, rows.requests)?,
                id_column(py, rows.subtopics)?,
                id_column(py, rows.items)?,
                array(py, rows.request)?,
                array(py, rows.subtopic)?,
                array(py, rows.item)?,
                array(py, rows.grade)?,
                counts(py, &[&rows.tally])?,
            );
            success(py, fields)
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
    let projection = py.detach(|| project_runs(&sources, &judged, &options, |done, total| ticker.tick(done, total)));
    projection_result(py, projection, judged.slots, options.top.is_some(), ticker)
}

fn projection_result(
    py: Python<'_>,
    projection: Result<Projection, Failure>,
    slots: usize,
    with_top: bool,
    ticker: Ticker,
) -> PyResult<Object> {
    match projection {
        Err(failure) => failure_result(py, failure, ticker),
        Ok(projection) => success(py, projection_fields(py, projection, slots, with_top)?),
    }
}

/// Reading in the background; each result can be taken once.
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
        rows.map(|rows| judgements_result(py, rows, ticker)).transpose()
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
        let projection = py.detach(|| self.lock().projection(&judged, |done, total| ticker.tick(done, total)));
        projection.map(|projection| projection_result(py, projection, judged.slots, self.with_top, ticker)).transpose()
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
    let requests = runs.first().map_or(0, |run| run.listed.len());
    let by_request = |field: fn(&RunResult) -> &Vec<i32>| {
        table(py, runs.iter().flat_map(|run| field(run).iter().copied()).collect(), runs.len(), requests)
    };
    let scores = runs.iter().flat_map(|run| [run.scores.low, run.scores.high]).collect();
    let tallies: Vec<&Tally> = runs.iter().map(|run| &run.tally).collect();
    let top = with_top.then(|| runs.iter().map(|run| top_items(py, run)).collect::<PyResult<Vec<_>>>());
    Ok((
        table(py, ranks, runs.len(), slots)?,
        by_request(|run| &run.listed)?,
        by_request(|run| &run.retrieved)?,
        by_request(|run| &run.tied)?,
        table(py, scores, runs.len(), 2)?,
        counts(py, &tallies)?,
        top.transpose()?,
        pool.map(|sizes| array(py, sizes)).transpose()?,
    ))
}

type PyTop<'py> = (Bound<'py, PyAny>, PyIdColumn<'py>, Bound<'py, PyAny>);

fn top_items<'py>(py: Python<'py>, run: &RunResult) -> PyResult<PyTop<'py>> {
    let (mut starts, mut items, mut judgements) = (vec![0i64], IdColumn::default(), Vec::new());
    for top in &run.top {
        let ids = top.items.view();
        (0..ids.len()).for_each(|i| items.push(ids.get(i)));
        judgements.extend_from_slice(&top.judgement);
        starts.push(judgements.len() as i64);
    }
    Ok((array(py, starts)?, id_column(py, items)?, array(py, judgements)?))
}

/// Numbers as an array of NumPy's, which holds them from now on.
fn array<T: Number>(py: Python<'_>, numbers: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    static FROM_BUFFER: PyOnceLock<Object> = PyOnceLock::new();
    FROM_BUFFER.import(py, "numpy", "frombuffer")?.call1((Numbers::new(numbers), T::DTYPE))
}

fn table<T: Number>(py: Python<'_>, numbers: Vec<T>, rows: usize, columns: usize) -> PyResult<Bound<'_, PyAny>> {
    array(py, numbers)?.call_method1("reshape", (rows, columns))
}

type PyIdColumn<'py> = (Bound<'py, PyBytes>, Bound<'py, PyAny>);

fn id_column(py: Python<'_>, ids: IdColumn) -> PyResult<PyIdColumn<'_>> {
    Ok((PyBytes::new(py, &ids.buffer), array(py, ids.offsets)?))
}

/// Counts, first lines and examples, one row a file.
fn counts<'py>(py: Python<'py>, tallies: &[&Tally]) -> PyResult<Bound<'py, PyTuple>> {
    let by_counter = |field: fn(&Tally) -> [i64; COUNTERS]| {
        table(py, tallies.iter().flat_map(|tally| field(tally)).collect(), tallies.len(), COUNTERS)
    };
    let examples = tallies.iter().map(|tally| PyList::new(py, tally.example.iter().map(|text| PyBytes::new(py, text))));
    let examples = examples.collect::<PyResult<Vec<_>>>()?;
    (by_counter(|tally| tally.count)?, by_counter(|tally| tally.first_line)?, examples).into_pyobject(py)
}

/// What a kernel returns on success: (None, result).
fn success<'py>(
    py: Python<'py>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Object> {
    Ok((py.None(), fields.into_pyobject(py)?).into_pyobject(py)?.unbind().into_any())
}

/// What a kernel returns for a fault: (fault, None). An exception of Python is raised again.
fn failure_result(py: Python<'_>, failure: Failure, ticker: Ticker) -> PyResult<Object> {
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
    (kind.name(), file, line, number, request, item, text)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("INTERFACE", INTERFACE)?;
    module.add("FAULT_KINDS", FaultKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>())?;
    module.add_class::<ReadAhead>()?;
    module.add_function(wrap_pyfunction!(read_judgements, module)?)?;
    module.add_function(wrap_pyfunction!(frames::read_frame, module)?)?;
    module.add_function(wrap_pyfunction!(pair_signs::sum_pair_signs, module)?)?;
    module.add_function(wrap_pyfunction!(shuffles::largest_differences, module)?)?;
    module.add_function(wrap_pyfunction!(shuffles::shuffled_sums, module)?)?;
    module.add_function(wrap_pyfunction!(project, module)?)
}
