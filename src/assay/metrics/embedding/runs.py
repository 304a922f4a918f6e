"""Runs of characters that two texts have in common, of every length at once."""

from __future__ import annotations

from itertools import accumulate


def common_runs(one: str, other: str, longest: int) -> list[int]:
    """How many runs of 1, 2 … `longest` characters of `one` are in `other`, each counted as often as in the poorer of the two.

    A suffix automaton of both texts has a state for each set of runs that end at the same places; their lengths follow one another.
    It takes the time of reading the texts, where counting the runs of each length reads all characters of all runs.
    """
    steps: list[dict[str, int]] = [{}]
    shorter, lengths, counts = [-1], [0], [[0, 0]]
    last = 0
    for side, text in enumerate((one, other)):
        for at in range(-side, len(text)):  # between the texts stands what no text has
            symbol = text[at] if at >= 0 else ""
            new = len(steps)
            steps.append({})
            lengths.append(lengths[last] + 1)
            shorter.append(0)
            counts.append([int(at >= 0 and side == 0), int(at >= 0 and side == 1)])
            state, last = last, new
            while state != -1 and symbol not in steps[state]:
                steps[state][symbol] = new
                state = shorter[state]
            if state == -1:
                continue
            known = steps[state][symbol]
            if lengths[known] != lengths[state] + 1:
                # its longer runs do not end here: those that do get a state of their own
                clone = len(steps)
                steps.append(dict(steps[known]))
                lengths.append(lengths[state] + 1)
                shorter.append(shorter[known])
                counts.append([0, 0])
                shorter[known] = clone
                while state != -1 and steps[state].get(symbol) == known:
                    steps[state][symbol] = clone
                    state = shorter[state]
                known = clone
            shorter[new] = known
    changes = [0] * (longest + 1)
    for state in sorted(range(1, len(steps)), key=lengths.__getitem__, reverse=True):
        before = shorter[state]
        for side in (0, 1):
            counts[before][side] += counts[state][side]
        first = lengths[before]
        if first < longest and (n := min(counts[state])):
            changes[first] += n
            changes[min(lengths[state], longest)] -= n
    return list(accumulate(changes))[:longest]
