//! The fence around every call, and the pointers that come through it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Status;
use super::error::CallError;
use super::text::TextBuffer;

/// Makes a call. A panic becomes an error; the sentence of an error goes to `details`, which are empty
/// otherwise.
pub(super) fn call(details: TextBuffer, body: impl FnOnce() -> Result<(), CallError>) -> Status {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => {
            details.write("");
            return Status::Ok;
        }
        Ok(Err(error)) => error,
        Err(_) => CallError::Panic,
    };
    details.write(&error.to_string());
    error.status()
}

/// What `pointer` points to, which `name` is the name of.
///
/// # Safety
/// `pointer` is null, or what it points to stays as it is for `'a`.
pub(super) unsafe fn read<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T, CallError> {
    // SAFETY: by contract.
    unsafe { pointer.as_ref() }.ok_or(CallError::Null(name))
}

/// A place of the caller for an answer.
pub(super) struct Answer<T>(*mut T);

impl<T> Answer<T> {
    /// The place at `pointer`, which `name` is the name of.
    ///
    /// # Safety
    /// `pointer` is null, or a `T` can be written there while the answer is in use.
    pub(super) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Answer<T>, CallError> {
        if pointer.is_null() { Err(CallError::Null(name)) } else { Ok(Answer(pointer)) }
    }

    /// Writes the answer. What was there is not read: it may be uninitialised.
    pub(super) fn write(&self, value: T) {
        // SAFETY: not null, and by contract it can be written.
        unsafe { self.0.write(value) }
    }
}

/// Room of the caller for several answers.
pub(super) struct Answers<T> {
    data: *mut T,
    capacity: usize,
    name: &'static str,
}

impl<T> Answers<T> {
    /// Room for `capacity` answers at `data`, which `name` is the name of. It may be null when `capacity` is
    /// 0.
    ///
    /// # Safety
    /// `data` is null, or `capacity` values can be written there while the answers are in use.
    pub(super) unsafe fn new(
        data: *mut T,
        capacity: usize,
        name: &'static str,
    ) -> Result<Answers<T>, CallError> {
        if data.is_null() && capacity > 0 {
            return Err(CallError::Null(name));
        }
        Ok(Answers { data, capacity, name })
    }

    /// Writes as many `values` as there is room for; that there are more is an error.
    pub(super) fn write(&self, values: impl ExactSizeIterator<Item = T>) -> Result<(), CallError> {
        let needed = values.len();
        for (index, value) in values.take(self.capacity).enumerate() {
            // SAFETY: `index` is below `capacity`, and by contract so many values can be written.
            unsafe { self.data.add(index).write(value) }
        }
        if needed > self.capacity {
            return Err(CallError::BufferTooSmall { buffer: self.name, capacity: self.capacity, needed });
        }
        Ok(())
    }
}
