//! What generated code uses of serde.
pub use serde_derive::{Deserialize, Serialize};

pub mod de {
    pub trait Error: Sized {
        fn custom<T: std::fmt::Display>(message: T) -> Self;
    }
}
