//! Refusal of dynamic programmes whose table would not fit into memory, before it is allocated.

use crate::support::memory::available;
use crate::support::refusal::{Maximum, Refusal};

/// Maximum number of bytes of a table without a memory limit.
const DEFAULT_MAX_BYTES: usize = 4 << 30;

/// A refusal with the size of the table, if it would not fit.
///
/// `entries` saturates; `table` names the theorem that the table belongs to, or its entries.
pub(crate) fn refuse_large_table(
    table: &'static str,
    entries: u128,
    bytes_each: usize,
    memory_limit: Option<usize>,
) -> Result<(), Refusal> {
    let limit = memory_limit.unwrap_or(DEFAULT_MAX_BYTES);
    let bytes = entries.saturating_mul(bytes_each as u128);
    let maximum = match usize::try_from(bytes) {
        Ok(bytes) if bytes <= limit && available(bytes) => return Ok(()),
        Ok(bytes) if bytes <= limit => Maximum::System,
        _ => Maximum::Bytes(limit),
    };
    Err(Refusal::TableTooLarge { table, entries, bytes, maximum })
}

/// base^exponent, or the greatest `u128` if that is too large.
pub(crate) fn power(base: usize, exponent: usize) -> u128 {
    u32::try_from(exponent).map_or(u128::MAX, |exponent| (base as u128).saturating_pow(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_refused_by_its_bytes() {
        assert!(refuse_large_table("Theorem 1", 1 << 20, 4, Some(4 << 20)).is_ok());
        let refused = |entries, bytes_each, memory_limit| {
            let refused = refuse_large_table("Theorem 1", entries, bytes_each, memory_limit);
            refused.expect_err("too large").to_string()
        };
        assert_eq!(
            refused((1 << 20) + 1, 4, Some(4 << 20)),
            "The table of Theorem 1 would take 1048577 entries, 5 MB, more than the 4 MB it may take."
        );
        assert!(refused(1 << 62, 1, Some(usize::MAX)).ends_with("more than the system provides."));
        assert!(refused(power(3, 1000), 4, None).contains("more than 10^38 entries"));
    }
}
