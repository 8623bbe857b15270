//! Amounts of memory: how they are written, and how much there is.

use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

/// More than any machine has: a slip of the pen rather than a limit.
const MAX_BYTES: u64 = 1 << 50;

/// Reads an amount like `4G`, `500M`, `1.5GiB` or plain bytes. Units are powers of 1024.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let malformed = || format!("'{text}' is no amount of memory; write for instance 4G, 1.5G, 500M or bytes");
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
        Err(format!("'{text}' is no memory at all; write for instance 4G"))
    } else {
        // At most 2^50: exact in both types.
        Ok(bytes as u64)
    }
}

/// The memory in bytes that this process can still take: what the system has available, within the limit of
/// its control group.
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
    (available > 0).then_some(available)
}

/// The most memory in bytes that this process had resident so far, where the system tells.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
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
            ("", "no amount"),
            ("G", "no amount"),
            (".", "no amount"),
            ("1.2.3G", "no amount"),
            ("-4G", "no amount"),
            ("+4G", "no amount"),
            ("4 G", "no amount"),
            ("4X", "no amount"),
            ("4Gé", "no amount"),
            ("1e9", "no amount"),
            ("inf", "no amount"),
            ("nan", "no amount"),
            ("0", "no memory at all"),
            ("0.0G", "no memory at all"),
            ("0.0001K", "no memory at all"),
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
    }
}
