"""How far a migration is: the story of its rules in git, and what is left to do.

    story.tell(session, Request(...)) -> History       the burn-down: series of steps, one a rule
    origins.origins(session, rule) -> Origins          where sites come from, and what turned main red
    left.leftover(session, rules) -> Leftover          each site that is left, and what a codemod can do
    status.status(session, rules) -> Status            the same by rule, namespace, owner and file
    agenda.agenda(session, request, limits) -> Agenda  what can move, in batches
    svg.render(history) -> str                         the burn-down as a picture

All values are frozen; what they mean is said in `docs/history.md`.
"""
