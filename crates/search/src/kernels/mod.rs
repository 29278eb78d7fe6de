//! The inner loops, compiled once per instruction set and chosen at run time.
//!
//! Every kernel is one generic function in plain Rust; the wider versions are
//! the same function compiled with more target features. Results are equal on
//! every processor (tested).

pub(crate) mod chunks;
pub(crate) mod class_rows;
pub(crate) mod class_runs;
pub(crate) mod compress;
pub(crate) mod extremes;
pub(crate) mod gains;
pub(crate) mod masked_stumps;
pub(crate) mod matrix_costs;
pub(crate) mod pairs;
pub(crate) mod prefixes;
pub(crate) mod share_costs;
pub(crate) mod spread_columns;
pub(crate) mod stumps;
pub(crate) mod sums;
pub(crate) mod sweep;
pub(crate) mod tally;

/// Instruction sets the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstructionSet {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Only with popcounts of every width; without them it is hardly faster than `Avx2`.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// The widest instruction set of this processor if `wide`, otherwise the portable version.
    pub(crate) fn detect(wide: bool) -> InstructionSet {
        #[cfg(target_arch = "x86_64")]
        if wide
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq")
                && is_x86_feature_detected!("avx512bitalg");
            return if avx512 { InstructionSet::Avx512 } else { InstructionSet::Avx2 };
        }
        let _ = wide;
        InstructionSet::Portable
    }

    /// All instruction sets that this processor can run.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<InstructionSet> {
        let mut levels = vec![InstructionSet::Portable];
        #[cfg(target_arch = "x86_64")]
        match InstructionSet::detect(true) {
            InstructionSet::Portable => {}
            InstructionSet::Avx2 => levels.push(InstructionSet::Avx2),
            InstructionSet::Avx512 => levels.extend([InstructionSet::Avx2, InstructionSet::Avx512]),
        }
        levels
    }
}

/// Compiles `$body` for every instruction set and calls the version for `instructions`.
macro_rules! multiversion {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$($generic:ident $(: $bound:path)?),* $(; const $constant:ident: $kind:ty)*>($($arg:ident: $type:ty),* $(,)?) = $body:ident) => {
        $(#[$doc])*
        $vis fn $name<$($generic $(: $bound)?,)* $(const $constant: $kind),*>(instructions: $crate::kernels::InstructionSet, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn avx2<$($generic $(: $bound)?,)* $(const $constant: $kind),*>($($arg: $type),*) {
                    $body::<$($generic,)* $($constant),*>($($arg),*)
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx512bitalg")]
                fn avx512<$($generic $(: $bound)?,)* $(const $constant: $kind),*>($($arg: $type),*) {
                    $body::<$($generic,)* $($constant),*>($($arg),*)
                }
                match instructions {
                    $crate::kernels::InstructionSet::Portable => {}
                    // SAFETY: a level other than `Portable` comes from `InstructionSet::detect` or
                    // `InstructionSet::available`, which found these features on this processor.
                    $crate::kernels::InstructionSet::Avx2 => return unsafe { avx2::<$($generic,)* $($constant),*>($($arg),*) },
                    // SAFETY: as above.
                    $crate::kernels::InstructionSet::Avx512 => return unsafe { avx512::<$($generic,)* $($constant),*>($($arg),*) },
                }
            }
            let _ = instructions;
            $body::<$($generic,)* $($constant),*>($($arg),*)
        }
    };
}
pub(crate) use multiversion;
