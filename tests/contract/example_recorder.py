"""Records the requests and responses that the contract shows as examples."""

from collections import Counter


class ExampleRecorder:
    """Sends requests to a live server and records the responses that the contract shows.

    The ids, tokens and seeds of a response derive from the operation and the example's name, and the clock
    advances only when something that exists changes. So an example that is added between others changes none
    of them, unless it changes the games that they show.
    """

    def __init__(self, service):
        self.service = service
        self.examples = {}
        self._sent = Counter()

    def send(self, method, path, body=None, token=None, *, label=None, **headers):
        """Send a request; return the response, which must be a success.

        :param label: replaces method, path and body as the source of the server's random numbers.
        """
        label = label or f"{method} {path} {body}"
        self._sent[label] += 1
        self.service.label_randomness(f"{label}/{self._sent[label]}")
        before = self.service.stored()
        response = self.service.call(method, path, body, token, headers)
        assert response.status_code < 300, "This is no success."
        is_new_game = response.status_code == 201 and "host_token" in response.json
        if not is_new_game and self.service.stored() != before:
            self.service.clock.advance(4)
        return response

    def record(self, name, summary, method, path, body=None, token=None, abridged=str, **headers):
        """Send a request, record it and its response under a name, and return the response's JSON.

        :param abridged: shortens the text of a response that is not JSON.
        """
        operation = self._operation(method, path)
        response = self.send(method, path, body, token, label=f"{operation}/{name}", **headers)
        is_json = response.mimetype in ("application/json", "application/linkset+json")
        example = {"summary": summary} | ({} if body is None else {"request": body})
        example |= {"status": response.status_code, "content_type": response.mimetype}
        example["response"] = response.json if is_json else abridged(response.text)
        of_operation = self.examples.setdefault(operation, {})
        assert name not in of_operation, f"There is an example {name} of {operation} already."
        of_operation[name] = example
        return response.json if is_json else None

    def _operation(self, method, path):
        urls = self.service.app.url_map.bind("127.0.0.1")
        endpoint, _ = urls.match(path.partition("?")[0], method)
        return endpoint.rpartition(".")[2]
