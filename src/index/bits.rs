//! Gathering bits: BMI2 where the processor has it, plain code elsewhere, with the same results.

/// The bits of `value` under `mask`, moved together at the low end.
#[inline]
pub fn extract(value: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has BMI2, as was just asked.
        return unsafe { extract_bmi2(value, mask) };
    }
    extract_portable(value, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn extract_bmi2(value: u32, mask: u32) -> u32 {
    std::arch::x86_64::_pext_u32(value, mask)
}

fn extract_portable(value: u32, mut mask: u32) -> u32 {
    let (mut result, mut bit) = (0, 1);
    while mask != 0 {
        if value & mask & mask.wrapping_neg() != 0 {
            result |= bit;
        }
        mask &= mask - 1;
        bit <<= 1;
    }
    result
}

/// The low bits of `value`, moved apart to the places under `mask`: the inverse of [`extract`].
#[inline]
pub fn deposit(value: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has BMI2, as was just asked.
        return unsafe { deposit_bmi2(value, mask) };
    }
    deposit_portable(value, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn deposit_bmi2(value: u32, mask: u32) -> u32 {
    std::arch::x86_64::_pdep_u32(value, mask)
}

fn deposit_portable(mut value: u32, mut mask: u32) -> u32 {
    let mut result = 0;
    while mask != 0 && value != 0 {
        if value & 1 != 0 {
            result |= mask & mask.wrapping_neg();
        }
        mask &= mask - 1;
        value >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_agree(value: u32, mask: u32) {
            prop_assert_eq!(extract(value, mask), extract_portable(value, mask));
            prop_assert_eq!(deposit(value, mask), deposit_portable(value, mask));
            prop_assert_eq!(deposit(extract(value, mask), mask), value & mask);
        }
    }
}
