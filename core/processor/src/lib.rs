//! What depends on the processor, behind safe functions: each gives the same results on every processor.

/// Bytes that [`bytes_up_to`] looks at.
pub const WINDOW: usize = 64;

/// Work that is compiled twice, see [`run`]. Its method and all hot code that it calls must be `#[inline(always)]`.
pub trait Work {
    type Output;

    fn run(self) -> Self::Output;
}

/// Do this work with the instructions of x86-64-v3 (AVX2 and more) where the processor has them, else with those that
/// every processor of its kind has.
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_v3() {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { x86_64::run_on_v3(work) };
    }
    work.run()
}

/// Bit i: byte i of the window is at most this ASCII byte.
#[inline(always)]
pub fn bytes_up_to(most: u8, window: &[u8; WINDOW]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return x86_64::bytes_up_to(most, window);
    #[cfg(not(target_arch = "x86_64"))]
    return portable::bytes_up_to(most, window);
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_set1_epi8};

    use super::{WINDOW, Work};

    pub fn has_v3() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// # Safety
    ///
    /// The processor [`has_v3`].
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub unsafe fn run_on_v3<W: Work>(work: W) -> W::Output {
        work.run()
    }

    #[inline(always)]
    pub fn bytes_up_to(most: u8, window: &[u8; WINDOW]) -> u64 {
        let mut mask = 0;
        for (k, bytes) in window.chunks_exact(16).enumerate() {
            // SAFETY: there are 16 bytes, wherever they begin, and every such processor has SSE2.
            let flags = unsafe {
                let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
                _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most as i8)), bytes))
            };
            mask |= u64::from(flags as u32) << (16 * k);
        }
        mask
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::WINDOW;

    #[inline(always)]
    pub fn bytes_up_to(most: u8, window: &[u8; WINDOW]) -> u64 {
        let mut flags = [0u8; WINDOW];
        for (flag, &byte) in flags.iter_mut().zip(window) {
            *flag = u8::from(byte <= most);
        }
        let mut mask = 0;
        for (k, flags) in flags.chunks_exact(8).enumerate() {
            // The product has the eight flags in its highest byte.
            let word = u64::from_le_bytes(flags.try_into().expect("eight bytes"));
            mask |= word.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * k);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [f64]);

    impl Work for Sum<'_> {
        type Output = f64;

        #[inline(always)]
        fn run(self) -> f64 {
            self.0.iter().map(|x| x * x / 3.0).sum()
        }
    }

    #[test]
    fn work_has_the_same_result_on_every_processor() {
        let numbers: Vec<f64> = (0..1000).map(|k| f64::from(k) / 7.0).collect();
        assert_eq!(run(Sum(&numbers)).to_bits(), Sum(&numbers).run().to_bits());
    }

    #[test]
    fn every_byte_is_compared_at_every_place() {
        for most in [0, b'\t', b' ', 0x7f] {
            for byte in 0..=u8::MAX {
                for place in 0..WINDOW {
                    for other in [most, 0xff] {
                        let mut window = [other; WINDOW];
                        window[place] = byte;
                        let expected = (0..WINDOW).fold(0, |mask, k| mask | u64::from(window[k] <= most) << k);
                        assert_eq!(bytes_up_to(most, &window), expected, "{byte} at {place}, {most}");
                        assert_eq!(portable::bytes_up_to(most, &window), expected, "{byte} at {place}, {most}");
                    }
                }
            }
        }
    }
}
