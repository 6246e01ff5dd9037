"""What writing takes from the whole tree: circles of imports, and names that other files import."""

from __future__ import annotations

from tests.cli.project import Project
from tests.codemod.write.shop import ALL

UNCHECKED = (*ALL, "--no-typecheck")

TABLE = """\
class Table:
    def __init__(self, settings):
        self.settings = settings

    def retries(self):
        return self.settings.retries
"""

AT_THE_TOP = "from shop.context import get_net\n\n\n"
AT_THE_TOP_AFTER = AT_THE_TOP + TABLE.replace("self.settings.retries", "get_net().retries")

LOCAL = TABLE.replace(
    "        return self.settings.retries",
    "        from shop.context import get_net\n\n        return get_net().retries",
)


def test_an_import_goes_to_the_top(project: Project) -> None:
    project.write("src/shop/table.py", TABLE)
    assert project.run(*UNCHECKED).code == 0
    assert project.read("src/shop/table.py") == AT_THE_TOP_AFTER


def test_an_import_that_would_close_a_circle_is_local(project: Project) -> None:
    project.write("src/shop/table.py", TABLE)
    project.write("src/shop/room.py", "from shop.table import Table\n")
    project.write("src/shop/context.py", "from shop import room\n\n\n" + project.read("src/shop/context.py"))
    assert project.run(*UNCHECKED).code == 0
    assert project.read("src/shop/table.py") == LOCAL


def test_a_circle_that_is_closed_in_a_function_only_is_none(project: Project) -> None:
    project.write("src/shop/table.py", TABLE)
    context = project.read("src/shop/context.py")
    project.write("src/shop/context.py", context + "\n\ndef seat():\n    from shop.table import Table\n")
    assert project.run(*UNCHECKED).code == 0
    assert project.read("src/shop/table.py") == AT_THE_TOP_AFTER


def test_an_import_that_another_file_uses_stays(project: Project) -> None:
    project.write("src/shop/bill.py", "from shop.menu import get_settings\n\n\nDONE = get_settings\n")
    assert project.run(*UNCHECKED).code == 0
    assert "from shop.context import get_net, get_settings, get_ui\n" in project.read("src/shop/menu.py")
    assert "return get_net().retries" in project.read("src/shop/menu.py")


def test_an_import_that_a_star_import_takes_along_stays(project: Project) -> None:
    project.write("src/shop/bill.py", "from shop.menu import *\n\nDONE = get_settings\n")
    assert project.run(*UNCHECKED).code == 0
    assert "from shop.context import get_net, get_settings, get_ui\n" in project.read("src/shop/menu.py")


def test_a_name_that_unwatched_files_import_stays(project: Project) -> None:
    """No rule and no migration looks into a folder of another record, and yet it imports names."""
    project.write(
        "rules/shop/pack.toml",
        project.read("rules/shop/pack.toml")
        + '\n[[boundary]]\npaths = ["old"]\nreason = "another record"\noutside = true\n',
    )
    for rule in (project.folder / "rules" / "shop").glob("*.toml"):
        if 'kind = "access"' in rule.read_text():
            exempt = '\n[[exempt]]\npaths = ["old"]\nreason = "another record"\n'
            rule.write_text(rule.read_text() + exempt)
    project.write("src/shop/old/cart.py", "from shop.menu import get_settings\n")
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out.splitlines()[0]) == (0, "  src/shop/menu.py: 2 moved")
    text = project.read("src/shop/menu.py")
    assert "get_settings" in text.splitlines()[0]
    project.write("src/shop/old/cart.py", "from shop.other import get_settings\n")
    project.write("src/shop/menu.py", text.replace("get_net()", "get_settings()"))
    project.run(*UNCHECKED)
    assert "get_settings" not in project.read("src/shop/menu.py").splitlines()[0]
