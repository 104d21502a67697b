//! Frames through Arrow's PyCapsule interface: batches of columns in, the columns of a table out.
//!
//! No cell becomes a Python object. Ids may be text, dictionaries of text, or integers, which become their decimal text.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use tiebreak_engine::Fault;
use tiebreak_engine::ids::{Codes, IdColumn, Seed};

use crate::{Object, done, fault_fields, id_column};

/// The columns of a table, its ids coded in order of appearance but for the items.
struct Table {
    coded: Vec<(Codes, Vec<i32>)>,
    items: IdColumn,
    values: Vec<f64>,
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
/// holds them.
#[pyfunction]
#[pyo3(signature = (frame, coded, items, values, /))]
pub fn read_frame(
    py: Python<'_>,
    frame: PyRecordBatchReader,
    coded: Vec<String>,
    items: &str,
    values: Option<String>,
) -> PyResult<Object> {
    let reader = frame.into_reader()?;
    let mut table = Table {
        coded: coded.iter().map(|_| (Codes::new(Seed::random(), 0), Vec::new())).collect(),
        items: IdColumn::default(),
        values: Vec::new(),
    };
    let read =
        py.detach(|| reader.into_iter().try_for_each(|batch| table.add(&batch?, &coded, items, values.as_deref())));
    match read {
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
    fn add(&mut self, batch: &RecordBatch, coded: &[String], items: &str, values: Option<&str>) -> Result<(), Trouble> {
        let before = self.values.len();
        for ((codes, of_row), name) in self.coded.iter_mut().zip(coded) {
            each_id(batch, name, before, |id| of_row.push(codes.code(id) as i32))?;
        }
        each_id(batch, items, before, |id| self.items.push(id))?;
        match values {
            Some(name) => add_numbers(batch, name, before, &mut self.values),
            None => {
                self.values.resize(before + batch.num_rows(), 1.0);
                Ok(())
            }
        }
    }
}

/// Call `push` with every id of a column.
fn each_id(batch: &RecordBatch, name: &str, before: usize, mut push: impl FnMut(&[u8])) -> Result<(), Trouble> {
    let column = known(batch, name, before)?;
    if each_text(column, &mut push) { Ok(()) } else { Err(unfit("id_type", name, column)) }
}

/// Call `push` with every cell as text; false where cells are neither text nor integers.
fn each_text(column: &dyn Array, push: &mut dyn FnMut(&[u8])) -> bool {
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
        DataType::Dictionary(..) => {
            let (dictionary, mut words) = (column.as_any_dictionary(), IdColumn::default());
            if !each_text(dictionary.values(), &mut |word: &[u8]| words.push(word)) {
                return false;
            }
            dictionary.normalized_keys().into_iter().for_each(|key| push(words.view().get(key)));
        }
        _ => return false,
    }
    true
}

/// Add a column of numbers as float64.
fn add_numbers(batch: &RecordBatch, name: &str, before: usize, into: &mut Vec<f64>) -> Result<(), Trouble> {
    macro_rules! widened {
        ($column:expr, $kind:ty) => {
            into.extend($column.as_primitive::<$kind>().values().iter().map(|&number| number as f64))
        };
    }
    let column = found(batch, name)?;
    match column.data_type() {
        DataType::Null => into.resize(before + batch.num_rows(), f64::NAN),
        DataType::Float64 => into.extend_from_slice(column.as_primitive::<Float64Type>().values()),
        DataType::Float32 => widened!(column, Float32Type),
        DataType::Int8 => widened!(column, Int8Type),
        DataType::Int16 => widened!(column, Int16Type),
        DataType::Int32 => widened!(column, Int32Type),
        DataType::Int64 => widened!(column, Int64Type),
        DataType::UInt8 => widened!(column, UInt8Type),
        DataType::UInt16 => widened!(column, UInt16Type),
        DataType::UInt32 => widened!(column, UInt32Type),
        DataType::UInt64 => widened!(column, UInt64Type),
        DataType::Float16 => into.extend(column.as_primitive::<Float16Type>().values().iter().map(|&x| f64::from(x))),
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            into.extend(column.as_primitive::<Decimal128Type>().values().iter().map(|&x| x as f64 / unit));
        }
        _ => return Err(unfit("value_type", name, column)),
    }
    // No number is a bad number: whoever reads it says what is done with these.
    if let Some(nulls) = column.logical_nulls() {
        (0..nulls.len()).filter(|&row| nulls.is_null(row)).for_each(|row| into[before + row] = f64::NAN);
    }
    Ok(())
}

fn found<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, Trouble> {
    let column = batch.column_by_name(name);
    Ok(column.ok_or_else(|| ArrowError::SchemaError(format!("there is no column {name:?}")))?)
}

/// A column without nulls.
fn known<'a>(batch: &'a RecordBatch, name: &str, before: usize) -> Result<&'a ArrayRef, Trouble> {
    let column = found(batch, name)?;
    let nulls = column.logical_nulls();
    if let Some(row) = nulls.and_then(|nulls| (0..nulls.len()).find(|&row| nulls.is_null(row))) {
        return Err(Trouble::Fault(Fault::line("null", (before + row + 1) as u64, 0, name.as_bytes())));
    }
    Ok(column)
}

fn unfit(kind: &'static str, name: &str, column: &ArrayRef) -> Trouble {
    let text = format!("{name}\t{}", column.data_type());
    Trouble::Fault(Fault::file(kind, text.as_bytes()))
}
