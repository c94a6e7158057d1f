"""The difference between two steps, the same that `./tutor steps` prints."""

import difflib
from collections.abc import Sequence

from markers import lines_of


class _Shortest(difflib.SequenceMatcher):
    """The shortest difference, by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations",

    Algorithmica 1 (1986). Diagonal k holds the positions of which the old line's less the new one's
    is k; each round, of one edit more, holds the furthest old line that is reached on each.
    """

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        rounds = self._search()
        x, y = len(self.a), len(self.b)
        blocks = [(x, y, 0)]
        for before in reversed([{}, *rounds[:-1]]):
            down, came_from = self._best(before, x - y) if before else (True, 0)
            begin = came_from if down else came_from + 1
            if x > begin:
                blocks.append((begin, y - (x - begin), x - begin))
            y -= x - begin + down
            x = came_from
        return blocks[::-1]

    @staticmethod
    def _best(before: dict[int, int], diagonal: int) -> tuple[bool, int]:
        """Whether the way onto a diagonal is an added line, and the old line it comes from."""
        removed, added = before.get(diagonal - 1, -1), before.get(diagonal + 1, -1)
        return (True, added) if removed < added else (False, removed)

    def _search(self) -> list[dict[int, int]]:
        rounds: list[dict[int, int]] = []
        while True:
            edits, reached = len(rounds), {}
            for diagonal in range(-edits, edits + 1, 2):
                down, x = self._best(rounds[-1], diagonal) if rounds else (True, 0)
                x += not down
                while self.a[x : x + 1] == self.b[x - diagonal : x - diagonal + 1] != []:
                    x += 1
                reached[diagonal] = x
                if x >= len(self.a) and x - diagonal >= len(self.b):
                    return [*rounds, reached]
            rounds.append(reached)


def _range(begin: int, end: int) -> str:
    """One side of a hunk; an empty one names the line before it, as `diff -u` does."""
    length = end - begin
    return f"{begin + 1}" if length == 1 else f"{begin + (length > 0)},{length}"


def unified(old: str, new: str, context: int, skipped: Sequence[int] = (0, 0)) -> str:
    """The difference as `diff -u` writes it, without its first two lines.

    `skipped` is how many lines of both files stand before the texts. Empty for equal ones.
    """
    matcher = _Shortest(None, lines_of(old), lines_of(new), autojunk=False)
    text = ""
    for group in matcher.get_grouped_opcodes(context):
        (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
        a_range = _range(a + skipped[0], a_end + skipped[0])
        text += f"@@ -{a_range} +{_range(b + skipped[1], b_end + skipped[1])} @@\n"
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                text += _signed(" ", matcher.a[i:i_end])
            else:
                text += _signed("-", matcher.a[i:i_end]) + _signed("+", matcher.b[j:j_end])
    return text


def _signed(sign: str, lines: list[str]) -> str:
    text = "".join(sign + line for line in lines)
    return text if text.endswith("\n") or not text else text + "\n\\ No newline at end of file\n"
