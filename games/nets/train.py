#!/usr/bin/env python3
"""Trains a network for mcts-wgpu on the data of `mcts-wgpu selfplay`.

    train.py DATA... --out NET.safetensors          trains on all data-*.safetensors of these folders
    train.py DATA... --check NET.safetensors        compares the program's outputs with the specification's
    train.py --self-test                            compares training with the integers of the file
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from copy import copy
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from network import LOGIT_UNIT, TRUNK_UNIT, Exported, Network, Sizes, read_tensors, write_tensors

# Games whose actions are the cells, and maybe a pass: whether rows of actions count from the bottom.
FROM_BOTTOM = {"go": True, "gomoku": True, "othello": False}
WARM_UP = 100
CHECKED_ROWS = 2000
# A won game keeps a part of its value, however long it is.
MOST_DRAWN = 0.75
GOLDEN = Path(__file__).parents[2] / "tests/networks"


class Data:
    """Positions of self-play, on the device of the training."""

    def __init__(self, files, device, most_rows=None):
        read, rows = [], 0
        for path in reversed(files):  # the newest files first
            if most_rows is not None and rows >= most_rows:
                break
            self.metadata, tensors = read_tensors(path)
            read.insert(0, tensors)
            rows += len(tensors["outcome"])
        assert rows > 0, "there are no positions to train on"
        skipped = max(0, rows - (most_rows or rows))

        def joined(name, dtype):
            numbers = np.concatenate([tensors[name] for tensors in read])[skipped:]
            return torch.from_numpy(numbers.view(dtype)).to(device)

        planes = joined("planes", np.uint8)
        self.planes = planes.reshape(*planes.shape, *[1] * (4 - planes.dim()))
        self.policy = joined("policy", np.int16)  # of unsigned numbers, which torch can't index
        self.outcome = joined("outcome", np.uint8)
        self.game, self.ply = joined("game", np.int32), joined("ply", np.int16)
        self.last, self.length = self.ends()

    def __len__(self):
        return len(self.outcome)

    def sizes(self, game=None, net_size="6x64", trunk="conv", policy_channels=2, value_channels=2, value_hidden=64):
        """The sizes of a network for these positions."""
        blocks, channels = map(int, net_size.split("x"))
        _, planes, rows, columns = self.planes.shape
        heads = (policy_channels, value_channels, value_hidden)
        game = game or self.metadata["game"]
        return Sizes(game, rows, columns, planes, self.policy.shape[1], trunk, blocks, channels, *heads)

    def part(self, mask):
        """The positions selected by a mask."""
        part = copy(self)
        for name in ["planes", "policy", "outcome", "game", "ply"]:
            setattr(part, name, getattr(self, name)[mask])
        part.last, part.length = part.ends()
        return part

    def ends(self):
        """For each row, the last row of its game with the same player to move, and the ply of the game's last row."""
        row = torch.arange(len(self), device=self.game.device)
        _, run, rows = torch.unique_consecutive(self.game, return_inverse=True, return_counts=True)
        key = 2 * run + self.ply % 2
        last = torch.zeros(2 * len(rows), dtype=torch.long, device=row.device)
        return last.scatter_reduce(0, key, row, "amax")[key], self.ply[rows.cumsum(0) - 1][run]

    def batch(self, rows):
        """Planes, policies, outcomes, planes of the last position, and lengths of the game, of some rows."""
        policy = (self.policy[rows].int() & 0xFFFF).float()
        policy /= policy.sum(1, keepdim=True)
        return self.planes[rows], policy, self.outcome[rows].long(), self.planes[self.last[rows]], self.length[rows]


def data_files(folders):
    """The data files of these folders, from old to new."""
    files = [file for folder in folders for file in sorted(Path(folder).glob("data-*.safetensors"))]
    assert files, f"there is no data-*.safetensors in {', '.join(map(str, folders))}"
    return files


def symmetries(sizes, kind):
    """Permutations [symmetry, cell] and [symmetry, action]: the cell or action that moves to each place."""
    cells = np.arange(sizes.rows * sizes.columns).reshape(sizes.rows, sizes.columns)
    actions = np.arange(sizes.actions)
    is_column = sizes.actions == sizes.columns and sizes.rows > 1
    is_square = sizes.rows == sizes.columns and sizes.actions in (cells.size, cells.size + 1)
    if kind == "auto":
        known = "mirror" if sizes.game == "connect4" else "square" if sizes.game in FROM_BOTTOM else "none"
        kind = known if is_column or is_square else "none"
    if kind == "none":
        return cells.reshape(1, -1), actions[None]
    assert is_column or is_square, f"{kind} needs actions that are columns, or the cells of a square board"
    boards = [cells, cells[:, ::-1]]
    if kind == "square":
        assert is_square, "square needs actions that are the cells of a square board"
        boards = [np.rot90(board, turn) for board in boards for turn in range(4)]
    if is_column:
        return np.stack([b.ravel() for b in boards]), np.stack([b[0] for b in boards])
    action_of = (cells[::-1] if FROM_BOTTOM.get(sizes.game) else cells).ravel()
    turned = np.tile(actions, (len(boards), 1))
    for turn, board in zip(turned, boards):
        turn[action_of] = action_of[board.ravel()]
    return np.stack([b.ravel() for b in boards]), turned


def value_targets(outcome, length, penalty):
    """Targets of win, draw and loss: each ply of a game moves `penalty` from its outcome to a draw."""
    drawn = (penalty * length).clamp(0, MOST_DRAWN)[:, None]
    return (1 - drawn) * functional.one_hot(outcome, 3) + drawn * torch.tensor([0, 1, 0], device=outcome.device)


class Trainer:
    """The state of training: a network, the average of its weights, and its optimizer."""

    def __init__(self, sizes, device, rate=0.01, batch=1024, weight_decay=0.02, symmetry="auto", value_weight=1.0,
                 last_weight=2.0, length_penalty=0.0, is_exact=True):
        self.network, self.average = (Network(sizes, is_exact).to(device) for _ in range(2))
        self.average.load_state_dict(self.network.state_dict())
        self.last = sizes.last_head().to(device)
        self.rate, self.batch, self.device = rate, batch, device
        self.value_weight, self.last_weight, self.length_penalty = value_weight, last_weight, length_penalty
        decayed = [weight for name, weight in self.network.named_parameters() if name.endswith("weight")]
        others = [weight for name, weight in self.network.named_parameters() if not name.endswith("weight")]
        others += self.last.parameters()
        groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0}]
        self.optimizer = torch.optim.AdamW(groups, fused=device != "cpu")
        self.turns = [torch.from_numpy(turns).to(device) for turns in symmetries(sizes, symmetry)]
        self.steps = 0

    def begin(self, path):
        """Begins with the weights of a network's file."""
        exported = Exported(path)
        for network in [self.network, self.average]:
            network.begin(exported)

    def turned(self, planes, policy, last):
        """Every position in one of its symmetric forms, at random."""
        cells, actions = self.turns
        which = torch.randint(len(cells), (len(planes),), device=planes.device)
        index = cells[which][:, None].expand(-1, planes.shape[1], -1)
        planes, last = (board.flatten(2).gather(2, index).view_as(board) for board in (planes, last))
        return planes, policy.gather(1, actions[which]), last

    def losses(self, outputs, policy, value):
        """Cross entropies, in nats."""
        logits = outputs / LOGIT_UNIT
        return functional.cross_entropy(logits[:, :-3], policy), functional.cross_entropy(logits[:, -3:], value)

    def fit(self, data, steps, rate=lambda part: 1.0):
        """Makes `steps` steps with the learning rate times rate(part), part from 0 to 1. Returns the mean losses."""
        sums, order = torch.zeros(2, device=self.device), torch.empty(0, dtype=torch.long, device=self.device)
        for step in range(steps):
            while len(order) < self.batch:
                order = torch.cat([order, torch.randperm(len(data), device=self.device)])
            rows, order = order[: self.batch], order[self.batch :]
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate * rate(step / steps) * min(1, (self.steps + 1) / WARM_UP)
            sums += self.step(*data.batch(rows))
        return (sums / max(1, steps)).tolist()

    def step(self, planes, policy, outcome, last, length):
        planes, policy, last = self.turned(planes, policy, last)
        planes = planes.float().contiguous(memory_format=torch.channels_last)
        outputs, trunk = self.network.with_trunk(planes)
        policy_loss, value_loss = self.losses(outputs, policy, value_targets(outcome, length, self.length_penalty))
        loss = policy_loss + self.value_weight * value_loss
        if self.last_weight > 0:
            logits = self.last(trunk / TRUNK_UNIT).view_as(last)
            loss = loss + self.last_weight * functional.binary_cross_entropy_with_logits(logits, last.float())
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.steps += 1
        decay = min(0.998, self.steps / (self.steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self.network.parameters()), 1 - decay)
        return torch.stack([policy_loss.detach(), value_loss.detach()])

    def save(self, path):
        state = {"network": self.network.state_dict(), "average": self.average.state_dict(), "steps": self.steps,
                 "last": self.last.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(state, f"{path}.part")
        os.replace(f"{path}.part", path)

    def load(self, path):
        state = torch.load(path, map_location=self.device)
        for part in ["network", "average", "last", "optimizer"]:
            getattr(self, part).load_state_dict(state[part])
        self.steps = state["steps"]


@torch.no_grad()
def quality(evaluate, data):
    """Losses in nats, and the shares of positions whose likeliest action and outcome are right."""
    sums = torch.zeros(4, dtype=torch.double)
    for rows in torch.arange(len(data), device=data.outcome.device).split(1024):
        planes, policy, outcome, *_ = data.batch(rows)
        logits = evaluate(planes.float()).float() / LOGIT_UNIT
        actions, ends = logits[:, :-3], logits[:, -3:]
        best = policy.gather(1, actions.argmax(1, keepdim=True))[:, 0] == policy.amax(1)
        policy_loss = functional.cross_entropy(actions, policy, reduction="sum")
        value_loss = functional.cross_entropy(ends, outcome, reduction="sum")
        right = (ends.argmax(1) == outcome).sum()
        sums += torch.stack([policy_loss, value_loss, best.sum(), right]).double().cpu()
    names = ["policy_loss", "value_loss", "policy_accuracy", "value_accuracy"]
    return dict(zip(names, (sums / len(data)).tolist()))


def check(net, planes, program):
    """Compares the program's outputs with the specification's, on these boards and on random ones."""
    own = Exported(net, planes.device)
    size = (CHECKED_ROWS // 4, *planes.shape[1:])
    random = (np.random.RandomState(0).random_sample(size) < np.linspace(0, 1, size[0])[:, None, None, None])
    planes = np.concatenate([planes[:CHECKED_ROWS].cpu().numpy(), random.astype(np.uint8)])
    with tempfile.TemporaryDirectory() as folder:
        given, found = f"{folder}/data.safetensors", f"{folder}/outputs.safetensors"
        write_tensors(given, {"game": own.sizes.game}, {"planes": planes})
        command = [program, "net", "evaluate", str(net), "--data", given, "--out", found]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        outputs = read_tensors(found)[1]["outputs"]
    wrong = np.argwhere(own(torch.from_numpy(planes).to(own.device)).cpu().numpy() != outputs)
    assert len(wrong) == 0, f"{net}: {len(wrong)} outputs of the program differ, the first at {wrong[0].tolist()}"
    return outputs.size


def self_test():
    """Compares outputs of training with those of files, and those with numpy's."""
    golden = json.loads((GOLDEN / "golden.json").read_text())
    for name, values in golden.items():
        exported = Exported(GOLDEN / f"{name}.safetensors")
        sizes = exported.sizes
        boards = np.array(values["boards"])[:, None] >> np.arange(sizes.planes)[None, :, None] & 1
        planes = torch.from_numpy(boards).reshape(-1, sizes.planes, sizes.rows, sizes.columns)
        assert exported(planes).tolist() == values["outputs"], f"{name}: outputs are not those of golden.json"
    torch.manual_seed(0)
    for sizes in [Sizes("go", 5, 5, 4, 26, "conv", 3, 32, 2, 3, 20),
                  Sizes("othello", 4, 4, 4, 17, "dense", 0, 32, 2, 3, 20),
                  Sizes("connect4", 3, 4, 4, 4, "conv", 1, 128, 2, 3, 20)]:
        network = Network(sizes).double()
        with torch.no_grad():
            for layer in network.layers.values():
                layer.gain.mul_(torch.empty_like(layer.gain).uniform_(0.5, 3))
                layer.bias.normal_(0, 0.3)
                layer.gain[0], layer.bias[0] = 0, 0  # an output that is always 0
                layer.weight[-1].sign_()  # the greatest possible sum
        planes = (torch.rand(200, 4, sizes.rows, sizes.columns) < torch.linspace(0, 1, 200)[:, None, None, None])
        with tempfile.TemporaryDirectory() as folder:
            network.export(f"{folder}/net")
            exported = Exported(f"{folder}/net")
            outputs = exported(planes.byte())
        assert torch.equal(network(planes.double()).long(), outputs), f"{sizes.game}: training has other outputs"
        assert outputs.unique().numel() > 100, f"{sizes.game}: too few different outputs"
        near = (network.float()(planes.float()).long() - outputs).abs()
        assert (near != 0).double().mean() < 0.01, f"{sizes.game}: outputs in float32 are not the integers"
        test_begin(exported, planes)
        test_symmetries(sizes, planes.byte())
    targets = value_targets(torch.tensor([0, 1, 2]), torch.tensor([4, 4, 2]), 0.1)
    assert torch.allclose(targets, torch.tensor([[0.6, 0.4, 0], [0, 1, 0], [0, 0.2, 0.8]])), f"value targets: {targets}"
    test_learning()
    print("all outputs are equal")


def test_begin(exported, planes):
    """A network that begins with a file has almost its outputs."""
    with torch.random.fork_rng():
        network = Network(exported.sizes).double()
    network.begin(exported)
    outputs = exported(planes.byte())
    far = (network(planes.double()) - outputs).std() / outputs.double().std()
    assert far < 0.05, f"{exported.sizes.game}: a network that begins with a file differs from it by {far}"


def test_symmetries(sizes, planes):
    """Actions are permuted like their cells, in all symmetric forms."""
    cells, actions = symmetries(sizes, "auto")
    assert len(cells) == len(actions) == (2 if sizes.game == "connect4" else 8)
    for cell_turn, action_turn in zip(cells, actions):
        stones = planes[:, 0]
        turned = stones.flatten(1)[:, cell_turn].view_as(stones)
        of_board = {"connect4": lambda b: b.sum(1), "othello": lambda b: b.flatten(1),
                    "go": lambda b: b.flip(1).flatten(1)}[sizes.game]
        before, after = of_board(stones), of_board(turned)
        assert torch.equal(before[:, action_turn[: before.shape[1]]], after), f"{sizes.game}: actions differ from cells"


def test_learning():
    """A small network fits some positions, and training from a saved state has the losses of uninterrupted training."""
    rows = 48
    actions = torch.arange(rows) % 7
    planes = torch.randint(2, (rows, 4, 6, 7)).byte().numpy()
    policy = (65535 * functional.one_hot(actions, 7)).numpy().astype("<u2")
    numbers = {"policy": policy, "outcome": (actions % 3).numpy().astype("<u1"),
               "game": (np.arange(rows) // 5).astype("<u4"), "ply": (np.arange(rows) % 5).astype("<u2")}
    with tempfile.TemporaryDirectory() as folder:
        for part in (slice(0, 10), slice(10, rows)):
            file = f"{folder}/data-{part.start:05}.safetensors"
            write_tensors(file, {"game": "connect4"}, {n: t[part] for n, t in {"planes": planes, **numbers}.items()})
        data = Data(data_files([folder]), "cpu")
        newest = Data(data_files([folder]), "cpu", 40)
        assert len(newest) == 40 and torch.equal(newest.planes, data.planes[-40:]), "the newest rows differ"
        read = data.batch(torch.arange(rows))
        last = [min(row // 5 * 5 + 4 - row % 5 % 2, rows - 1 - (rows - 1 - row) % 2) for row in range(rows)]
        planes, length = torch.from_numpy(planes), [2 if row >= 45 else 4 for row in range(rows)]
        same = [planes, torch.from_numpy(policy.astype(int)) // 65535, actions % 3, planes[last], torch.tensor(length)]
        assert all(torch.equal(*pair) for pair in zip(read, same)), "data differ from the file's"
        trainer = Trainer(data.sizes(net_size="2x16"), "cpu", rate=0.01, batch=rows, symmetry="none")
        trainer.fit(data, 100)
        found = quality(trainer.average, data)
        assert found["policy_loss"] < 0.5 and found["value_loss"] < 0.3, f"it does not learn: {found}"
        trainer.save(f"{folder}/state.pt")
        other = Trainer(trainer.network.sizes, "cpu", rate=0.01, batch=rows, symmetry="none")
        other.load(f"{folder}/state.pt")
        torch.manual_seed(1)
        losses = trainer.fit(data, 3)
        torch.manual_seed(1)
        assert losses == other.fit(data, 3), "losses differ after loading a saved state"


def setup(seed):
    """Makes torch deterministic, with tensor cores; returns the device."""
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.deterministic = True
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(options):
    device = setup(options.seed)
    data = Data(data_files(options.data), device, options.most_rows)
    held_back = None
    if options.held_back:
        held_back = data.part(data.game % options.held_back == 0)
        data = data.part(data.game % options.held_back != 0)
    trainer = Trainer(data.sizes(options.game, options.net_size, options.trunk), device, options.rate, options.batch,
                      symmetry=options.symmetry, last_weight=options.last_weight,
                      length_penalty=options.length_penalty, is_exact=not options.float)
    if options.init:
        trainer.begin(options.init)
    steps = options.steps or math.ceil(options.epochs * len(data) / options.batch)
    start, parts = time.time(), 10
    for part in range(parts):
        many = steps * (part + 1) // parts - steps * part // parts
        losses = trainer.fit(data, many, lambda at: 0.5 + 0.5 * math.cos(math.pi * (part + at) / parts))
        print(f"{trainer.steps} steps, {time.time() - start:.1f} s: policy loss {losses[0]:.4f}, "
              f"value loss {losses[1]:.4f}", file=sys.stderr, flush=True)
    evaluate = trainer.average
    if not options.float:
        trainer.average.export(options.out)
        evaluate = Exported(options.out, device)
    if held_back:
        print(json.dumps({"rows": len(held_back), **quality(evaluate, held_back)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", help="folders of data, from old to new")
    parser.add_argument("--out", help="the network's file")
    parser.add_argument("--check", metavar="NET", help="compare the program's outputs with the specification's")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--program", default="mcts-wgpu")
    parser.add_argument("--game", help="name of the game [that of the data]")
    parser.add_argument("--net-size", default="6x64", metavar="BxC", help="blocks x channels [%(default)s]")
    parser.add_argument("--trunk", choices=["conv", "dense"], default="conv")
    parser.add_argument("--epochs", type=float, default=5, help="passes over the positions [%(default)s]")
    parser.add_argument("--steps", type=int, help="number of steps, instead of epochs")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.01, help="the greatest learning rate [%(default)s]")
    parser.add_argument("--symmetry", choices=["auto", "none", "mirror", "square"], default="auto")
    parser.add_argument("--last-weight", type=float, default=2.0,
                        help="weight of the loss of the game's last position [%(default)s]")
    parser.add_argument("--length-penalty", type=float, default=0.0,
                        help="lower the value of a game's outcome by this per ply of the game [%(default)s]")
    parser.add_argument("--init", metavar="NET", help="begin with the weights of this network, instead of random ones")
    parser.add_argument("--most-rows", type=int, help="train on this many of the newest positions only")
    parser.add_argument("--held-back", type=int, metavar="N", help="exclude each N-th game, and measure losses on it")
    parser.add_argument("--float", action="store_true", help="train a network of floats, without rounding")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.self_test:
        self_test()
    elif options.check:
        planes = Data(data_files(options.data), "cpu", CHECKED_ROWS).planes
        print(f"{check(options.check, planes, options.program)} outputs are equal")
    elif options.data and (options.out or options.float):
        train(options)
    else:
        parser.error("give folders of data and --out FILE, or --self-test")


if __name__ == "__main__":
    main()
