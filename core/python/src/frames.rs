//! Data frames through Arrow's PyCapsule interface: batches of columns in, the columns of a table out.
//!
//! No cell becomes a Python object. Ids may be text or integers, which become their decimal text; values any kind of
//! number; either may be encoded by a dictionary or by run ends.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tiebreak_engine::ids::{Codes, IdColumn, Seed};
use tiebreak_engine::{Fault, FaultKind};

use crate::arrow::{Column, Type};
use crate::memory::{Array, Stream};
use crate::{Object, array, fault_fields, id_column, success};

/// Bytes that a row costs beside its item id.
const ROW_COST: u64 = 32;

/// The columns of a table, its ids coded in order of appearance but for the items.
struct Table {
    coded: Vec<(Codes, Vec<i32>)>,
    items: IdColumn,
    values: Vec<f64>,
    memory: u64,
}

/// The column of a frame that holds something.
struct Field {
    name: String,
    child: usize,
    kind: Type,
}

/// The columns that are read.
struct Fields {
    coded: Vec<Field>,
    items: Field,
    values: Option<Field>,
}

enum Trouble {
    Fault(Fault),
    /// What the producer reports, or a type that is not known here.
    Stream(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Trouble::Stream(message)
    }
}

fn damage(name: &str) -> Trouble {
    Trouble::Fault(Fault::file(FaultKind::Damaged, name.as_bytes()))
}

/// Read the columns `coded`, `items` and `values` of anything that offers an Arrow stream; values are 1 where no column
/// holds them. Rows that take more than `memory` bytes are refused.
#[pyfunction]
#[pyo3(signature = (frame, coded, items, values, memory=None, /))]
pub fn read_frame<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
    coded: Vec<String>,
    items: String,
    values: Option<String>,
    memory: Option<u64>,
) -> PyResult<Object> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let mut stream = Stream::take(&capsule)?;
    match py.detach(|| read(&mut stream, coded, items, values, memory.unwrap_or(u64::MAX))) {
        Err(Trouble::Stream(message)) => Err(PyValueError::new_err(message)),
        Err(Trouble::Fault(fault)) => {
            Ok((fault_fields(py, fault, 0), py.None()).into_pyobject(py)?.unbind().into_any())
        }
        Ok(table) => {
            let column = |(codes, rows): (Codes, _)| Ok((id_column(py, codes.ids)?, array(py, rows)?));
            let coded = table.coded.into_iter().map(column).collect::<PyResult<Vec<_>>>()?;
            success(py, (coded, id_column(py, table.items)?, array(py, table.values)?))
        }
    }
}

fn read(
    stream: &mut Stream,
    coded: Vec<String>,
    items: String,
    values: Option<String>,
    memory: u64,
) -> Result<Table, Trouble> {
    let schema = stream.schema()?;
    let field = |name: String| {
        let named = schema
            .children()
            .enumerate()
            .find_map(|(k, child)| Some((k, child?)).filter(|(_, child)| child.name() == name.as_bytes()));
        let (child, schema) = named.ok_or_else(|| format!("there is no column {name:?}"))?;
        Ok::<_, String>(Field { name, child, kind: Type::new(schema)? })
    };
    let fields = Fields {
        coded: coded.into_iter().map(field).collect::<Result<_, _>>()?,
        items: field(items)?,
        values: values.map(field).transpose()?,
    };
    let mut table = Table {
        coded: fields.coded.iter().map(|_| (Codes::new(Seed::random()), Vec::new())).collect(),
        items: IdColumn::default(),
        values: Vec::new(),
        memory,
    };
    while let Some(batch) = stream.next()? {
        table.add(&batch, &fields)?;
    }
    Ok(table)
}

/// The rows of one column of a batch, which is a struct array.
fn column<'a>(batch: &'a Array, field: &'a Field) -> Result<Column<'a>, Trouble> {
    let range = usize::try_from(batch.offset).ok().zip(usize::try_from(batch.length).ok());
    let (first, length) = range.filter(|_| batch.null_count <= 0).ok_or_else(|| damage(""))?;
    let array = batch.child(field.child).ok_or_else(|| damage(""))?;
    Column::new(&field.kind, array, first, length).ok_or_else(|| damage(&field.name))
}

impl Table {
    /// Add the rows of a batch, or return the fault of its first faulty row.
    fn add(&mut self, batch: &Array, fields: &Fields) -> Result<(), Trouble> {
        let before = self.values.len();
        let coded = fields.coded.iter().map(|field| column(batch, field)).collect::<Result<Vec<_>, _>>()?;
        let items = column(batch, &fields.items)?;
        let values = fields.values.as_ref().map(|field| column(batch, field)).transpose()?;
        let ids = fields.coded.iter().zip(&coded).chain([(&fields.items, &items)]);
        let faults = ids.map(|(field, ids)| id_fault(ids, &field.name, before));
        let value_faults =
            fields.values.iter().zip(&values).map(|(field, values)| value_fault(values, &field.name, before));
        let fault = faults.chain(value_faults).flatten().min_by_key(|fault| fault.line);
        let rows = fault.as_ref().map_or(items.length, |fault| fault.line as usize - before - 1);
        self.add_items(&items, rows)?;
        if let Some(fault) = fault {
            return Err(Trouble::Fault(fault));
        }
        for ((codes, codes_of_rows), ids) in self.coded.iter_mut().zip(&coded) {
            ids.each_text(rows, &mut |id| codes_of_rows.push(codes.code(id) as i32));
        }
        match values {
            Some(values) => self.values.extend(values.numbers()),
            None => self.values.resize(before + rows, 1.0),
        }
        Ok(())
    }

    fn add_items(&mut self, column: &Column, rows: usize) -> Result<(), Trouble> {
        let (memory, items) = (self.memory, &mut self.items);
        let mut first_refused = None;
        column.each_text(rows, &mut |id| {
            let row = items.offsets.len() as u64;
            if ROW_COST * row + (items.buffer.len() + id.len()) as u64 > memory {
                first_refused.get_or_insert(row);
            } else if first_refused.is_none() {
                items.push(id);
            }
        });
        first_refused.map_or(Ok(()), |row| Err(Trouble::Fault(Fault::line(FaultKind::Memory, row, 0, b""))))
    }
}

/// The first row of a column of ids that has none, or has one of another kind.
fn id_fault(column: &Column, name: &str, before: usize) -> Option<Fault> {
    let line = |row: usize| (before + row + 1) as u64;
    match column.first(true) {
        Some(row) if row == 0 || column.kind.is_id() => {
            Some(Fault::line(FaultKind::Null, line(row), 0, name.as_bytes()))
        }
        _ if column.length == 0 || column.kind.is_id() => None,
        _ => Some(type_fault(FaultKind::IdType, name, column, line(0))),
    }
}

/// The first row of a column of values that holds no number; where it holds nothing at all, the number is not known.
fn value_fault(column: &Column, name: &str, before: usize) -> Option<Fault> {
    let row = column.first(false).filter(|_| !column.kind.is_number())?;
    Some(type_fault(FaultKind::ValueType, name, column, (before + row + 1) as u64))
}

fn type_fault(kind: FaultKind, name: &str, column: &Column, line: u64) -> Fault {
    Fault::line(kind, line, 0, format!("{name}\t{}", column.kind.family()).as_bytes())
}
