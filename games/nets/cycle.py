#!/usr/bin/env python3
"""Trains a network for a game from its rules, by generations of self-play, training and gating.

    cycle.py connect4 --out DIR --generations 20
    cycle.py go --game-options "--size 9" --out DIR --net-size 6x64 --no-gate

Each generation plays games by the best network so far (the first one by playouts, or by --start), continues training,
writes DIR/gen-NNNN/net.safetensors, compares the program's outputs with the specification's, and plays a match against
the last rated network. DIR/generations.csv and DIR/elo.svg have the results. The same command continues an interrupted
cycle.
"""

import argparse
import csv
import json
import math
import os
import random
import shlex
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import torch

from network import read_tensors
from train import Data, Trainer, check, data_files, setup

# Options that can't change when a cycle continues.
FIXED = ["game", "game_options", "game_file", "net_size", "trunk", "batch", "seed"]
# The share of the generations after which the learning rate falls.
FULL_RATE = 0.6


@dataclass
class Generation:
    """A line of the table. `player` is the generation that played the games. 0 is the search by playouts; in a match,
    the anchor."""

    number: int
    player: int
    rows: int
    window: int
    steps: int
    policy_loss: float
    value_loss: float
    opponent: int | None = None
    match: str = ""
    elo: float | None = None
    plays: bool = False
    play_seconds: float = 0
    train_seconds: float = 0
    match_seconds: float = 0


def call(command):
    """The output of a program. It gets an interrupt, too, and has time to save its state."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    try:
        output, _ = process.communicate()
    except KeyboardInterrupt:
        process.wait()
        raise
    if process.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\nended with exit code {process.returncode}")
    return output


def write_text(path, text):
    part = Path(f"{path}.part")
    part.write_text(text)
    os.replace(part, path)


class Cycle:
    def __init__(self, options):
        self.options, self.folder = options, Path(options.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.check_settings()
        self.device = setup(options.seed)
        self.trainer = None
        self.done = self.read_table()
        name = Path(options.game_file).stem if options.game_file else options.game
        self.game = shlex.split(options.game_options)
        self.game_named = ["--game-file", options.game_file] if options.game_file else ["--game", name]
        self.adapter = ["--adapter", options.adapter]
        self.gates = options.match_every > 0 and not options.no_gate

    def check_settings(self):
        path, own = self.folder / "cycle.json", {name: getattr(self.options, name) for name in FIXED}
        if not path.exists():
            write_text(path, json.dumps(own))
        for name, value in json.loads(path.read_text()).items():
            if value != own[name]:
                sys.exit(f"{self.folder} was begun with {name} = {value}, not {own[name]}: choose another folder")

    def read_table(self):
        path = self.folder / "generations.csv"
        if not path.exists():
            return []
        with path.open() as file:
            rows = list(csv.DictReader(file))
        kinds = {int: int, float: float, str: str, bool: lambda text: text == "True"}
        kinds |= {kind | None: lambda text, kind=kind: kind(text) if text else None for kind in (int, float)}
        return [Generation(**{f.name: kinds[f.type](row[f.name]) for f in fields(Generation)}) for row in rows]

    def write_table(self):
        names = [field.name for field in fields(Generation)]
        lines = [",".join(names)]
        for generation in self.done:
            values = [asdict(generation)[name] for name in names]
            lines.append(",".join("" if value is None else str(value) for value in values))
        write_text(self.folder / "generations.csv", "\n".join(lines) + "\n")
        write_text(self.folder / "elo.svg", drawing([(g.number, g.elo) for g in self.done if g.elo is not None]))

    def path(self, number):
        return self.folder / f"gen-{number:04}"

    def net(self, number):
        """The network of a generation, for --net; for generation 0 that of --start."""
        return str(self.path(number) / "net.safetensors") if number else self.options.start

    def best(self):
        """The generation that plays the games."""
        return max((generation.number for generation in self.done if generation.plays), default=0)

    def rated(self):
        """The last rated generation and its rating: the next opponent."""
        rated = [(g.number, g.elo) for g in self.done if g.elo is not None and g.plays]
        return rated[-1] if rated else (0, 0.0)

    def self_play(self, number):
        options, folder = self.options, self.path(number)
        game = self.game_named if options.game_file else [options.game]
        call([options.program, "selfplay", *game, *self.game, "--net", self.net(self.best()),
              "--games", options.games, "--steps", options.steps, "--leaf-batch", options.leaf_batch,
              "--seed", options.seed + number, "--out", folder, *self.adapter,
              *shlex.split(options.selfplay_options)])

    def window(self, number):
        """The data of the newer half of the generations, at most --window of them."""
        first = max(1, number - self.options.window + 1, math.ceil(number / 2))
        folders = [self.path(generation) for generation in range(first, number + 1)]
        return Data(data_files(folders), self.device, self.options.most_rows)

    def train(self, number):
        """Continues training, unless the generation is trained already: its match may have begun."""
        options, folder = self.options, self.path(number)
        finished = folder / "trained.json"
        if finished.exists():
            return Generation(**json.loads(finished.read_text()))
        data, rows = self.window(number), sum(len(read_tensors(file)[1]["outcome"]) for file in data_files([folder]))
        sizes = data.sizes(net_size=options.net_size, trunk=options.trunk)
        if self.trainer is None:
            self.trainer = Trainer(sizes, self.device, options.rate, options.batch, symmetry=options.symmetry,
                                   last_weight=options.last_weight, length_penalty=options.length_penalty)
            if number > 1:
                self.trainer.load(self.path(number - 1) / "state.pt")
            elif options.init:
                self.trainer.begin(options.init)
        torch.manual_seed(options.seed + number)
        steps = math.ceil(options.reuse * rows / options.batch)
        rest = (1 - number / options.generations) / (1 - FULL_RATE)
        losses = self.trainer.fit(data, steps, lambda _: min(1.0, max(0.05, rest)))
        self.trainer.average.export(self.net(number))
        self.trainer.save(folder / "state.pt")
        if not options.no_check:
            check(self.net(number), data.planes[-2000:], options.program)
        window = len(data)
        if self.device == "cuda":
            del data
            torch.cuda.empty_cache()  # for the program
        losses = [round(loss, 4) for loss in losses]
        generation = Generation(number, self.best(), rows, window, steps, *losses, plays=not self.gates)
        write_text(finished, json.dumps(asdict(generation)))
        return generation

    def openings(self, number):
        """Writes openings, as searches by networks are deterministic: different first moves of the generation's games.

        Returns the file and the number of games from them.
        """
        plies, path = self.options.opening_plies, self.path(number) / "openings.txt"
        with (self.path(number) / "games.jsonl").open() as games:
            moves = [json.loads(line)["moves"] for line in games]
        openings = sorted({",".join(game[:plies]) for game in moves if len(game) > plies + 4})
        random.Random(self.options.seed + number).shuffle(openings)
        openings = openings[: self.options.match_games // 2]
        write_text(path, "\n".join(openings) + "\n")
        return path, 2 * len(openings)

    def match(self, generation):
        """Plays against the last rated generation; sets score, rating, and whether it plays the next games."""
        options, number = self.options, generation.number
        opponent, rating = self.rated()
        openings, games = self.openings(number)

        def player(number):
            search = f"default:steps={options.steps},leaf_batch={options.leaf_batch}"
            return f"{search},net={self.net(number)}" if number else options.anchor

        answer = json.loads(call([
            options.program, "match", player(number), player(opponent), *self.game_named, *self.game,
            "--games", games, "--openings", openings, "--sprt", options.sprt,
            "--log", self.path(number) / "match.jsonl", "--json",
            *self.adapter, *shlex.split(options.match_options)]))
        wins, draws, losses = answer["a_wins"], answer["draws"], answer["b_wins"]
        score = (wins + draws / 2 + 0.5) / (wins + draws + losses + 1)
        generation.opponent, generation.match = opponent, f"+{wins} ={draws} -{losses}"
        generation.elo = round(rating + 400 * math.log10(score / (1 - score)), 1)
        verdict = answer["sprt"]["verdict"]
        is_better = verdict == "elo1" or verdict is None and score > 0.5
        # The first network replaces the playouts even if they are stronger: later networks can't surpass it otherwise.
        generation.plays = not self.gates or number == 1 or is_better

    def run(self):
        start = time.time()
        for number in range(len(self.done) + 1, self.options.generations + 1):
            if self.options.minutes is not None and time.time() - start > 60 * self.options.minutes:
                break
            times = [time.time()]
            self.self_play(number)
            times.append(time.time())
            generation = self.train(number)
            times.append(time.time())
            if self.options.match_every and number % self.options.match_every == 0:
                self.match(generation)
            times.append(time.time())
            seconds = [round(after - before, 1) for before, after in zip(times, times[1:])]
            generation.play_seconds, generation.train_seconds, generation.match_seconds = seconds
            self.done.append(generation)
            self.write_table()
            print(", ".join(f"{name} {value}" for name, value in asdict(generation).items()), flush=True)


def drawing(points):
    """An SVG of ratings, from points (generation, Elo)."""
    width, height, left, low = 640, 360, 60, 320
    last = max([number for number, _ in points], default=1)
    ratings = [0.0] + [elo for _, elo in points]
    least, most = 100 * math.floor(min(ratings) / 100), 100 * math.floor(max(ratings) / 100 + 1)

    def place(number, elo):
        return left + (width - left - 20) * number / last, low - (low - 20) * (elo - least) / (most - least)

    parts = []
    for elo in range(least, most + 1, 100 * math.ceil((most - least) / 1000)):
        x, y = place(0, elo)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{width - 20}" stroke="#ddd"/>'
                     f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{elo}</text>')
    for number in range(0, last + 1, max(1, last // 10)):
        parts.append(f'<text x="{place(number, 0)[0]:.1f}" y="{low + 18}" text-anchor="middle">{number}</text>')
    line = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in [(0, 0.0), *points])
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="2"/>'
                 f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">generation</text>'
                 f'<text x="{left}" y="14">Elo above the anchor</text>')
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12"',
                      f'font-family="sans-serif"><rect width="{width}" height="{height}" fill="white"/>',
                      *parts, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", help="connect4, othello, gomoku or go")
    parser.add_argument("--game-file", help="the file of a game, instead of a name")
    parser.add_argument("--game-options", default="", help='such as "--size 9 --komi 7"')
    parser.add_argument("--out", required=True, help="the folder of the cycle")
    parser.add_argument("--program", default="mcts-wgpu")
    parser.add_argument("--adapter", default="auto")
    parser.add_argument("--start", default="none", metavar="NET",
                        help="play the games of the first generation by this network [by playouts]")
    parser.add_argument("--init", metavar="NET", help="begin with the weights of this network, instead of random ones")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="begin no generation after this many minutes")
    parser.add_argument("--games", type=int, default=4096, help="games of self-play per generation [%(default)s]")
    parser.add_argument("--steps", type=int, default=64, help="steps of a search [%(default)s]")
    parser.add_argument("--leaf-batch", type=int, default=1, help="leaves per step [%(default)s]")
    parser.add_argument("--selfplay-options", default="", help="more options of mcts-wgpu selfplay")
    parser.add_argument("--net-size", default="6x64", metavar="BxC", help="blocks x channels [%(default)s]")
    parser.add_argument("--trunk", choices=["conv", "dense"], default="conv")
    parser.add_argument("--reuse", type=float, default=4, help="positions trained on per new position [%(default)s]")
    parser.add_argument("--window", type=int, default=20, help="most generations trained on [%(default)s]")
    parser.add_argument("--most-rows", type=int, default=3_000_000, help="most positions trained on [%(default)s]")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.01, help="the greatest learning rate [%(default)s]")
    parser.add_argument("--last-weight", type=float, default=2.0,
                        help="weight of the loss of the game's last position [%(default)s]")
    parser.add_argument("--length-penalty", type=float, default=0.0,
                        help="lower the value of a game's outcome by this per ply of the game [%(default)s]")
    parser.add_argument("--symmetry", choices=["auto", "none", "mirror", "square"], default="auto")
    parser.add_argument("--no-gate", action="store_true", help="the newest network plays the games")
    parser.add_argument("--no-check", action="store_true", help="do not compare outputs with the program's")
    parser.add_argument("--match-every", type=int, default=1, metavar="K",
                        help="play a match in each K-th generation; 0: none [%(default)s]")
    parser.add_argument("--match-games", type=int, default=200, help="most games of a match [%(default)s]")
    parser.add_argument("--sprt", default="0,50", help="end a match when this sequential test decides [%(default)s]")
    parser.add_argument("--anchor", default="default:steps=1000,trees=1,leaf_batch=1,playouts=1",
                        help="the player that has 0 Elo [%(default)s]")
    parser.add_argument("--opening-plies", type=int, default=4, help="moves of an opening [%(default)s]")
    parser.add_argument("--match-options", default="", help="more options of mcts-wgpu match")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if (options.game is None) == (options.game_file is None):
        parser.error("give a game, or the file of one by --game-file")
    try:
        Cycle(options).run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
