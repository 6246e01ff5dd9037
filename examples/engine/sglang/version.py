"""The engine version whose spellings this tree follows."""

__version__ = "0.5.17"
