"""The API whose workers write nothing by themselves: they give no signs of life.

So Redis has nothing from it but what requests write.
"""

from __future__ import annotations

from skye_server.wsgi import app

app.extensions["skye"].games.signs.start = lambda **_: None
