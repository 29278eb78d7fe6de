//! The checker of certificates for WebAssembly: two functions over bytes, for the script of a report.
//!
//! `reserve` makes room for the file and for the table, `check` verifies them. The answer is a number:
//! 0 only if the certificate is verified. A panic or a lack of memory ends the instance by a trap, so
//! that there is no answer. Indices have 32 bits there; no cast in `exactree_check` to an index comes
//! before a comparison with a length, and `make wasm` compiles with checks of overflows.

use exactree_check::{Examples, Reason};

/// Makes room for some bytes, all zero.
#[no_mangle]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    let room: Box<[u8]> = vec![0; bytes].into_boxed_slice();
    Box::into_raw(room).cast()
}

/// Checks an unpacked certificate for a table, and frees both. The table is, in little-endian order:
/// the columns one after the other, as float64 with NaN for missing values, then the labels as 32 bits,
/// then the weights as 64 bits, which are divided by `weight_scale`.
///
/// Returns 0 if the certificate is verified, else the number of the reason to refuse it.
///
/// # Safety
///
/// Both pointers must be from `reserve` for these numbers of bytes, and be used for one check only.
#[no_mangle]
pub unsafe extern "C" fn check(
    content: *mut u8,
    content_bytes: usize,
    table: *mut u8,
    table_bytes: usize,
    rows: usize,
    features: usize,
    weight_scale: u64,
) -> u32 {
    // Sound because the caller promises that `reserve` made both, as boxes of these lengths, and that
    // nothing else refers to them.
    let [content, table] = [(content, content_bytes), (table, table_bytes)]
        .map(|(start, bytes)| Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, bytes)));
    let examples = match examples_in(&table, rows, features, weight_scale) {
        Some(examples) => examples,
        None => return number_of(Reason::Table),
    };
    drop(table);
    match exactree_check::check(&content, &examples, &|| false) {
        Ok(_) => 0,
        Err(reason) => number_of(reason),
    }
}

/// The examples in the bytes of a table; `None` if it has another length.
fn examples_in(bytes: &[u8], rows: usize, features: usize, weight_scale: u64) -> Option<Examples> {
    let of_columns = rows.checked_mul(features)?.checked_mul(8)?;
    let of_labels = rows.checked_mul(4)?;
    if rows.checked_mul(8)?.checked_add(of_labels)?.checked_add(of_columns)? != bytes.len() {
        return None;
    }
    let (columns, rest) = bytes.split_at(of_columns);
    let (labels, weights) = rest.split_at(of_labels);
    let column = |column: &[u8]| column.chunks_exact(8).map(|c| f64::from_bits(long(c))).collect();
    Some(Examples {
        // No chunk may have length 0; a table without rows has no columns, and is refused.
        columns: columns.chunks_exact((8 * rows).max(1)).map(column).collect(),
        labels: labels.chunks_exact(4).map(|label| long(label) as u32).collect(),
        weights: weights.chunks_exact(8).map(long).collect(),
        weight_scale,
    })
}

/// The number in at most 8 bytes.
fn long(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The numbers of the reasons, in the order of `Reason` in `src/exactree/certificates/format.py`.
fn number_of(reason: Reason) -> u32 {
    match reason {
        Reason::Format => 1,
        Reason::Table => 2,
        Reason::Tree => 3,
        Reason::Cost => 4,
        Reason::Length => 5,
        Reason::Size => 6,
        Reason::Set => 7,
        Reason::Citation => 8,
        Reason::Rule => 9,
        Reason::Counting => 10,
        Reason::Leaf => 11,
        Reason::Stump => 12,
        Reason::Threshold => 13,
        Reason::Split => 14,
        Reason::Conclusion => 15,
        Reason::Stopped => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::{check, examples_in, number_of, reserve};
    use exactree_check::Reason;

    /// Of three examples: no leaf misclassifies a weight less than 2.
    const CERTIFICATE: &[u8] = b"exactree-certificate 1\n\
        table 6b273b5d4127ecd98f4df76d37c25d628bf40690c34a8c3ce6dbec88537222b5\n\
        rows 3\nfeatures 1\nclasses 2\nsplits n\nweight-scale 1\nerror-price 1\nleaf-price 0\n\
        class-costs none\nminimize errors\nmax-depth 0\nmax-size none\nmax-errors none\nmin-rows 0\n\
        cost 2\nlower-bound 2\ntree 0\nsets 0\nclaims 1\nbody\n\x00\x01\x01\x02\x00\x01";

    fn table(labels: [u32; 3], weights: [u64; 3]) -> Vec<u8> {
        let column = [1.0, 2.0, f64::NAN].map(f64::to_le_bytes).concat();
        let (labels, weights) = (labels.map(u32::to_le_bytes), weights.map(u64::to_le_bytes));
        [column, labels.concat(), weights.concat()].concat()
    }

    /// Gives bytes to the checker as a page does.
    fn checked(content: &[u8], table: &[u8], rows: usize, features: usize, scale: u64) -> u32 {
        let place = |bytes: &[u8]| {
            let start = reserve(bytes.len());
            // Sound because `reserve` made room for so many bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
            start
        };
        let (at, to) = (place(content), place(table));
        // Sound because both are from `reserve` and not used again.
        unsafe { check(at, content.len(), to, table.len(), rows, features, scale) }
    }

    fn position(text: &[u8]) -> usize {
        let found = CERTIFICATE.windows(text.len()).position(|part| part == text);
        found.expect("a text of the certificate")
    }

    #[test]
    fn only_the_certificate_of_the_table_is_verified() {
        let right = table([7, 3, 3], [2, 1, 1]);
        assert_eq!(checked(CERTIFICATE, &right, 3, 1, 1), 0);
        let other_table = number_of(Reason::Table);
        assert_eq!(checked(CERTIFICATE, &table([7, 3, 7], [2, 1, 1]), 3, 1, 1), other_table);
        assert_eq!(checked(CERTIFICATE, &table([7, 3, 3], [2, 1, 2]), 3, 1, 1), other_table);
        assert_eq!(checked(CERTIFICATE, &right, 3, 1, 2), other_table);
        let all = CERTIFICATE.len();
        let changes = [
            (0, Reason::Format),
            (position(b"cost 2") + 5, Reason::Cost),
            (position(b"lower-bound 2") + 12, Reason::Conclusion),
            (position(b"tree 0") + 5, Reason::Tree),
            (all - 3, Reason::Counting),
        ];
        for (at, reason) in changes {
            let mut changed = CERTIFICATE.to_vec();
            changed[at] += 3;
            assert_eq!(checked(&changed, &right, 3, 1, 1), number_of(reason));
        }
        let number = checked(&CERTIFICATE[..all - 1], &right, 3, 1, 1);
        assert_eq!(number, number_of(Reason::Length));
    }

    #[test]
    fn tables_of_another_length_are_refused() {
        let right = table([7, 3, 3], [2, 1, 1]);
        let shapes = [(2, 1), (3, 2), (3, 0), (0, 1), (usize::MAX, 1), (usize::MAX / 8, 8)];
        for (rows, features) in shapes {
            assert!(examples_in(&right, rows, features, 1).is_none(), "{rows} {features}");
            assert_eq!(checked(CERTIFICATE, &right, rows, features, 1), number_of(Reason::Table));
        }
        assert_eq!(checked(CERTIFICATE, &[], 0, 1, 1), number_of(Reason::Table));
        assert_eq!(checked(&[], &right, 3, 1, 1), number_of(Reason::Format));
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let weights = [1, 1 << 40, u64::MAX];
        let found = examples_in(&table([0, u32::MAX, 5], weights), 3, 1, 9).expect("a table");
        assert_eq!((found.columns[0][1], found.columns[0][2].is_nan()), (2.0, true));
        assert_eq!((found.labels, found.weights), (vec![0, u32::MAX, 5], weights.to_vec()));
        assert_eq!((found.columns.len(), found.weight_scale), (1, 9));
    }
}
