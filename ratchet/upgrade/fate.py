"""What becomes of one use with a newer release: still there, moved, refusing, or gone; and since when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from ratchet.frozen import dataclass
from ratchet.model import Pack
from ratchet.surface import Index, Release, Standing, stand
from ratchet.surface.signatures import parameters_of
from ratchet.upgrade.model import Change, Finding, Use

_MOST_HOMES = 3
_ENOUGH = 0.5
_CUTOFF = 0.75


@dataclass(frozen=True, slots=True)
class Home:
    """Where a name is now; `sure` where nothing else can be meant."""

    dotted: str
    sure: bool
    others: tuple[str, ...] = ()


class Judge:
    """The releases of a range, oldest first, and what the pack says of them."""

    def __init__(self, releases: Sequence[Release], pack: Pack) -> None:
        self.releases = releases
        self.old, self.new = releases[0], releases[-1]
        self.pack = pack
        self.index, self.before = Index(self.new), Index(self.old)
        self._getters = {name for item in pack.objects for name in item.accessors}
        self.instead = dict(pack.surface.instead) if pack.surface else {}

    def findings(self, uses: Iterable[Use], own: Callable[[str], bool]) -> list[Finding]:
        """What the newer release breaks, in order; `own` tells what the code defines itself."""
        uses = list(uses)
        missing = {
            use.dotted
            for use in uses
            if use.kind == "import" and self._state(self.new, use.dotted) != "there"
        }
        found = (self._finding(use, missing) for use in uses if not own(use.dotted))
        return [finding for finding in found if finding is not None]

    def since(self, there: Callable[[Release], bool]) -> str | None:
        """The first release of the range that lacks something that the one before it had."""
        for earlier, later in zip(self.releases, self.releases[1:], strict=False):
            if there(earlier) and not there(later):
                return later.engine
        return None

    def _state(self, release: Release, dotted: str) -> str:
        return stand(release, dotted).state

    def _finding(self, use: Use, missing: set[str]) -> Finding | None:
        if use.kind == "star":
            return self._star(use)
        now, then = stand(self.new, use.dotted), stand(self.old, use.dotted)
        if now.state == "outside" or self._covered(use):
            return None
        if now.state == "there":
            return self._class(use) if use.kind == "subclass" else self._keywords(use, now, then)
        base = f"{now.module}.{now.name}"
        reported = use.kind in ("attribute", "subclass", "method", "call") and base in missing
        home = self._home(use.dotted, then) if then.state in ("there", "refuses") else None
        if use.kind == "string" and then.state != "there":
            return None
        if use.kind == "method" and (then.state != "there" or now.state != "gone" or not now.member):
            return None
        off_module = use.kind == "attribute" and then.module == base and home is not None and home.sure
        if reported and not off_module and (use.kind != "call" or home is not None):
            return None
        if now.state == "open" or (now.state == "gone" and then.state == "open"):
            return self._unknown(use) if use.kind in ("import", "module") else None
        return self._missing(use, now, then, home)

    def _covered(self, use: Use) -> bool:
        """Whether another branch binds the same name to something that is there."""
        return any(self._state(self.new, other) in ("there", "outside") for other in use.alternatives)

    def _missing(self, use: Use, now: Standing, then: Standing, home: Home | None) -> Finding | None:
        since = self.since(lambda release: self._state(release, use.dotted) == "there")
        if since is None and self._may_be_passed_on(use.dotted):
            return None
        if since is None and then.state == "gone" and use.kind not in ("import", "module"):
            return None  # an attribute that no release has is more likely one of another kind of object
        change: Change = "absent" if since is None else "refuses" if now.state == "refuses" else "gone"
        instead = self.instead.get(use.dotted, "")
        if instead:
            fields = instead in self._getters and "read its fields off their namespaces, or "
            return self._made(use, change, since, instead, f"{fields or ''}write {instead}", True)
        if home is not None:
            change = "moved" if now.state == "gone" else change
            sure = home.sure and change == "moved" and not use.guarded
            return self._made(use, change, since, home.dotted, _at(home), sure)
        return self._made(use, change, since, "", self._nearest(use, now, then), False)

    def _may_be_passed_on(self, dotted: str) -> bool:
        """Whether a module may import a name for itself, of which the history need not tell."""
        module, _, name = dotted.rpartition(".")
        is_package = any(other.startswith(f"{module}.") for other in self.new.modules)
        return module in self.new.modules and not is_package and bool(self.index.homes(name))

    def _made(
        self, use: Use, change: Change, since: str | None, instead: str, advice: str, sure: bool
    ) -> Finding:
        guarded = use.safe if change == "refuses" else use.guarded
        return Finding(
            use.path, use.span, use.kind, use.dotted, change, since, instead, advice, guarded,
            sure and not guarded,
        )  # fmt: skip

    def _star(self, use: Use) -> Finding | None:
        state = self._state(self.new, use.dotted)
        if state == "outside":
            return None
        if state == "there":
            advice = "name what it imports, so that it can be judged"
            return self._made(use, "unknown", None, "", advice, False)
        since = self.since(lambda release: self._state(release, use.dotted) == "there")
        advice = "the module is not there; import the names that are used from where they are now"
        return self._made(use, "gone" if since else "absent", since, "", advice, False)

    def _unknown(self, use: Use) -> Finding:
        advice = "the module answers to names only when it runs; try it"
        return self._made(use, "unknown", None, "", advice, False)

    # Where it is now

    def _home(self, dotted: str, then: Standing) -> Home | None:
        if then.member:
            return None
        if not then.name:
            return self._module_home(dotted)
        name = then.name
        homes = [home for home in self.index.homes(name) if home != then.module]
        before = set(self.before.homes(name))
        defined = then.module in before
        # What was passed on is where it was defined; what was defined here is where it is defined only now.
        likely = [home for home in homes if (home not in before) == defined] or (
            [home for home in homes if home not in before]
        )
        rest = dotted[len(then.module) + 1 + len(name) :]
        if len(likely) == 1:
            return Home(f"{likely[0]}.{name}{rest}", sure=not rest)
        chosen = likely or homes
        if not chosen or len(chosen) > _MOST_HOMES:
            return None
        return Home(f"{chosen[0]}.{name}{rest}", False, tuple(f"{home}.{name}" for home in chosen[1:]))

    def _module_home(self, dotted: str) -> Home | None:
        """A module of the same last name that holds most of the names; only a package may say less."""
        held = self.old.modules[dotted].defined
        found = [
            name
            for name in self.index.modules_ending(dotted.rpartition(".")[2])
            if name not in self.old.modules and _share(held, self.new.modules[name].defined) >= _ENOUGH
        ]
        return Home(found[0], False) if len(found) == 1 else None

    def _nearest(self, use: Use, now: Standing, then: Standing) -> str:
        module = self.new.modules.get(now.module)
        if now.member and module is not None:
            names = [sign.partition(".")[2] for sign in module.signatures if sign.startswith(f"{now.name}.")]
            return nearest(now.member, names, f"{now.name} has {{}}")
        homes = self.index.homes(use.dotted.rpartition(".")[2]) if then.state == "gone" else ()
        if 0 < len(homes) <= _MOST_HOMES:
            return f"that name is defined in {', '.join(homes)}"
        if module is None or not now.name or now.name not in use.dotted:
            return ""
        names = [name for name in (*module.defined, *module.passed) if name != now.name]
        if f"{now.module}.{now.name}" != use.dotted and not then.name:
            names = [
                name.rpartition(".")[2] for name in self.new.modules if name.startswith(f"{now.module}.")
            ]
        return nearest(now.name, names, f"{now.module} has {{}}")

    # What is there and no longer fits

    def _keywords(self, use: Use, now: Standing, then: Standing) -> Finding | None:
        """A keyword that the newer release's function does not take any more; of a class, its fields."""
        sign, held = self._signature(self.new, now), self._signature(self.old, then)
        if not use.keywords or sign is None or held is None:
            return None
        names, anything = parameters_of(sign)
        before, _ = parameters_of(held)
        lost = [word for word in use.keywords if word not in names and word in before]
        if anything or not lost:
            return None
        gone = lost[0]
        since = self.since(lambda release: gone in self._parameters(release, use.dotted))
        advice = nearest(gone, names - before, "it takes {}") or "leave it out"
        what = Use(use.path, use.span, "keyword", f"{use.dotted}({gone}=)", use.guarded)
        return self._made(what, "gone", since, "", advice, False)

    def _parameters(self, release: Release, dotted: str) -> frozenset[str]:
        return parameters_of(self._signature(release, stand(release, dotted)) or "")[0]

    def _signature(self, release: Release, standing: Standing) -> str | None:
        """The signature of a function or method; of the record's class, its fields."""
        module = release.modules.get(standing.module)
        if module is None or not standing.name:
            return None
        dotted = f"{standing.module}.{standing.name}"
        if not standing.member and any(item.class_name == dotted for item in self.pack.objects):
            return ", ".join(release.fields)
        name = f"{standing.name}.{standing.member}" if standing.member else standing.name
        sign = module.signatures.get(name)
        return sign if sign and sign.startswith("(") else None

    def _class(self, use: Use) -> Finding | None:
        """A class that is made in another way than before, for one who derives from it."""

        def made(release: Release) -> str:
            standing = stand(release, use.dotted)
            module = release.modules.get(standing.module)
            return module.signatures.get(standing.name, "") if module and not standing.member else ""

        if made(self.old) == made(self.new) or not made(self.old):
            return None
        since = next(one.engine for one in self.releases if made(one) == made(self.new))
        advice = f"it was `{made(self.old)}` and is `{made(self.new)}`; look at what the subclass relies on"
        return self._made(use, "changed", since, "", advice, False)


def nearest(name: str, names: Iterable[str], sentence: str) -> str:
    """The sentence with the name that is most like another; nothing where none is."""
    found = get_close_matches(name, sorted(names), 1, _CUTOFF)
    return sentence.format(found[0]) if found else ""


def _at(home: Home) -> str:
    listed = ", or ".join([home.dotted, *home.others])
    return f"it is {listed}" if home.sure else f"perhaps {listed}"


def _share(names: frozenset[str], others: frozenset[str]) -> float:
    return len(names & others) / len(names) if names else 0.0
