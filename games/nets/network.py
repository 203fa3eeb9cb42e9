"""Networks of mcts-wgpu: layers, files, the training model in floats, and exact outputs in integers.

The arithmetic is that of src/documentation/specification.md, "Networks".
"""

import json
import math
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

FORMAT = "mcts-wgpu-net-1"
DTYPES = {"U8": "<u1", "I8": "<i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "F32": "<f4"}
MOST_ACTIVE, MOST_WEIGHT, MOST_MULTIPLIER, MOST_SHIFT, SUM_BOUND = 127, 127, 127, 24, 1 << 24
LOGIT_RANGE = (-32768, 32767)
TRAINED_SPREAD = 0.5
# The integers that represent 1. Activations are limited to 127; those of the heads have a greater spread than those of
# the trunk. The unit of a logit is 1/256 of a bit.
BIT_UNIT, TRUNK_UNIT, HEAD_UNIT, LOGIT_UNIT = 1, 24, 10, 256 / math.log(2)


def read_tensors(path):
    """Reads the metadata and the tensors of a file of safetensors."""
    raw = Path(path).read_bytes()
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:end])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, info in header.items():
        begin, after = info["data_offsets"]
        numbers = np.frombuffer(raw, DTYPES[info["dtype"]], offset=end + begin, count=math.prod(info["shape"]))
        assert numbers.nbytes == after - begin, f"{path}: tensor {name} is not as long as its shape"
        tensors[name] = numbers.reshape(info["shape"])
    return metadata, tensors


def write_tensors(path, metadata, tensors):
    """Writes a file of safetensors atomically, so that no reader sees a part of it."""
    names, header, offset = {dtype: name for name, dtype in DTYPES.items()}, {"__metadata__": metadata}, 0
    arrays = {name: np.ascontiguousarray(numbers) for name, numbers in tensors.items()}
    for name, numbers in arrays.items():
        dtype = names[numbers.dtype.newbyteorder("<").str.replace("|", "<")]
        offsets = [offset, offset := offset + numbers.nbytes]
        header[name] = {"dtype": dtype, "shape": list(numbers.shape), "data_offsets": offsets}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    part = Path(f"{path}.part")
    part.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in arrays.values()))
    os.replace(part, path)


@dataclass(frozen=True)
class Plan:
    """A layer: name, sizes, units of its inputs and outputs, and initial gain."""

    name: str
    inputs: int
    outputs: int
    taps: int
    unit_in: float
    unit_out: float
    gain: float = math.sqrt(2)

    @property
    def most_input(self):
        return 1 if self.unit_in == BIT_UNIT else MOST_ACTIVE

    @property
    def weight_shape(self):
        return (self.outputs, self.inputs, *([3, 3] if self.taps == 9 else [1, 1]))


@dataclass(frozen=True)
class Sizes:
    """The metadata of a network's file, in their order."""

    game: str
    rows: int
    columns: int
    planes: int
    actions: int
    trunk: str
    blocks: int
    channels: int
    policy_channels: int
    value_channels: int
    value_hidden: int

    @classmethod
    def of_metadata(cls, metadata):
        return cls(**{field.name: field.type(metadata[field.name]) for field in fields(cls)})

    def metadata(self):
        return {"format": FORMAT, **{name: str(value) for name, value in asdict(self).items()}}

    @property
    def cells(self):
        """Cells of the trunk."""
        return self.rows * self.columns if self.trunk == "conv" else 1

    def plans(self):
        """All layers, in the order of the file."""
        is_conv, channels, trunk = self.trunk == "conv", self.channels, (TRUNK_UNIT, TRUNK_UNIT)
        taps, inputs = (9, self.planes) if is_conv else (1, self.planes * self.rows * self.columns)
        yield Plan("input", inputs, channels, taps, BIT_UNIT, TRUNK_UNIT)
        for block in range(self.blocks):
            yield Plan(f"block.{block}.first", channels, channels, taps, *trunk)
            # At first, the sum of all blocks has the spread of one layer.
            yield Plan(f"block.{block}.second", channels, channels, taps, *trunk, gain=1 / math.sqrt(self.blocks))
        policy, value, hidden = self.policy_channels, self.value_channels, self.value_hidden
        yield Plan("policy.conv", channels, policy, 1, TRUNK_UNIT, HEAD_UNIT)
        yield Plan("policy.dense", policy * self.cells, self.actions, 1, HEAD_UNIT, LOGIT_UNIT, gain=0.1)
        yield Plan("value.conv", channels, value, 1, TRUNK_UNIT, HEAD_UNIT)
        yield Plan("value.hidden", value * self.cells, hidden, 1, HEAD_UNIT, HEAD_UNIT)
        yield Plan("value.dense", hidden, 3, 1, HEAD_UNIT, LOGIT_UNIT, gain=0.1)

    def last_head(self):
        """A head for training only: from the trunk, the planes of the game's last position."""
        return nn.Conv2d(self.channels, self.planes * self.rows * self.columns // self.cells, 1)

    def walk(self, planes, apply):
        """The outputs [n, actions + 3] of boards [n, planes, rows, columns]: logits of actions, of win, draw and loss.

        `apply(layer, x, skip, range)` is v(x) of a layer, plus `skip`, clamped to the range.
        """
        active, n = (0, MOST_ACTIVE), len(planes)
        x = apply("input", planes if self.trunk == "conv" else planes.reshape(n, -1, 1, 1), None, active)
        for block in range(self.blocks):
            hidden = apply(f"block.{block}.first", x, None, active)
            x = apply(f"block.{block}.second", hidden, x, active)
        policy = apply("policy.conv", x, None, active).reshape(n, -1, 1, 1)
        value = apply("value.conv", x, None, active).reshape(n, -1, 1, 1)
        policy = apply("policy.dense", policy, None, LOGIT_RANGE)
        value = apply("value.dense", apply("value.hidden", value, None, active), None, LOGIT_RANGE)
        return torch.cat([policy.flatten(1), value.flatten(1)], 1)


class Requantize(torch.autograd.Function):
    """sums * factor, rounded, + skip, clamped to a range; the gradient ignores the rounding."""

    @staticmethod
    def forward(ctx, sums, factor, skip, least, most):
        y = (sums * factor).add_(0.5).floor_()
        if skip is not None:
            y += skip
        clamped = y.clamp(least, most)
        ctx.save_for_backward(y == clamped, factor)
        ctx.has_skip = skip is not None
        return clamped

    @staticmethod
    def backward(ctx, gradient):
        inside, factor = ctx.saved_tensors
        gradient = gradient * inside
        return gradient * factor, None, gradient if ctx.has_skip else None, None, None


def rounded(x):
    """The nearest integers; the gradient ignores the rounding."""
    return x + (x.round() - x).detach()


class Layer(nn.Module):
    """A layer in training: its parameters are floats, from which the forward pass computes integers.

    Weights are standardized for each output (Qiao et al. 2019): mean 0, variance 1 / fan-in, times a learned gain.
    Unlike batch normalization this does not depend on the batch, so that training has the integers of the file.
    """

    def __init__(self, plan):
        super().__init__()
        self.plan = plan
        self.weight = nn.Parameter(0.1 * torch.randn(plan.weight_shape))
        self.gain = nn.Parameter(torch.full((plan.outputs,), plan.gain))
        self.bias = nn.Parameter(torch.zeros(plan.outputs))
        self.is_exact = True

    def begin(self, weight, bias, multiplier, shift):
        """Takes the integers of a file. The spread of the weights is near that of a trained network."""
        plan, factor = self.plan, multiplier * torch.exp2(-shift.float())
        weight = weight.reshape(plan.weight_shape) * factor[:, None, None, None]
        deviation = weight.std((1, 2, 3), correction=0)
        self.weight.copy_(TRAINED_SPREAD * weight / (deviation[:, None, None, None] + 1e-12))
        self.gain.copy_(deviation * (plan.unit_in / plan.unit_out * math.sqrt(plan.inputs * plan.taps)))
        self.bias.copy_(bias * factor / plan.unit_out)

    def real(self):
        """Weights and biases in floats, for inputs and outputs in the units of integers."""
        deviation, mean = torch.std_mean(self.weight, (1, 2, 3), keepdim=True, correction=0)
        plan = self.plan
        gain = self.gain[:, None, None, None] * (plan.unit_out / plan.unit_in / math.sqrt(plan.inputs * plan.taps))
        return (self.weight - mean) / (deviation + 1e-6) * gain, self.bias * plan.unit_out

    @torch.no_grad()
    def scale(self, weight, bias):
        """Multipliers and shifts: the least factors with integers in their ranges."""
        most, room = self.plan.most_input, self.plan.most_input * weight[0].numel() / 2 + 1
        sums = most * weight.abs().sum((1, 2, 3)) + bias.abs()
        least = torch.maximum(weight.abs().amax((1, 2, 3)) / MOST_WEIGHT, 1.0001 * sums / (SUM_BOUND - 1 - room))
        shift = torch.floor(torch.log2(MOST_MULTIPLIER / least)).clamp(1, MOST_SHIFT)
        return torch.ceil(least * torch.exp2(shift)).clamp(1, MOST_MULTIPLIER), shift

    def integers(self):
        """Weights, biases, multipliers and shifts."""
        weight, bias = self.real()
        multiplier, shift = self.scale(weight, bias)
        factor = multiplier * torch.exp2(-shift)
        weight = rounded(weight / factor[:, None, None, None]).clamp(-MOST_WEIGHT, MOST_WEIGHT)
        return weight, rounded(bias / factor), multiplier, shift

    def forward(self, x, skip, limits):
        padding = 1 if self.plan.taps == 9 else 0
        if not self.is_exact:
            weight, bias = self.real()
            y = functional.conv2d(x, weight, bias, padding=padding)
            y = y if skip is None else y + skip
            return y.clamp_min(0) if limits[0] == 0 else y
        weight, bias, multiplier, shift = self.integers()
        factor = (multiplier * torch.exp2(-shift))[:, None, None]
        # Integers below 2^7 are exact in TF32, and sums below 2^24 in float32.
        return Requantize.apply(functional.conv2d(x, weight, bias, padding=padding), factor, skip, *limits)


class Network(nn.Module):
    """A network in training. `is_exact = False`: a network of floats, without rounding."""

    def __init__(self, sizes, is_exact=True):
        super().__init__()
        self.sizes = sizes
        # Names of modules can't have dots.
        self.layers = nn.ModuleDict({plan.name.replace(".", "_"): Layer(plan) for plan in sizes.plans()})
        for layer in self.layers.values():
            layer.is_exact = is_exact

    def forward(self, planes):
        """Outputs [n, actions + 3] of boards [n, planes, rows, columns], in the unit of integers."""
        return self.with_trunk(planes)[0]

    def with_trunk(self, planes):
        """The same, and the activations of the trunk [n, channels, rows, columns], or [n, channels, 1, 1]."""
        inputs = {}

        def apply(name, x, *rest):
            inputs[name] = x
            return self.layers[name.replace(".", "_")](x, *rest)

        return self.sizes.walk(planes, apply), inputs["policy.conv"]

    @torch.no_grad()
    def begin(self, exported):
        """Takes weights from a file. Outputs differ by its rounding."""
        assert exported.sizes == self.sizes, f"the network to begin with has other sizes: {exported.sizes}"
        for plan in self.sizes.plans():
            self.layers[plan.name.replace(".", "_")].begin(*exported.parts(plan.name))

    @torch.no_grad()
    def export(self, path):
        """Writes the file that the program reads."""
        tensors = {}
        for plan in self.sizes.plans():
            numbers = self.layers[plan.name.replace(".", "_")].integers()
            weight, bias, multiplier, shift = (number.cpu().numpy() for number in numbers)
            sums = np.abs(bias) + plan.most_input * np.abs(weight).sum((1, 2, 3))
            assert np.isfinite(sums).all() and sums.max() < SUM_BOUND, f"{plan.name}: sums reach {sums.max()}"
            weight = weight if plan.taps == 9 else weight[:, :, 0, 0]
            tensors[f"{plan.name}.weight"] = weight.astype("<i1")
            for part, numbers in [("bias", bias), ("multiplier", multiplier), ("shift", shift)]:
                tensors[f"{plan.name}.{part}"] = numbers.astype("<i4")
        write_tensors(path, self.sizes.metadata(), tensors)


class Exported:
    """A network from its file. Outputs are exact: sums in float64, all other operations in int64."""

    def __init__(self, path, device="cpu"):
        metadata, tensors = read_tensors(path)
        assert metadata.get("format") == FORMAT, f"{path} is no network: its metadata lacks format = {FORMAT}"
        self.sizes, self.device = Sizes.of_metadata(metadata), device
        self.plans = {plan.name: plan for plan in self.sizes.plans()}
        self.tensors = {name: torch.tensor(numbers, device=device) for name, numbers in tensors.items()}

    def parts(self, name):
        """Weights, biases, multipliers and shifts of a layer."""
        return [self.tensors[f"{name}.{part}"].long() for part in ["weight", "bias", "multiplier", "shift"]]

    def layer(self, name, x, skip, limits):
        plan = self.plans[name]
        weight, bias, multiplier, shift = self.parts(name)
        weight = weight.reshape(plan.weight_shape).double()
        sums = functional.conv2d(x.double(), weight, padding=1 if plan.taps == 9 else 0).round().long()
        bias, multiplier, shift = (part[:, None, None] for part in (bias, multiplier, shift))
        y = ((sums + bias) * multiplier + (1 << (shift - 1))) >> shift
        return (y if skip is None else y + skip).clamp(*limits)

    @torch.no_grad()
    def __call__(self, planes):
        """Outputs [n, actions + 3] of boards [n, planes, rows, columns]."""
        return torch.cat([self.sizes.walk(part, self.layer) for part in planes.split(1024)])
