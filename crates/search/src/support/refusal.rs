//! Refusals: tables and requests that a method does not accept, found before it searches.

use std::fmt::{self, Display, Formatter};

/// The reason why a method refuses a table or a request; its text is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The table has more distinct rows than the sets of the method hold; `method` begins a
    /// sentence.
    TooManyRows { method: &'static str, maximum: usize, rows: usize },
    /// Covering decides between two classes.
    TooManyClasses { classes: usize },
    /// The table of votes has no depths, and no leaves of a class.
    DepthsOrLeafLimits,
    /// A table of a method would not fit into memory; `table` names the theorem it belongs to, or
    /// its entries.
    TableTooLarge { table: &'static str, entries: u128, bytes: u128, maximum: Maximum },
    /// The system cannot create a thread with the stack that a deep recursion needs.
    NoThread { stack_bytes: usize, reason: String },
}

/// The maximum that a table exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maximum {
    /// The bytes that a table may take.
    Bytes(usize),
    /// The memory that the system provides.
    System,
}

impl Display for Refusal {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::TooManyRows { method, maximum, rows } => {
                write!(
                    text,
                    "{method} accepts up to {maximum} distinct rows, but there are {rows}."
                )
            }
            Refusal::TooManyClasses { classes } => {
                write!(text, "Covering accepts two classes, but there are {classes}.")
            }
            Refusal::DepthsOrLeafLimits => {
                text.write_str("The table of votes supports sizes and errors only.")
            }
            Refusal::TableTooLarge { table, entries, bytes, maximum } => write!(
                text,
                "The table of {table} would take {} entries, {} MB, more than {maximum}.",
                rounded(*entries),
                rounded(bytes.div_ceil(1 << 20)),
            ),
            Refusal::NoThread { stack_bytes, reason } => write!(
                text,
                "The system cannot create a thread with {stack_bytes} bytes of stack: {reason}."
            ),
        }
    }
}

impl Display for Maximum {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Maximum::Bytes(bytes) => write!(text, "the {} MB it may take", bytes >> 20),
            Maximum::System => text.write_str("the system provides"),
        }
    }
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
    use crate::ensembles::cover::{CoverQuantity, CoverRequest, cover};
    use crate::ensembles::ensemble_dp::{EnsembleDpOptions, ensemble_dp};
    use crate::ensembles::witness_ensemble::{EnsembleOptions, witness_ensemble};
    use crate::ensembles::{EnsembleQuantity, EnsembleRequest};
    use crate::minimum_size::{SizeRequest, minimum_size};
    use crate::papers::box_dp::{BoxOptions, BoxRequest, box_dp};
    use crate::papers::witness::{WitnessOptions, WitnessRequest, witness};
    use crate::support::clock::{Clock, StopSwitch};
    use crate::support::deep_stack::on_thread;
    use crate::support::options::{CoverOptions, SizeOptions};
    use crate::support::statistics::Progress;
    use exactree_model::Table;

    /// A table of distinct values of one feature, divided by thresholds into ranges of one class
    /// each.
    fn table(rows: usize, classes: usize) -> Table {
        let column: Vec<f64> = (0..rows).map(|row| row as f64).collect();
        let labels: Vec<u32> = (0..rows).map(|row| (row * classes / rows) as u32).collect();
        Table::new(&[column], &labels, &vec![1; rows], classes)
    }

    /// The refusal of a method, and its text.
    fn refused<T>(answer: Result<T, Refusal>) -> (Refusal, String) {
        let refusal = answer.err().expect("refused");
        (refusal.clone(), refusal.to_string())
    }

    /// The number of a variant: a new variant does not compile before it is listed here.
    fn variant(refusal: &Refusal) -> usize {
        match refusal {
            Refusal::TooManyRows { .. } => 0,
            Refusal::TooManyClasses { .. } => 1,
            Refusal::DepthsOrLeafLimits => 2,
            Refusal::TableTooLarge { .. } => 3,
            Refusal::NoThread { .. } => 4,
        }
    }
    const VARIANTS: usize = 5;

    #[test]
    fn every_refusal_occurs_with_a_sentence_that_names_the_limit() {
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let (errors, memory_limit, stop_at_gap) = (0, None, 0.0);
        let ensemble = |quantity| EnsembleRequest {
            trees: 3,
            quantities: vec![quantity],
            errors,
            size: u32::MAX,
            depth: u32::MAX,
            total: u32::MAX,
            min_samples_leaf: 1,
            leaves: Vec::new(),
            memory_limit,
            stop_at_gap,
        };
        let covering = |table: &Table| {
            let request = CoverRequest {
                trees: 3,
                minimize: CoverQuantity::TotalSize,
                size: u32::MAX,
                depth: u32::MAX,
                total: u32::MAX,
                memory_limit,
                stop_at_gap,
                options: CoverOptions::default(),
                size_options: SizeOptions::default(),
            };
            refused(cover(table, &request, &clock, &progress))
        };
        let votes = |table: &Table, quantity| {
            let (request, options) = (ensemble(quantity), EnsembleDpOptions::default());
            refused(ensemble_dp(table, &request, &options, &clock, &progress))
        };
        let many = table((1 << 16) + 1, 2);
        let fewest_nodes = SizeRequest {
            depth: u32::MAX,
            errors,
            size: u32::MAX,
            leaves: Vec::new(),
            nodes: u64::MAX,
            memory_limit,
            stop_at_gap,
            options: SizeOptions::default(),
        };
        let (size, options) = (u32::MAX, WitnessOptions::default());
        let by_witnesses = WitnessRequest { errors, size, memory_limit, options };
        let options = EnsembleOptions::default();
        let witnesses = witness_ensemble(
            &many,
            &ensemble(EnsembleQuantity::Total),
            &options,
            &clock,
            &progress,
        );
        let boxes =
            BoxRequest { size, memory_limit: Some(1 << 20), options: BoxOptions::default() };
        let cases = [
            (
                refused(minimum_size(&many, &fewest_nodes, &clock, &progress)),
                "The search for fewest nodes accepts up to 65536 distinct rows, but there are 65537.",
            ),
            (
                refused(witness(&many, &by_witnesses, &clock, &progress)),
                "The witness search accepts up to 65536 distinct rows, but there are 65537.",
            ),
            (
                refused(witnesses),
                "The witness search accepts up to 65536 distinct rows, but there are 65537.",
            ),
            (
                covering(&table((1 << 12) + 1, 2)),
                "Covering accepts up to 4096 distinct rows, but there are 4097.",
            ),
            (covering(&table(9, 3)), "Covering accepts two classes, but there are 3."),
            (
                votes(&table(9, 2), EnsembleQuantity::LargestDepth),
                "The table of votes supports sizes and errors only.",
            ),
            (
                votes(&table(40, 2), EnsembleQuantity::Total),
                "The table of Lemma 6.3 would take more than 10^19 entries, 11594461684370 MB, more than \
                 the 4096 MB it may take.",
            ),
            (
                refused(box_dp(&table(1000, 2), &boxes, &clock, &progress)),
                "The table of Theorem 3.1 would take 500500 entries, 2 MB, more than the 1 MB it may take.",
            ),
            (
                refused(on_thread(1 << 60, || ())),
                "The system cannot create a thread with 1152921504606846976 bytes of stack: ",
            ),
        ];
        let mut occurred = [false; VARIANTS];
        for ((refusal, text), sentence) in &cases {
            occurred[variant(refusal)] = true;
            assert!(text.starts_with(sentence) && text.ends_with('.'), "{text} {sentence}");
        }
        assert_eq!(occurred, [true; VARIANTS]);
    }
}
