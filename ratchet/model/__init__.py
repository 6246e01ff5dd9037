"""The frozen types that pass between the stages; they import nothing of ours but `frozen`.

files -> accesses -> sites -> verdict -> report. Lines and columns count from 1, columns in characters, and a
span's end is exclusive. Paths are relative to the source root, with forward slashes.
"""

from __future__ import annotations

from ratchet.model.accesses import (
    COMPUTED,
    Access,
    Form,
    Match,
    Operation,
    Origin,
    Problem,
    Span,
    Via,
)
from ratchet.model.packs import (
    ContextObject,
    EngineSource,
    Field,
    Namespace,
    Pack,
    Schema,
    SchemaShape,
    SchemaSource,
    TrackedObject,
)
from ratchet.model.rules import (
    AccessMatch,
    AnyMatch,
    Example,
    Exemption,
    Kind,
    Mode,
    NameMatch,
    PatternMatch,
    Rule,
    RuleMatch,
    TextMatch,
    Unit,
)
from ratchet.model.verdicts import (
    Baseline,
    Census,
    Move,
    Row,
    RuleVerdict,
    Site,
    Verdict,
)

__all__ = [
    "COMPUTED",
    "Access",
    "AccessMatch",
    "AnyMatch",
    "Baseline",
    "Census",
    "ContextObject",
    "EngineSource",
    "Example",
    "Exemption",
    "Field",
    "Form",
    "Kind",
    "Match",
    "Mode",
    "Move",
    "NameMatch",
    "Namespace",
    "Operation",
    "Origin",
    "Pack",
    "PatternMatch",
    "Problem",
    "Row",
    "Rule",
    "RuleMatch",
    "RuleVerdict",
    "Schema",
    "SchemaShape",
    "SchemaSource",
    "Site",
    "Span",
    "TextMatch",
    "TrackedObject",
    "Unit",
    "Verdict",
    "Via",
]
