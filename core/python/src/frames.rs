//! Frames through Arrow's PyCapsule interface: batches of columns in, the columns of a table out.
//!
//! No cell becomes a Python object. Ids may be text or integers, which become their decimal text; values any kind of
//! number; either may be encoded by a dictionary or by run ends.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use tiebreak_engine::Fault;
use tiebreak_engine::ids::{Codes, IdColumn, Seed};
use tiebreak_engine::number;

use crate::{Object, done, fault_fields, id_column};

/// Bytes that a row costs beside its item id.
const ROW_COST: u64 = 32;

/// The columns of a table, its ids coded in order of appearance but for the items.
struct Table {
    coded: Vec<(Codes, Vec<i32>)>,
    items: IdColumn,
    values: Vec<f64>,
    memory: u64,
}

/// The names of the columns.
struct Names {
    coded: Vec<String>,
    items: String,
    values: Option<String>,
}

enum Trouble {
    Fault(Fault),
    Arrow(ArrowError),
}

impl From<ArrowError> for Trouble {
    fn from(error: ArrowError) -> Self {
        Trouble::Arrow(error)
    }
}

/// Read the columns `coded`, `items` and `values` of anything that offers an Arrow stream; values are 1 where no column
/// holds them. Rows that take more than `memory` bytes are refused.
#[pyfunction]
#[pyo3(signature = (frame, coded, items, values, memory=None, /))]
pub fn read_frame(
    py: Python<'_>,
    frame: PyRecordBatchReader,
    coded: Vec<String>,
    items: String,
    values: Option<String>,
    memory: Option<u64>,
) -> PyResult<Object> {
    let reader = frame.into_reader()?;
    let mut table = Table {
        coded: coded.iter().map(|_| (Codes::new(Seed::random(), 0), Vec::new())).collect(),
        items: IdColumn::default(),
        values: Vec::new(),
        memory: memory.unwrap_or(u64::MAX),
    };
    let names = Names { coded, items, values };
    // Arrays whose buffers do not fit their type make the library that imports them panic.
    let read = py.detach(|| {
        catch_unwind(AssertUnwindSafe(|| reader.into_iter().try_for_each(|batch| table.add(&batch?, &names))))
    });
    let damaged = || Err(Trouble::Fault(Fault::file("damaged", b"")));
    match read.unwrap_or_else(|_| damaged()) {
        Err(Trouble::Arrow(error)) => Err(PyValueError::new_err(error.to_string())),
        Err(Trouble::Fault(fault)) => {
            Ok((fault_fields(py, fault, 0), py.None()).into_pyobject(py)?.unbind().into_any())
        }
        Ok(()) => {
            let coded: Vec<_> = table
                .coded
                .into_iter()
                .map(|(codes, of_row)| (id_column(py, codes.ids), of_row.into_pyarray(py)))
                .collect();
            done(py, (coded, id_column(py, table.items), table.values.into_pyarray(py)))
        }
    }
}

impl Table {
    /// Add the rows of a batch, or find the fault of its first faulty row.
    fn add(&mut self, batch: &RecordBatch, names: &Names) -> Result<(), Trouble> {
        let before = self.values.len();
        let ids = names.coded.iter().chain([&names.items]).map(|name| id_fault(batch, name, before));
        let values = names.values.iter().map(|name| value_fault(batch, name, before));
        let faults = ids.chain(values).collect::<Result<Vec<_>, _>>()?;
        let fault = faults.into_iter().flatten().min_by_key(|fault| fault.line);
        let sound = fault.as_ref().map_or(batch.num_rows(), |fault| fault.line as usize - before - 1);
        self.add_items(&found(batch, &names.items)?.slice(0, sound))?;
        if let Some(fault) = fault {
            return Err(Trouble::Fault(fault));
        }
        for ((codes, of_row), name) in self.coded.iter_mut().zip(&names.coded) {
            each_text(found(batch, name)?, &mut |id| of_row.push(codes.code(id) as i32));
        }
        match &names.values {
            Some(name) => self.values.extend(numbers(found(batch, name)?)),
            None => self.values.resize(before + batch.num_rows(), 1.0),
        }
        Ok(())
    }

    fn add_items(&mut self, column: &dyn Array) -> Result<(), Trouble> {
        let (memory, items) = (self.memory, &mut self.items);
        let mut too_much = None;
        each_text(column, &mut |id| {
            let rows = items.offsets.len() as u64;
            if ROW_COST * rows + (items.buffer.len() + id.len()) as u64 > memory {
                too_much.get_or_insert(rows);
            } else if too_much.is_none() {
                items.push(id);
            }
        });
        too_much.map_or(Ok(()), |row| Err(Trouble::Fault(Fault::line("memory", row, 0, b""))))
    }
}

fn found<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, Trouble> {
    let column = batch.column_by_name(name);
    Ok(column.ok_or_else(|| ArrowError::SchemaError(format!("there is no column {name:?}")))?)
}

/// A column whose buffers are what its type says.
fn sound<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, Trouble> {
    let column = found(batch, name)?;
    let damaged = |_| Trouble::Fault(Fault::file("damaged", name.as_bytes()));
    if !column.is_empty() {
        column.to_data().validate_full().and_then(|()| check_digits(column)).map_err(damaged)?;
    }
    Ok(column)
}

/// Decimals have no more digits than their type says.
fn check_digits(column: &dyn Array) -> Result<(), ArrowError> {
    macro_rules! check {
        ($kind:ty, $digits:expr, $scale:expr) => {
            column
                .as_primitive::<$kind>()
                .iter()
                .flatten()
                .try_for_each(|number| <$kind>::validate_decimal_precision(number, *$digits, *$scale))
        };
    }
    match column.data_type() {
        DataType::Decimal32(digits, scale) => check!(Decimal32Type, digits, scale),
        DataType::Decimal64(digits, scale) => check!(Decimal64Type, digits, scale),
        DataType::Decimal128(digits, scale) => check!(Decimal128Type, digits, scale),
        DataType::Decimal256(digits, scale) => check!(Decimal256Type, digits, scale),
        _ => decoded(column).map_or(Ok(()), |(values, _)| check_digits(&values)),
    }
}

/// The first row of a column of ids that has none, or has one of another kind.
fn id_fault(batch: &RecordBatch, name: &str, before: usize) -> Result<Option<Fault>, Trouble> {
    let column = sound(batch, name)?;
    let line = |row: usize| (before + row + 1) as u64;
    if let Some(row) = first(column, true) {
        return Ok(Some(match row {
            0 => Fault::line("null", line(0), 0, name.as_bytes()),
            _ if is_id(column.data_type()) => Fault::line("null", line(row), 0, name.as_bytes()),
            _ => unfit("id_type", name, column, line(0)),
        }));
    }
    let fits = column.is_empty() || is_id(column.data_type());
    Ok((!fits).then(|| unfit("id_type", name, column, line(0))))
}

/// The first row of a column of values that holds no number; where it holds nothing at all, the number is not known.
fn value_fault(batch: &RecordBatch, name: &str, before: usize) -> Result<Option<Fault>, Trouble> {
    let column = sound(batch, name)?;
    let fits = is_number(column.data_type());
    Ok(first(column, false).filter(|_| !fits).map(|row| unfit("value_type", name, column, (before + row + 1) as u64)))
}

/// The first row that is null, or is not.
fn first(column: &dyn Array, is_null: bool) -> Option<usize> {
    match column.logical_nulls() {
        Some(nulls) => (0..nulls.len()).find(|&row| nulls.is_null(row) == is_null),
        None => (!is_null && !column.is_empty()).then_some(0),
    }
}

fn unfit(kind: &'static str, name: &str, column: &dyn Array, line: u64) -> Fault {
    Fault::line(kind, line, 0, format!("{name}\t{}", family(column.data_type())).as_bytes())
}

/// What cells are called in messages.
fn family(kind: &DataType) -> &'static str {
    match kind {
        DataType::Dictionary(_, values) => family(values),
        DataType::RunEndEncoded(_, values) => family(values.data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        DataType::Boolean => "Booleans",
        DataType::Float16 | DataType::Float32 | DataType::Float64 => "floats",
        kind if kind.is_decimal() => "decimals",
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => "dates or times",
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => "dates or times",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => "bytes",
        DataType::Struct(_) => "records",
        kind if kind.is_nested() => "lists",
        _ => "other values",
    }
}

fn is_id(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_id(values),
        DataType::RunEndEncoded(_, values) => is_id(values.data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        kind => kind.is_integer(),
    }
}

fn is_number(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        kind => kind.is_numeric(),
    }
}

/// Call `push` with every cell of a column of ids as text.
fn each_text(column: &dyn Array, push: &mut dyn FnMut(&[u8])) {
    macro_rules! decimal_text {
        ($kind:ty) => {{
            let mut text = String::new();
            for number in column.as_primitive::<$kind>().values() {
                text.clear();
                write!(text, "{number}").expect("text can be written");
                push(text.as_bytes());
            }
        }};
    }
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().for_each(|id| push(id.unwrap_or_default().as_bytes())),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().for_each(|id| push(id.unwrap_or_default().as_bytes())),
        DataType::Utf8View => column.as_string_view().iter().for_each(|id| push(id.unwrap_or_default().as_bytes())),
        DataType::Int8 => decimal_text!(Int8Type),
        DataType::Int16 => decimal_text!(Int16Type),
        DataType::Int32 => decimal_text!(Int32Type),
        DataType::Int64 => decimal_text!(Int64Type),
        DataType::UInt8 => decimal_text!(UInt8Type),
        DataType::UInt16 => decimal_text!(UInt16Type),
        DataType::UInt32 => decimal_text!(UInt32Type),
        DataType::UInt64 => decimal_text!(UInt64Type),
        _ => {
            if let Some((values, places)) = decoded(column) {
                let mut words = IdColumn::default();
                each_text(&values, &mut |word| words.push(word));
                places.into_iter().for_each(|place| push(words.view().get(place)));
            }
        }
    }
}

/// A column of numbers, each as the float64 nearest to it; NaN for those not known, as for any other bad number.
fn numbers(column: &dyn Array) -> Vec<f64> {
    macro_rules! widened {
        ($kind:ty) => {
            column.as_primitive::<$kind>().values().iter().map(|&number| number as f64).collect()
        };
    }
    macro_rules! decimals {
        ($kind:ty, $scale:expr) => {
            column.as_primitive::<$kind>().values().iter().map(|number| decimal(number, *$scale)).collect()
        };
    }
    let mut values: Vec<f64> = match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => widened!(Float32Type),
        DataType::Float16 => column.as_primitive::<Float16Type>().values().iter().map(|&x| f64::from(x)).collect(),
        DataType::Int8 => widened!(Int8Type),
        DataType::Int16 => widened!(Int16Type),
        DataType::Int32 => widened!(Int32Type),
        DataType::Int64 => widened!(Int64Type),
        DataType::UInt8 => widened!(UInt8Type),
        DataType::UInt16 => widened!(UInt16Type),
        DataType::UInt32 => widened!(UInt32Type),
        DataType::UInt64 => widened!(UInt64Type),
        DataType::Decimal32(_, scale) => decimals!(Decimal32Type, scale),
        DataType::Decimal64(_, scale) => decimals!(Decimal64Type, scale),
        DataType::Decimal128(_, scale) => decimals!(Decimal128Type, scale),
        DataType::Decimal256(_, scale) => decimals!(Decimal256Type, scale),
        _ => match decoded(column) {
            Some((words, places)) => {
                let words = numbers(&words);
                places.into_iter().map(|place| words[place]).collect()
            }
            None => vec![f64::NAN; column.len()],
        },
    };
    if let Some(nulls) = column.logical_nulls() {
        (0..nulls.len()).filter(|&row| nulls.is_null(row)).for_each(|row| values[row] = f64::NAN);
    }
    values
}

/// The float64 nearest to `digits` with so many of them behind the point.
fn decimal(digits: impl std::fmt::Display, scale: i8) -> f64 {
    number::parse(format!("{digits}e{}", -i32::from(scale)).as_bytes()).expect("a decimal is a number")
}

/// The values of a column that is encoded by a dictionary or by run ends, and which of them each row has; `None` where
/// it is not, or has no value at all.
fn decoded(column: &dyn Array) -> Option<(ArrayRef, Vec<usize>)> {
    macro_rules! run_ends {
        ($kind:ty) => {
            column.as_run_opt::<$kind>().map(|runs| {
                let places = (0..runs.len()).map(|row| runs.get_physical_index(row)).collect();
                (runs.values().clone(), places)
            })
        };
    }
    if let Some(dictionary) = column.as_any_dictionary_opt() {
        let values = dictionary.values().clone();
        return (!values.is_empty()).then(|| (values, dictionary.normalized_keys()));
    }
    run_ends!(Int16Type).or_else(|| run_ends!(Int32Type)).or_else(|| run_ends!(Int64Type))
}
