"""What the document says before its operations."""

INTRODUCTION = """\
Keeps and plays games of the board game Isle of Skye: the complete rules, for people and for bots.
"""
