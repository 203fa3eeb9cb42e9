"""Small networks, positions, and what the networks say of them, computed by numpy's 64-bit integers.

Writes NAME.safetensors of each network, and golden.json with boards and outputs. It follows the specification
("Networks") and shares nothing with the crate. `python3 golden.py` writes the same bytes again.
"""

import json
import struct
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
BOARDS = 12
SUM_BOUND = 1 << 24
NETWORKS = {
    "conv-1x16": dict(game="connect4", rows=6, columns=7, planes=4, actions=7, trunk="conv", blocks=1, channels=16,
                      policy_channels=2, value_channels=1, value_hidden=16),
    "conv-2x32": dict(game="five", rows=5, columns=5, planes=11, actions=26, trunk="conv", blocks=2, channels=32,
                      policy_channels=3, value_channels=2, value_hidden=24),
    "dense-1x32": dict(game="nine", rows=3, columns=3, planes=3, actions=9, trunk="dense", blocks=1, channels=32,
                       policy_channels=5, value_channels=3, value_hidden=17),
}


def layers(sizes):
    """Name, inputs, outputs, taps, greatest input and wanted spread of every layer."""
    cells = sizes["rows"] * sizes["columns"]
    channels, is_conv = sizes["channels"], sizes["trunk"] == "conv"
    taps, trunk_cells = (9, cells) if is_conv else (1, 1)
    yield "input", sizes["planes"] * (1 if is_conv else cells), channels, taps, 1, 50
    for block in range(sizes["blocks"]):
        for part in ["first", "second"]:
            yield f"block.{block}.{part}", channels, channels, taps, 127, 50
    yield "policy.conv", channels, sizes["policy_channels"], 1, 127, 50
    yield "policy.dense", sizes["policy_channels"] * trunk_cells, sizes["actions"], 1, 127, 600
    yield "value.conv", channels, sizes["value_channels"], 1, 127, 50
    yield "value.hidden", sizes["value_channels"] * trunk_cells, sizes["value_hidden"], 1, 127, 50
    yield "value.dense", sizes["value_hidden"], 3, 1, 127, 600


def random_layer(random, inputs, outputs, taps, most_input, spread):
    fan_in = inputs * taps
    weight = random.randint(-127, 128, (outputs, inputs, taps)).astype(np.int64)
    sums = 73 * (0.5 if most_input == 1 else 40) * fan_in**0.5
    bias = random.randint(-int(sums), int(sums) + 1, outputs).astype(np.int64)
    multiplier = random.randint(40, 128, outputs).astype(np.int64)
    shift = np.array([min(24, max(1, round(np.log2(sums * m / spread)))) for m in multiplier], np.int64)
    extreme(weight, bias, multiplier, shift, most_input, spread)
    return dict(weight=weight, bias=bias, multiplier=multiplier, shift=shift)


def extreme(weight, bias, multiplier, shift, most_input, spread):
    """Makes the first channels of wide layers go to the bounds."""
    if len(bias) < 16:
        return
    room = SUM_BOUND - 1 - 127 * most_input * weight[0].size
    assert room >= 0, "all weights of 127 fit"
    weight[0], bias[0] = 127, room  # the greatest sum, scaled down as far as it can be
    multiplier[0], shift[0] = 127, 24
    weight[1], bias[1] = -127, -room
    multiplier[1], shift[1] = 127, 1
    weight[2], bias[2] = 127, -room
    weight[3], bias[3] = -127, room
    multiplier[3], shift[3] = 1, 1
    weight[4, ::2], weight[4, 1::2], bias[4] = 127, -127, -1
    multiplier[4], shift[4] = 127, 15
    weight[5], bias[5] = 0, SUM_BOUND - 1  # 64 whatever the position, or a logit that is clamped
    multiplier[5], shift[5] = (64, 24) if spread < 100 else (127, 15)


def requantized(sums, layer):
    """Of sums [output][cell]."""
    multiplier, shift = layer["multiplier"][:, None], layer["shift"][:, None]
    return (sums * multiplier + (1 << (shift - 1))) >> shift


def apply(layer, x, rows, columns):
    """x is [input][cell]."""
    weight = layer["weight"]
    if weight.shape[2] == 1:
        sums = weight[:, :, 0] @ x
    else:
        padded = np.pad(x.reshape(len(x), rows, columns), ((0, 0), (1, 1), (1, 1)))
        sums = np.zeros((len(weight), rows * columns), np.int64)
        for dy in range(3):
            for dx in range(3):
                seen = padded[:, dy : dy + rows, dx : dx + columns].reshape(len(x), -1)
                sums += weight[:, :, 3 * dy + dx] @ seen
    sums += layer["bias"][:, None]
    assert np.abs(sums).max() < SUM_BOUND
    return requantized(sums, layer)


def active(values):
    return values.clip(0, 127)


def logits(values):
    return values.clip(-32768, 32767)


def evaluate(sizes, net, board):
    rows, columns = sizes["rows"], sizes["columns"]
    bits = np.array([[int(cell) >> plane & 1 for cell in board] for plane in range(sizes["planes"])], np.int64)
    if sizes["trunk"] == "dense":
        bits, rows, columns = bits.reshape(-1, 1), 1, 1
    x = active(apply(net["input"], bits, rows, columns))
    seen = [x]
    for block in range(sizes["blocks"]):
        hidden = active(apply(net[f"block.{block}.first"], x, rows, columns))
        x = active(apply(net[f"block.{block}.second"], hidden, rows, columns) + x)
        seen += [hidden, x]
    flat = [active(apply(net[f"{head}.conv"], x, rows, columns)).reshape(-1, 1) for head in ["policy", "value"]]
    policy = logits(apply(net["policy.dense"], flat[0], 1, 1))
    hidden = active(apply(net["value.hidden"], flat[1], 1, 1))
    value = logits(apply(net["value.dense"], hidden, 1, 1))
    return [int(value) for value in np.concatenate([policy, value])[:, 0]], seen + flat + [hidden]


def stored(sizes, net):
    """The bytes of the file: https://github.com/huggingface/safetensors#format"""
    header = {"__metadata__": {"format": "mcts-wgpu-net-1", **{name: str(size) for name, size in sizes.items()}}}
    data = b""
    for name, layer in net.items():
        outputs, inputs, taps = layer["weight"].shape
        shape = [outputs, inputs, 3, 3] if taps == 9 else [outputs, inputs] + ([1, 1] if name.endswith("conv") else [])
        for part, numbers in layer.items():
            kind, dtype = ("I8", "<i1") if part == "weight" else ("I32", "<i4")
            raw = numbers.astype(dtype).tobytes()
            header[f"{name}.{part}"] = {
                "dtype": kind,
                "shape": shape if part == "weight" else [outputs],
                "data_offsets": [len(data), len(data) + len(raw)],
            }
            data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def digest(sizes, net):
    """FNV-1a of the sizes and of all tensors."""
    text = "".join(f"{size}\n" for size in sizes.values()).encode()
    parts = [part for layer in net.values() for part in layer.items()]
    tensors = [numbers.astype("<i1" if part == "weight" else "<i4").tobytes() for part, numbers in parts]
    digest = 0xCBF29CE484222325
    for byte in text + b"".join(tensors):
        digest = (digest ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{digest:016x}"


def boards(random, sizes):
    """Random positions of few bits to many; the first has none, the last has all."""
    shape = (BOARDS, sizes["planes"], sizes["rows"] * sizes["columns"])
    bits = random.random_sample(shape) < np.linspace(0.1, 0.6, BOARDS)[:, None, None]
    bits[0], bits[-1] = False, True
    return (bits * (1 << np.arange(sizes["planes"]))[None, :, None]).sum(1)


def main():
    golden = {}
    for seed, (name, sizes) in enumerate(NETWORKS.items()):
        random = np.random.RandomState(seed)
        net = {layer: random_layer(random, *rest) for layer, *rest in layers(sizes)}
        (FOLDER / f"{name}.safetensors").write_bytes(stored(sizes, net))
        positions = boards(random, sizes)
        outputs, seen = zip(*(evaluate(sizes, net, board) for board in positions))
        for values in zip(*seen):
            some = np.concatenate([value.ravel() for value in values])
            print(name, f"zeros {np.mean(some == 0):.2f}, saturated {np.mean(some == 127):.2f}")
        golden[name] = {"digest": digest(sizes, net), "boards": positions.tolist(), "outputs": outputs}
    lines = ",\n".join(f'"{name}": {json.dumps(values, separators=(",", ":"))}' for name, values in golden.items())
    (FOLDER / "golden.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
