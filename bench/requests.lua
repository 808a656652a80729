-- Send the requests of a file repeatedly, in turn: METHOD, PATH, TOKEN, ETAG and BODY, separated by tabs.
local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, etag, body = line:match("([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)")
    local headers = {["Content-Type"] = "application/json"}
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    if etag ~= "" then headers["If-None-Match"] = etag end
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, requests)
  io.write(string.format("RESULT %f %d %d %d %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
