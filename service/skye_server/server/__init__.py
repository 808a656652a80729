"""The launcher: the API and its embedded Redis as processes on one data folder."""
