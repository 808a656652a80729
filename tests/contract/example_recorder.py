"""Records the requests and responses that the contract shows as examples."""


class ExampleRecorder:
    """Sends requests to a live server and records the responses that the contract shows."""

    def __init__(self, service):
        self.service = service
        self.examples = {}
        self.hosts = {}

    def send(self, method, path, body=None, token=None, **headers):
        """Send a request four seconds after the last one; return the response, which must be a success."""
        self.service.clock.advance(4)
        response = self.service.call(method, path, body, token, headers)
        assert response.status_code < 300, response.text
        if response.status_code == 201 and "host_token" in response.json:
            self.hosts[response.json["game"]["id"]] = response.json["host_token"]
        return response

    def record(self, name, summary, method, path, body=None, token=None, abridged=str, **headers):
        """Send a request, record it and its response under a name, and return the response's JSON.

        :param abridged: shortens the text of a response that is not JSON.
        """
        response = self.send(method, path, body, token, **headers)
        is_json = response.mimetype == "application/json"
        example = {"summary": summary} | ({} if body is None else {"request": body})
        example |= {"status": response.status_code, "content_type": response.mimetype}
        example["response"] = response.json if is_json else abridged(response.text)
        assert name not in self.examples.setdefault(self._operation(method, path), {})
        self.examples[self._operation(method, path)][name] = example
        return response.json if is_json else None

    def _operation(self, method, path):
        urls = self.service.app.url_map.bind("127.0.0.1")
        endpoint, _ = urls.match(path.partition("?")[0], method)
        return endpoint.rpartition(".")[2]
