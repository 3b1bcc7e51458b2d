# SPDX-License-Identifier: BSD-2-Clause
"""Takes a place through the jobs of a barepmu stick: off, running, and when the last job has ended, done."""
import enum
import re

import attr
from labgrid.factory import target_factory
from labgrid.strategy import Strategy, StrategyError

COLOURS = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]")


class Status(enum.Enum):
    off = 0
    running = 1
    done = 2


@target_factory.reg_driver
@attr.s(eq=False)
class BarepmuStrategy(Strategy):
    """Args: limit: seconds that a job may take."""

    bindings = {"power": "PowerProtocol", "console": "ConsoleProtocol"}
    limit = attr.ib(default=180, validator=attr.validators.instance_of(int))
    status = attr.ib(default=Status.off)
    said = attr.ib(default="")

    def transition(self, status):
        """To Status.running: starts the jobs; to Status.done: awaits their end; what the console said is in `said`."""
        status = Status[status] if isinstance(status, str) else status
        if status == self.status:
            return
        if status == Status.off:
            self.power.off()
        if self.status == Status.off:
            self.target.activate(self.power)
            self.target.activate(self.console)
            self.power.on()
        if status == Status.done:
            self.said = self.watch()
        self.status = status

    def watch(self):
        """Returns the console's text until the last job has ended."""
        text = ""
        while True:
            ended = r"barepmu: job (\d+) of (\d+): [^\r\n]*ended with ([^\r\n]+)[\r\n]"
            _, before, match, _ = self.console.expect(ended, timeout=self.limit)
            text += COLOURS.sub("", (before + match.group(0)).decode(errors="replace"))
            number, all_jobs, end = (word.decode() for word in match.groups())
            if end.strip() != "status 0":
                raise StrategyError(f"job {number} ended with {end}")
            if number == all_jobs:
                return text
