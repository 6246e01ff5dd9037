"""What a tree may hold that a page must not run, break on, or hide."""

from __future__ import annotations

MARK = "pwned"
"""A name that exists in the page's window only where something of the tree was run."""

CLOSING = f"</script><script>window.{MARK}=1</script>"
IMAGE = f'<img src=x onerror="window.{MARK}=1">'
BIDI = "\u202e"
SEPARATOR = "\u2028"

PATH = "src/shop/<b>&amp;'q\u202e.py"
CODE = f'''\
from shop.context import get_settings


def hostile():
    # {IMAGE} <!-- ]]> {{style}}
    return get_settings().timeout, "{CLOSING}{BIDI}{SEPARATOR}\t\x01"
'''
SUBJECT = f"{CLOSING} {IMAGE}"
"""Of a commit."""

OWNERS = f"* @shop{CLOSING.replace(' ', '')}\n"
