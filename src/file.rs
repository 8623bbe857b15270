//! Opening files by name. A name may stand for anything: a pipe without a writer, an endless device, a file
//! of a hundred gigabytes. Only regular files are read, and those that are read whole only up to a limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Why a file is not read.
#[derive(Debug)]
pub(crate) enum FileError {
    /// It is a folder, a pipe, a socket or a device.
    NotRegular,
    /// It has more bytes than may be read.
    TooLong { limit: u64 },
    /// The system says no.
    Io(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Io(error)
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// [`FileError::NotRegular`] and [`FileError::Io`].
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), FileError> {
    // A device is not even opened: that alone can have effects.
    if !std::fs::metadata(path)?.is_file() {
        return Err(FileError::NotRegular);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    // The name may lead to a pipe by now. To open one must not wait for its writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(FileError::NotRegular) }
}

/// The bytes of a regular file that has at most `limit` of them.
///
/// # Errors
/// [`FileError`].
pub(crate) fn read_whole(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, metadata) = open_regular(path)?;
    if metadata.len() > limit {
        return Err(FileError::TooLong { limit });
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(FileError::TooLong { limit }) } else { Ok(bytes) }
}

/// Fills `into` with the bytes of `file` from `offset` on, wherever its cursor stands.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] when the file ends before.
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match read_at(file, &mut into[done..], offset + done as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, offset)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, b"0123456789").unwrap();
        assert_eq!(read_whole(&path, 10).unwrap(), b"0123456789");
        assert!(matches!(read_whole(&path, 9), Err(FileError::TooLong { limit: 9 })));
        assert!(matches!(read_whole(dir.path(), 10), Err(FileError::NotRegular)));
        assert!(matches!(read_whole(&dir.path().join("none"), 10), Err(FileError::Io(_))));
        let sparse = File::create(dir.path().join("sparse")).unwrap();
        sparse.set_len(100 << 30).unwrap();
        let too_long = read_whole(&dir.path().join("sparse"), 1 << 20);
        assert!(matches!(too_long, Err(FileError::TooLong { .. })));
        let mut bytes = [0; 4];
        let (file, _) = open_regular(&path).unwrap();
        read_exact_at(&file, &mut bytes, 3).unwrap();
        assert_eq!(&bytes, b"3456");
        let error = read_exact_at(&file, &mut bytes, 7).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        for path in [&pipe, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(matches!(read_whole(path, 1 << 20), Err(FileError::NotRegular)), "{}", path.display());
        }
    }
}
