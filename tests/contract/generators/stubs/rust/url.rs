//! What generated code uses of url.
pub mod form_urlencoded {
    pub fn byte_serialize(input: &[u8]) -> impl Iterator<Item = &str> {
        std::iter::once(std::str::from_utf8(input).unwrap())
    }
}
