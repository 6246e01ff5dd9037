"""The migration as one HTML page: what is left, how it came to be, and what is proposed.

    gather.gather(session, Wanted(...)) -> Page     everything that the page shows; what is missing says so
    document.document(page) -> str                  the page, with its style, its script and its data in it

The page loads nothing from anywhere. What it shows may hold anything: see `blob` and `document`.
"""
