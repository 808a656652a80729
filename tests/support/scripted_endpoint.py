"""A local endpoint of the OpenAI API for chat completions that plays by script, and fails by script."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NUMBER_1 = '{"number": 1}'


def completion(text=NUMBER_1, usage=None):
    """Return the body of a response with a text."""
    usage = {"prompt_tokens": 10, "completion_tokens": 2} if usage is None else usage
    message = {"role": "assistant", "content": text}
    return json.dumps({"choices": [{"index": 0, "message": message}], "usage": usage}).encode()


class ScriptedEndpoint:
    """What the endpoint received, and its script.

    :param script: a function of the number of the request, from 0, and its JSON; it returns the body of a
        response, or a tuple of status, headers and body; None closes the connection.
    """

    def __init__(self, script):
        self.script = script
        self.requests = []
        self.authorizations = []
        self.lock = threading.Lock()
        self.url = None

    def answer(self, handler):
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            number = len(self.requests)
            self.requests.append(request)
            self.authorizations.append(handler.headers["Authorization"])
        reply = self.script(number, request)
        if reply is None:
            handler.close_connection = True
            return
        status, headers, body = reply if isinstance(reply, tuple) else (200, {}, reply)
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)


@contextmanager
def serving(script=lambda _number, _request: completion()):
    """A scripted endpoint that listens."""
    endpoint = ScriptedEndpoint(script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            endpoint.answer(self)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
