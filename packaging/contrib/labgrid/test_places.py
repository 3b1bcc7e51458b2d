# SPDX-License-Identifier: BSD-2-Clause
"""Runs the stick's jobs on every place of the environment, all at once, and collects the counts as JSON."""
import json
import os

import pytest
from labgrid import Environment

HERE = os.path.dirname(__file__)


def counts_of(strategy):
    strategy.transition("done")
    strategy.transition("off")
    lines = (line.strip() for line in strategy.said.splitlines())
    return [json.loads(line) for line in lines if line.startswith("{")]


def events(lines):
    """The lines of events; the first one is of the PMU."""
    return {line["event"]: float(line["counter-value"]) for line in lines if "event" in line}


@pytest.fixture(scope="module")
def counts():
    """Place: its lines of `stat -j`. They are also written to counts.json."""
    environment = Environment(os.environ.get("LG_ENV", os.path.join(HERE, "places.yaml")))
    places = {name: environment.get_target(name).get_driver("BarepmuStrategy", activate=False)
              for name in environment.config.get_targets()}
    for strategy in places.values():
        strategy.transition("running")
    found = {name: counts_of(strategy) for name, strategy in places.items()}
    with open("counts.json", "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
    return found


def test_every_place_counts(counts):
    for place, lines in counts.items():
        assert events(lines) and all(value > 0 for value in events(lines).values()), place
        assert lines[0]["valid"], place


def test_places_agree_on_instructions(counts):
    assert len({events(lines)["instructions:u"] for lines in counts.values()}) == 1
