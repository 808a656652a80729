"""The application that gunicorn serves, with its settings from the environment."""

import os

from service import create_app
from service.settings import Settings

app = create_app(Settings.from_environment(os.environ))
