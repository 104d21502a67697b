//! Memory that is shared with Python and with producers of Arrow data: all unsafe code of this crate.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Deref;
use std::{mem, ptr, slice};

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A one-dimensional array of Python's, read in place.
pub struct Slice<T: Element>(PyBuffer<T>);

impl<T: Element> FromPyObject<'_, '_> for Slice<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::get(&object).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        let is_foreign = b"<>!".contains(&buffer.format().to_bytes().first().copied().unwrap_or_default());
        if buffer.dimensions() != 1 || !buffer.is_c_contiguous() || is_foreign {
            let expected = "a contiguous array of one dimension in native byte order is needed";
            return Err(PyTypeError::new_err(expected));
        }
        Ok(Slice(buffer))
    }
}

impl<T: Element> Deref for Slice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.0.item_count() {
            0 => &[],
            // SAFETY: `PyBuffer::get` checked the type and the alignment and holds the memory, `extract` checked that
            // all items are adjacent. The package does not write to an array that it hands to a kernel.
            count => unsafe { slice::from_raw_parts(self.0.buf_ptr().cast(), count) },
        }
    }
}

/// A vector that Python reads and writes in place, through the buffer protocol.
#[pyclass]
pub struct Numbers(Box<dyn Bytes>);

/// What arrays hold, and what NumPy calls it.
pub trait Number: Element + Send + Sync + 'static {
    const DTYPE: &'static str;
}

impl Number for i32 {
    const DTYPE: &'static str = "i4";
}

impl Number for i64 {
    const DTYPE: &'static str = "i8";
}

impl Number for f64 {
    const DTYPE: &'static str = "f8";
}

trait Bytes: Send + Sync {
    fn bytes(&mut self) -> (*mut c_void, usize);
}

impl<T: Number> Bytes for Vec<T> {
    fn bytes(&mut self) -> (*mut c_void, usize) {
        (self.as_mut_ptr().cast(), size_of_val(self.as_slice()))
    }
}

impl Numbers {
    pub fn new<T: Number>(numbers: Vec<T>) -> Self {
        Numbers(Box::new(numbers))
    }
}

#[pymethods]
impl Numbers {
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (start, size) = slf.try_borrow_mut()?.0.bytes();
        // SAFETY: Python passes a view to be filled in. It then holds a reference to this object, whose vector neither
        // moves nor changes its length: nothing else looks at it. Any bytes are valid numbers.
        match unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, size as ffi::Py_ssize_t, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// `struct ArrowSchema` of Arrow's C data interface.
#[repr(C)]
pub struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

impl Schema {
    pub fn format(&self) -> &[u8] {
        text(&self.format)
    }

    pub fn name(&self) -> &[u8] {
        text(&self.name)
    }

    pub fn children(&self) -> impl Iterator<Item = Option<&Schema>> {
        (0..self.n_children).map(|k| child(&self.children, self.n_children, k))
    }

    pub fn dictionary(&self) -> Option<&Schema> {
        // SAFETY: null, or valid until this schema is released.
        unsafe { self.dictionary.as_ref() }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it was not released yet, and its own callback does so. Children are only ever borrowed.
            unsafe { release(self) }
        }
    }
}

/// `struct ArrowArray` of Arrow's C data interface.
#[repr(C)]
pub struct Array {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const Array,
    dictionary: *const Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

impl Array {
    pub fn child(&self, k: usize) -> Option<&Array> {
        child(&self.children, self.n_children, k as i64)
    }

    pub fn dictionary(&self) -> Option<&Array> {
        // SAFETY: null, or valid until this array is released.
        unsafe { self.dictionary.as_ref() }
    }

    /// Whether there is a buffer of this number.
    pub fn has_buffer(&self, k: usize) -> bool {
        // SAFETY: `buffers` is null or points to `n_buffers` pointers.
        (k as i64) < self.n_buffers && !self.buffers.is_null() && unsafe { !(*self.buffers.add(k)).is_null() }
    }

    /// The first `size` bytes of a buffer; `None` where it is missing. The interface does not say how long a buffer is:
    /// ask for no more than the array's type, length and offset promise.
    pub fn bytes(&self, k: usize, size: usize) -> Option<&[u8]> {
        match size {
            0 => Some(&[]),
            // SAFETY: the buffer is there; the producer promises its size, and that it lasts until the array is
            // released and is not written to until then. Bytes need no alignment.
            _ if self.has_buffer(k) && isize::try_from(size).is_ok() => unsafe {
                Some(slice::from_raw_parts(*self.buffers.add(k), size))
            },
            _ => None,
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for a schema.
            unsafe { release(self) }
        }
    }
}

/// `struct ArrowArrayStream` of Arrow's C stream interface.
#[repr(C)]
pub struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

// SAFETY: a stream may be used by any thread, by one at a time; it cannot be shared, because every call takes `&mut`.
unsafe impl Send for Stream {}

impl Stream {
    /// The stream in a capsule, which is empty afterwards.
    pub fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let place = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<Stream>();
        // SAFETY: zeros are a struct without callbacks.
        let nothing: Stream = unsafe { mem::zeroed() };
        // SAFETY: a capsule of this name holds such a struct, which a consumer moves out; a struct without a release
        // callback is one that was moved.
        let stream = unsafe { place.replace(nothing) };
        match stream.release {
            Some(_) => Ok(stream),
            None => Err(PyValueError::new_err("the Arrow stream was read before")),
        }
    }

    pub fn schema(&mut self) -> Result<Schema, String> {
        // SAFETY: zeros are numbers, null pointers and no callback.
        let mut schema: Schema = unsafe { mem::zeroed() };
        let get = self.get_schema.ok_or("the Arrow stream has no schema")?;
        // SAFETY: the stream is not released, and the callback fills in the schema unless it returns an error.
        match unsafe { get(self, &mut schema) } {
            0 => Ok(schema),
            code => Err(self.last_error(code)),
        }
    }

    /// The next array; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Array>, String> {
        // SAFETY: as for the schema.
        let mut array: Array = unsafe { mem::zeroed() };
        let get = self.get_next.ok_or("the Arrow stream has no arrays")?;
        // SAFETY: as for the schema. An array without a release callback is the end.
        match unsafe { get(self, &mut array) } {
            0 => Ok(array.release.is_some().then_some(array)),
            code => Err(self.last_error(code)),
        }
    }

    fn last_error(&mut self, code: c_int) -> String {
        // SAFETY: the call before this one failed, so the callback may be asked; its answer is null or a C string.
        let message = self.get_last_error.map_or(ptr::null(), |get| unsafe { get(self) });
        match text(&message) {
            b"" => format!("the Arrow stream failed with error {code}"),
            message => String::from_utf8_lossy(message).into_owned(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for a schema.
            unsafe { release(self) }
        }
    }
}

/// The bytes of a C string, none where it is null.
fn text(pointer: &*const c_char) -> &[u8] {
    if pointer.is_null() {
        return b"";
    }
    // SAFETY: the interface promises a string that ends with a zero byte and lives as long as the struct that has it.
    unsafe { CStr::from_ptr(*pointer) }.to_bytes()
}

/// One of `count` children of a schema or an array.
fn child<T>(children: &*const *const T, count: i64, k: i64) -> Option<&T> {
    if children.is_null() || !(0..count).contains(&k) {
        return None;
    }
    // SAFETY: there are `count` pointers, each null or valid until the parent, which is borrowed, is released.
    unsafe { (*children.add(k as usize)).as_ref() }
}
