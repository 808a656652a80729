"""HTTP: middleware, request parsing, responses, authorization, problem rendering, CORS and rate limits."""
