//! Amounts of memory: how they are written, and how much there is.

use std::fs;

use indicatif::BinaryBytes;
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

use super::failure::Failure;

/// More than any machine has: surely a mistake.
const MAX_BYTES: u64 = 1 << 50;

/// An amount that is at least as large, in the form that [`parse_bytes`] reads.
pub fn as_option(bytes: u64) -> String {
    let (unit, name) = if bytes >= 10 << 30 { (1 << 30, "G") } else { (1 << 20, "M") };
    format!("{}{name}", bytes.div_ceil(unit))
}

/// Reads an amount like `4G`, `500M`, `1.5GiB` or plain bytes. Units are powers of 1024.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let malformed =
        || format!("'{text}' is not an amount of memory; write for instance 4G, 1.5G, 500M or bytes");
    let too_large = || format!("'{text}' is more memory than any machine has");
    let digits_end =
        text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits_end);
    let unit: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(malformed()),
    };
    let number: f64 = number.parse().map_err(|_| malformed())?;
    let bytes = number * unit as f64;
    if bytes > MAX_BYTES as f64 {
        Err(too_large())
    } else if bytes < 1.0 {
        Err(format!("'{text}' is less than one byte; write for instance 4G"))
    } else {
        // At most 2^50: exact in both types.
        Ok(bytes as u64)
    }
}

/// The memory in bytes that this process can still take: what the system has available, within the limits of
/// its control group and of its address space (`ulimit -v`). `None` where the system does not tell.
pub fn available() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let limits = sysinfo::get_current_pid().ok().and_then(|pid| {
        let this = [pid];
        let (only_this, nothing) = (ProcessesToUpdate::Some(&this), ProcessRefreshKind::nothing());
        system.refresh_processes_specifics(only_this, false, nothing);
        system.process(pid)?.cgroup_limits()
    });
    // Resident memory, not all that is charged: the cache of the files just written gives way.
    let within_limit = limits
        .or_else(|| system.cgroup_limits())
        .map(|limits| limits.total_memory.saturating_sub(limits.rss));
    let available = system.available_memory().min(within_limit.unwrap_or(u64::MAX));
    let available = (available > 0).then_some(available);
    [available, address_space()].into_iter().flatten().min()
}

/// What is left of the address space, if it is limited.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(status("VmSize:")?))
}

/// A default amount: `wish`, or a quarter of what is available if that is less, so that the rest of the
/// program has room, too. At least 1 MiB.
pub fn default(wish: u64) -> u64 {
    available().map_or(wish, |available| wish.min(available / 4)).max(1 << 20)
}

/// The amount given with `option`, or else the [`default`] for `wish`.
///
/// # Errors
/// [`Failure`] if the amount is more than there is: the system might hand it out all the same, and then end
/// the process without a message when it is used.
pub fn given_or_default(option: &str, given: Option<u64>, wish: u64) -> Result<u64, Failure> {
    match (given, available()) {
        (Some(given), Some(available)) if given > available => Err(Failure::Failed(format!(
            "{option} asks for {} of memory, but only {} are available; give less",
            BinaryBytes(given),
            BinaryBytes(available)
        ))),
        (Some(given), _) => Ok(given),
        (None, _) => Ok(default(wish)),
    }
}

/// The most memory in bytes that this process had resident so far, where the system tells.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// An amount in bytes that the system reports about this process.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read() {
        for (text, bytes) in [
            ("1", 1),
            ("123456789", 123_456_789),
            ("1K", 1024),
            ("500M", 500 << 20),
            ("4G", 4 << 30),
            ("4g", 4 << 30),
            ("4GiB", 4 << 30),
            ("1.5G", 3 << 29),
            (".5k", 512),
            ("1024T", 1 << 50),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_in_one_sentence() {
        for (text, part) in [
            ("", "not an amount"),
            ("G", "not an amount"),
            (".", "not an amount"),
            ("1.2.3G", "not an amount"),
            ("-4G", "not an amount"),
            ("+4G", "not an amount"),
            ("4 G", "not an amount"),
            ("4X", "not an amount"),
            ("4Gé", "not an amount"),
            ("1e9", "not an amount"),
            ("inf", "not an amount"),
            ("nan", "not an amount"),
            ("0", "less than one byte"),
            ("0.0G", "less than one byte"),
            ("0.0001K", "less than one byte"),
            ("1025T", "more memory"),
            ("99999999999999999999999999999999G", "more memory"),
        ] {
            let message = parse_bytes(text).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
        assert!(parse_bytes(&"9".repeat(400)).unwrap_err().contains("more memory"));
    }

    #[test]
    fn some_memory_is_available() {
        assert!(available().is_none_or(|bytes| bytes > 0));
        assert_eq!(default(1), 1 << 20);
        assert!(default(u64::MAX) <= available().unwrap_or(u64::MAX).max(1 << 20));
        assert_eq!(given_or_default("--hash", Some(5), 1).ok(), Some(5));
        if available().is_some() {
            let failure = given_or_default("--hash", Some(1 << 60), 1).unwrap_err();
            assert!(format!("{failure:?}").contains("--hash asks for"), "{failure:?}");
        }
    }
}
