//! `Debug` for public types whose fields would be too much to print.

/// Implements `Debug` for a type by some of what it can tell: `debug_as!(Index, |index| rules =
/// index.rules.name())`.
macro_rules! debug_as {
    ($type:ty, |$this:ident| $($field:ident = $value:expr),* $(,)?) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                let name = stringify!($type).split('<').next().unwrap_or_default();
                f.debug_struct(name)$(.field(stringify!($field), &$value))*.finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use debug_as;
