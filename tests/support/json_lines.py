"""JSON files that people read: collections break between items, and fill lines."""

import json

_WIDTH = 120


def json_lines(value, before="", margin=" ", dumps=json.dumps):
    """Yield the lines of a value as JSON, each with as many items as fit.

    :param before: the text before it on its first line.
    :param margin: the indentation of its other lines.
    """
    named = isinstance(value, dict)
    opening, closing = "{}" if named else "[]"
    line, comma = before + opening, ""
    for name, part in value.items() if named else (("", part) for part in value):
        key = f"{dumps(name)}: " if named else ""
        item = key + dumps(part)
        if len(line + item) < _WIDTH - len(", "):
            line += f"{comma and ', '}{item}"
        elif not isinstance(part, dict | list) or len(margin + item) < _WIDTH:
            yield line + comma
            line = margin + item
        else:
            if comma:
                yield line + comma
                line = margin
            inner = json_lines(part, line + key, margin + "  ", dumps)
            line = next(inner)
            for following in inner:
                yield line
                line = following
        comma = ","
    yield line + closing
