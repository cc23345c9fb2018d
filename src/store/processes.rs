//! Whether a process that began a run is still there.

/// A process, so that no other is taken for it.
pub fn ourselves() -> String {
    // Where even we cannot be seen, nobody can.
    told(std::process::id()).unwrap_or_default()
}

/// Whether it is still there.
pub fn is_alive(process: &str) -> bool {
    let pid = process.split(' ').next().and_then(|pid| pid.parse().ok());
    pid.and_then(told).is_some_and(|told| told == process)
}

/// A number comes back; that of a start since a boot does not.
#[cfg(target_os = "linux")]
fn told(pid: u32) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let told = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything.
    let mut fields = told.rsplit(')').next()?.split_ascii_whitespace();
    let state = fields.next()?;
    let start = fields.nth(18)?;
    let is_dead = matches!(state, "Z" | "X");
    (!is_dead).then(|| format!("{pid} {start} {}", boot.trim()))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn told(pid: u32) -> Option<String> {
    let number = rustix::process::Pid::from_raw(pid.try_into().ok()?)?;
    let is_there = match rustix::process::test_kill_process(number) {
        Ok(()) | Err(rustix::io::Errno::PERM) => true,
        Err(_) => false,
    };
    is_there.then(|| pid.to_string())
}

#[cfg(not(unix))]
fn told(pid: u32) -> Option<String> {
    (pid == std::process::id()).then(|| pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_are_there_and_others_of_our_number_are_not() {
        assert!(is_alive(&ourselves()));
        assert!(!is_alive(""));
        assert!(!is_alive("4294967295 1 x"));
        #[cfg(target_os = "linux")]
        assert!(!is_alive(&format!("{} 1 x", std::process::id())));
    }
}
