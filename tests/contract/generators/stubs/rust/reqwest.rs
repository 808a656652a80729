//! What generated code uses of reqwest.
use std::fmt;

#[derive(Debug)]
pub struct Error;

impl fmt::Display for Error {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unimplemented!()
    }
}

impl std::error::Error for Error {}

#[derive(Clone, Copy, Debug)]
pub struct StatusCode(u16);

impl StatusCode {
    pub fn is_client_error(&self) -> bool {
        self.0 / 100 == 4
    }

    pub fn is_server_error(&self) -> bool {
        self.0 / 100 == 5
    }
}

impl fmt::Display for StatusCode {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unimplemented!()
    }
}

pub struct Method;

impl Method {
    pub const GET: Method = Method;
    pub const POST: Method = Method;
    pub const PUT: Method = Method;
    pub const PATCH: Method = Method;
    pub const DELETE: Method = Method;
}

pub mod header {
    pub const USER_AGENT: &str = "user-agent";

    pub struct HeaderValue;

    impl HeaderValue {
        pub fn to_str(&self) -> Result<&str, super::Error> {
            Err(super::Error)
        }
    }

    pub struct HeaderMap;

    impl HeaderMap {
        pub fn get(&self, _: &str) -> Option<&HeaderValue> {
            None
        }
    }
}

pub struct Request;

pub struct RequestBuilder;

impl RequestBuilder {
    pub fn header(self, _: &str, _: String) -> RequestBuilder {
        self
    }

    pub fn query<T: ?Sized>(self, _: &T) -> RequestBuilder {
        self
    }

    pub fn json<T: ?Sized>(self, _: &T) -> RequestBuilder {
        self
    }

    pub fn bearer_auth(self, _: String) -> RequestBuilder {
        self
    }

    pub fn build(self) -> Result<Request, Error> {
        Err(Error)
    }
}

pub struct Response(header::HeaderMap);

impl Response {
    pub fn status(&self) -> StatusCode {
        unimplemented!()
    }

    pub fn headers(&self) -> &header::HeaderMap {
        &self.0
    }

    pub async fn text(self) -> Result<String, Error> {
        Err(Error)
    }
}

#[derive(Clone, Debug)]
pub struct Client;

impl Client {
    pub fn new() -> Client {
        Client
    }

    pub fn request(&self, _: Method, _: &str) -> RequestBuilder {
        RequestBuilder
    }

    pub async fn execute(&self, _: Request) -> Result<Response, Error> {
        Err(Error)
    }
}
