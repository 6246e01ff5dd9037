"""Why sites stay: each reason's code, what it means, and the smallest code that shows it.

The examples are about a made-up shop: its record `Settings` is read with `get_settings()`. The fields
`retries`, `timeout` and `hosts` are published as the namespace `net`, read with `get_net()`, on which `port`
is a live value; `region` is in no namespace, and `locale` is each worker's own. Files under `engines` lie in
a boundary; those under `tools` publish nothing. The role `clerk`, whose processes run `serve` of
`counter/clerk.py`, may read `ui` alone.
"""

from __future__ import annotations

from ratchet.codemod.model import Reason
from ratchet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Explained:
    """A reason, the sentence that explains it, and code of which one site stays for it.

    `path` is the example's file from the source root. `asked` are the options that the example needs.
    """

    code: Reason
    sentence: str
    example: str
    path: str = "example.py"
    asked: tuple[str, ...] = ()


_IMPORTS = "from shop.context import get_settings\n\n"


def _global(body: str) -> str:
    return f"{_IMPORTS}{body}"


REASONS: tuple[Explained, ...] = (
    Explained(
        "live-shadowed",
        "On the namespace, a live value answers to this name, so that a read there would give another value "
        "than the record's.",
        _global("def address():\n    return get_settings().port\n"),
    ),
    Explained(
        "boundary",
        "The pack declares that the record stays here, and says why.",
        _global("def start():\n    return get_settings().retries\n"),
        path="engines/start.py",
    ),
    Explained(
        "not-a-field",
        "The name is no field of the schema: a method, a property, or a private attribute, which nothing "
        "publishes.",
        _global("def shown():\n    return get_settings().summary()\n"),
    ),
    Explained(
        "no-namespace",
        "The field belongs to no namespace, so that nothing publishes it: a read would find nothing, and an "
        "override would raise.",
        _global("def place():\n    return get_settings().region\n"),
    ),
    Explained(
        "other-class",
        "The file's records are of another class that has the same name: another package has a look-alike.",
        "from vendor.settings import Settings\n\nclass Shelf:\n    def __init__(self, settings):\n"
        "        self.settings = settings\n\n    def wait(self):\n        return self.settings.timeout\n\n"
        "def shelf(given: Settings):\n    return Shelf(given)\n",
    ),
    Explained(
        "import-time",
        "The code runs while its module is imported (at module level, in the body of a class, as a decorator "
        "or a default), or the module calls it then: nothing is published yet.",
        _global("def wait(seconds=get_settings().timeout):\n    return seconds\n"),
    ),
    Explained(
        "unpublished-process",
        "The code runs in a process that never publishes, or before it does: a launcher, a script, a record "
        "that is made on the spot, or a default for the case that nothing is published.",
        _global("def plan():\n    return get_settings().retries\n"),
        path="tools/plan.py",
    ),
    Explained(
        "role-restricted",
        "The code runs in processes of a role whose declared set leaves out the namespace, so that the read "
        "would be refused there: hand the value in, or declare the namespace first.",
        _global("def serve():\n    return get_settings().retries\n"),
        path="counter/clerk.py",
    ),
    Explained(
        "owner-elsewhere",
        "A write on the record (or on a copy) would still own the field's value after this run, and a reader "
        "of the namespace would not see it; the writers are listed. A write by itself stays for this reason "
        "until `--writes` moves it with its readers.",
        _global(
            "def retry():\n    return get_settings().retries\n\n"
            'def calm():\n    get_settings().override("calm", retries=0)\n'
        ),
    ),
    Explained(
        "fork",
        "The field is not the process's: each runner has a value of its own, or the record is a copy.",
        _global("def greeting():\n    return get_settings().locale\n"),
    ),
    Explained(
        "handed-parameter",
        "The function is handed the record, and its callers say which one that is; `--parameters` moves "
        "whole functions, unless code that makes the values, or belongs to another package, calls them.",
        "def wait(settings):\n    return settings.timeout\n",
    ),
    Explained(
        "borrowed",
        "The record is borrowed off another object; `--chains` moves such reads, and `--writes` those of the "
        "fields whose writes move.",
        "def wait(worker):\n    return worker.settings.timeout\n",
    ),
    Explained(
        "parked-under-other-name",
        "The record was handed in and is kept under an attribute that is not called as the pack calls it.",
        "class Client:\n    def __init__(self, settings):\n        self.options = settings\n\n"
        "    def wait(self):\n        return self.options.timeout\n",
    ),
    Explained(
        "optional-injection",
        "The function takes a record and falls back to the process's: a caller that injects one would not be "
        "heard.",
        _global(
            "def wait(settings=None):\n    settings = settings or get_settings()\n"
            "    return settings.timeout\n"
        ),
    ),
    Explained(
        "computed-name",
        "The field's name is computed, so that nobody can say which namespace it belongs to.",
        _global("def get(name):\n    return getattr(get_settings(), name)\n"),
    ),
    Explained(
        "mixed-origin",
        "The record, or the function that is called, may be one or another, and nothing tells which.",
        "def wait(store):\n    settings = store.load()\n    return settings.timeout\n",
    ),
    Explained(
        "shadowed-name",
        "The accessor's name means something else where the site stands, and no other can be used there.",
        _global("def wait(get_net):\n    return get_net(get_settings().timeout)\n"),
    ),
    Explained(
        "star-import",
        "A star import may bind the accessor's name to something else.",
        "from legacy import *\n" + _global("def wait():\n    return get_settings().timeout\n"),
    ),
    Explained(
        "generated-file",
        "The file is generated, or lies in a folder of vendored code: change what it comes from.",
        "# Generated by protoc. DO NOT EDIT.\n" + _global("def wait():\n    return get_settings().timeout\n"),
    ),
    Explained(
        "unresolved-call-site",
        "A parameter that became dead stays, for a call of the function cannot be resolved.",
        "def wait(settings):\n    return settings.timeout\n\nCALLBACKS = [wait]\n",
        asked=("parameters",),
    ),
    Explained(
        "unsupported-form",
        "No expression can stand for the site: a class pattern, a deletion, or a change in place.",
        _global("def rest():\n    get_settings().hosts.clear()\n"),
        asked=("writes",),
    ),
    Explained(
        "comment-inside",
        "A comment stands inside of the text that would be replaced.",
        _global(
            "def wait():\n    return getattr(\n        get_settings(),\n        # seconds\n"
            '        "timeout",\n    )\n'
        ),
    ),
    Explained(
        "binding-inside",
        "The replaced text binds a name that is used elsewhere.",
        _global("def wait():\n    total = (found := get_settings()).timeout\n    return total, found\n"),
    ),
    Explained(
        "uncertain-text",
        "Where the site's text stands cannot be told for certain, or what it becomes cannot be written "
        "there, as inside of an f-string.",
        _global("def known():\n    return f'{hasattr(get_settings(), \"timeout\")}'\n"),
    ),
    Explained(
        "not-a-statement",
        "The store is a part of another statement, and an override call cannot stand in its place; or a rule "
        "writes a statement where only an expression can stand.",
        _global("def count():\n    for get_settings().retries in range(3):\n        pass\n"),
        asked=("writes",),
    ),
    Explained(
        "import-cycle",
        "Importing the accessor at the top would close a cycle of imports, and there is no room for the "
        "import in a function.",
        "def wait(settings): return settings.timeout\n",
        asked=("parameters",),
    ),
    Explained(
        "unproved",
        "The rewritten file failed its proof, so that nothing of it is written: please report it.",
        _global("def wait():\n    return get_settings().timeout\n"),
    ),
    Explained(
        "type-error",
        "The type checker finds what was not wrong before: a namespace without the field, or a value that "
        "the field's type does not allow.",
        _global("def rest():\n    get_settings().timeout = 'long'\n"),
        asked=("writes",),
    ),
)
"""Every reason, in the order of the type."""


def explained(code: Reason) -> Explained:
    """The entry of a reason."""
    return next(item for item in REASONS if item.code == code)
