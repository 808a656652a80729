"""The flame graph: the width of each frame is its number of samples."""

import re
import xml.etree.ElementTree as ET

from bench.flames import drawn
from bench.profile import flame_of

_WRITE = (
    "start (greenlet.py:1);AsyncWorker.handle (gunicorn/base.py:9);"
    "Games.write (service/skye_server/commands/current_games.py:104)"
)
SEEN = [
    f"{_WRITE} 30",
    f"{_WRITE};play.<locals>.one (engine/skye/rules/play.py:3) 50",
    "Hub.run (gevent/hub.py:5) 20",
    "somebody else's thread (threading.py:1) 500",
]


def widths(picture):
    """Return how wide each function is drawn, by name."""
    svg = "{http://www.w3.org/2000/svg}"
    shapes = ET.fromstring(picture).findall(f"{svg}g")
    return {
        shape.find(f"{svg}title").text.split(" (")[0]: float(shape.find(f"{svg}rect").get("width"))
        for shape in shapes
    }


def test_width_of_a_frame_is_its_inclusive_time():
    drawn_widths = widths(drawn(flame_of(SEEN), "A title"))
    whole = drawn_widths.pop("a request 100.0%")
    shares = {name: round(width / whole, 2) for name, width in drawn_widths.items()}
    assert shares == {"AsyncWorker.handle": 0.8, "Games.write": 0.8, "play.one": 0.5, "Hub.run": 0.2}


def test_legend_names_whose_code_took_the_time():
    text = drawn(flame_of(SEEN), "Whose <time>?")
    assert "Whose &lt;time&gt;?" in text
    legend = re.findall(r'font-size="12">([^<]*)<', text)
    assert {"rules 50%", "the server 30%", "gevent, the kernel's sockets 20%"} <= set(legend)
