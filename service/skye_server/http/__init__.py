"""HTTP: middleware, request parsing, responses, problem rendering, CORS, rate limits and event streams."""
