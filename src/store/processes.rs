//! Identifies processes, to find runs whose process has died.

/// Returns the identity of this process.
pub(super) fn current() -> String {
    // Empty where processes cannot be inspected; then none is considered alive.
    identity(std::process::id()).unwrap_or_default()
}

/// Returns whether a process with this identity is running.
pub(super) fn is_alive(process: &str) -> bool {
    let pid = process.split(' ').next().and_then(|pid| pid.parse().ok());
    pid.and_then(identity).is_some_and(|identity| identity == process)
}

/// Returns the pid, start time and boot id: a pid alone is reused.
#[cfg(target_os = "linux")]
fn identity(pid: u32) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may itself contain parentheses and spaces.
    let mut fields = stat.rsplit(')').next()?.split_ascii_whitespace();
    let state = fields.next()?;
    let start = fields.nth(18)?;
    let is_dead = matches!(state, "Z" | "X");
    (!is_dead).then(|| format!("{pid} {start} {}", boot.trim()))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn identity(pid: u32) -> Option<String> {
    let number = rustix::process::Pid::from_raw(pid.try_into().ok()?)?;
    let exists = match rustix::process::test_kill_process(number) {
        Ok(()) | Err(rustix::io::Errno::PERM) => true,
        Err(_) => false,
    };
    exists.then(|| pid.to_string())
}

#[cfg(not(unix))]
fn identity(pid: u32) -> Option<String> {
    (pid == std::process::id()).then(|| pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_with_the_same_pid_is_not_alive() {
        assert!(is_alive(&current()));
        assert!(!is_alive(""));
        assert!(!is_alive("4294967295 1 x"));
        #[cfg(target_os = "linux")]
        assert!(!is_alive(&format!("{} 1 x", std::process::id())));
    }
}
