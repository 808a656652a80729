"""A pytest plugin: servers that the tests start have the defects that the environment names."""

from hunts.tests.detection.defective import COMMAND
from tests.support import launcher

launcher.COMMAND = COMMAND
