//! Refusal of dynamic programmes whose table would not fit into memory, before it is allocated.

use crate::support::memory::available;

/// Maximum number of bytes of a table without a memory limit.
const DEFAULT_MAX_BYTES: usize = 4 << 30;

/// An error with the size of the table, if it would not fit.
///
/// `entries` saturates; `theorem` names the theorem the table belongs to.
pub(crate) fn refuse_large_table(
    theorem: &str,
    entries: u128,
    bytes_each: usize,
    memory_limit: Option<usize>,
) -> Result<(), String> {
    let maximum = memory_limit.unwrap_or(DEFAULT_MAX_BYTES);
    let bytes = entries.saturating_mul(bytes_each as u128);
    let reason = match usize::try_from(bytes) {
        Ok(bytes) if bytes <= maximum && available(bytes) => return Ok(()),
        Ok(bytes) if bytes <= maximum => "than the system provides".to_string(),
        _ => format!("than the {} MB it may take", maximum >> 20),
    };
    Err(format!(
        "The table of {theorem} would take {} entries, {} MB, more {reason}.",
        rounded(entries),
        rounded(bytes.div_ceil(1 << 20)),
    ))
}

/// base^exponent, or the greatest `u128` if that is too large.
pub(crate) fn power(base: usize, exponent: usize) -> u128 {
    u32::try_from(exponent).map_or(u128::MAX, |exponent| (base as u128).saturating_pow(exponent))
}

/// A number as text, large numbers by their order of magnitude.
fn rounded(number: u128) -> String {
    match number.ilog10() {
        digits if digits < 15 => number.to_string(),
        digits => format!("more than 10^{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_refused_by_its_bytes() {
        assert!(refuse_large_table("Theorem 1", 1 << 20, 4, Some(4 << 20)).is_ok());
        let reason = refuse_large_table("Theorem 1", (1 << 20) + 1, 4, Some(4 << 20));
        let expected = "The table of Theorem 1 would take 1048577 entries, 5 MB, more than the 4 MB it may take.";
        assert_eq!(reason, Err(expected.to_string()));
        let reason = refuse_large_table("Theorem 1", 1 << 62, 1, Some(usize::MAX));
        assert!(reason.is_err_and(|reason| reason.contains("more than the system provides")));
        let reason = refuse_large_table("Theorem 1", power(3, 1000), 4, None);
        assert!(reason.is_err_and(|reason| reason.contains("more than 10^38 entries")));
    }
}
