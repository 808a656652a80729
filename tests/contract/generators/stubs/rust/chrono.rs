//! What generated code uses of chrono.
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedOffset;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DateTime<Zone>(Zone);

impl<Zone> fmt::Display for DateTime<Zone> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unimplemented!()
    }
}
