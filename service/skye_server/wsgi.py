"""The application that gunicorn serves, with its settings from the environment."""

import os

from skye_server import create_app
from skye_server.settings import Settings

app = create_app(Settings.from_environment(os.environ))
