"""What is told of an audit that goes on: what was found, what changed, what no longer holds."""

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from domain.audit.finding import Finding


class News(Struct, frozen=True):
    """A finding, and what became of it: ``withdrawn`` as it was told last, else as it is now."""

    told: Literal["found", "changed", "withdrawn"]
    finding: Finding


class Standing:
    """The findings that were told and not withdrawn: what an audit of the whole would find."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        """Take what was told before."""
        self._told = {finding.fingerprint: finding for finding in findings}

    def __contains__(self, finding: Finding) -> bool:
        """Tell whether a finding was told, and not withdrawn; as it is now, or otherwise."""
        return finding.fingerprint in self._told

    @property
    def findings(self) -> list[Finding]:
        """The findings that stand, in the order in which they were told."""
        return list(self._told.values())

    def news(
        self,
        found: Iterable[Finding],
        judged: Callable[[Finding], bool],
        tells: Callable[[Finding], bool],
    ) -> list[News]:
        """Take in what is found now; return what is to be told of it.

        Args:
            found: what is found.
            judged: whether a finding that stands would be among them if it held.
            tells: whether a finding that does not stand is told now.
        """
        now = {finding.fingerprint: finding for finding in found}
        news = [
            News("withdrawn", finding)
            for mark, finding in self._told.items()
            if mark not in now and judged(finding)
        ]
        for mark, finding in now.items():
            before = self._told.get(mark)
            if before is None and tells(finding):
                news.append(News("found", finding))
            elif before is not None and before != finding:
                news.append(News("changed", finding))
        for each in news:
            if each.told == "withdrawn":
                del self._told[each.finding.fingerprint]
            else:
                self._told[each.finding.fingerprint] = each.finding
        return news
