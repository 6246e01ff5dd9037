"""Git's name for content, which is the content hash everywhere in this project."""

from __future__ import annotations

import hashlib


def blob_id(data: bytes) -> str:
    """Return the SHA-1 id, in hexadecimal, under which git stores `data`."""
    digest = hashlib.sha1(b"blob %d\x00" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
