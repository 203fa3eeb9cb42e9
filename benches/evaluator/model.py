"""Writes model.onnx: a residual network of random numbers for Connect 4, 6 blocks of 64 channels.

It needs numpy and onnx. A network trained with PyTorch is written by torch.onnx.export(model, example, "model.onnx")
with an example of shape [1, 4, 6, 7].
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PLANES, ROWS, COLUMNS, ACTIONS, BLOCKS, CHANNELS = 4, 6, 7, 7, 6, 64
random = np.random.default_rng(1)
nodes, weights = [], []


def constant(shape, spread):
    name = f"weight{len(weights)}"
    values = random.normal(0, spread, shape).astype(np.float32)
    weights.append(numpy_helper.from_array(values, name))
    return name


def node(kind, *inputs, **attributes):
    name = f"value{len(nodes)}"
    nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
    return name


def convolution(x, inputs, outputs, size):
    weight = constant((outputs, inputs, size, size), (2 / (inputs * size * size)) ** 0.5)
    return node("Conv", x, weight, constant((outputs,), 0.1), pads=[size // 2] * 4)


def dense(x, inputs, outputs):
    return node("Gemm", x, constant((inputs, outputs), inputs**-0.5), constant((outputs,), 0.1))


x = node("Relu", convolution("planes", PLANES, CHANNELS, 3))
for _ in range(BLOCKS):
    hidden = node("Relu", convolution(x, CHANNELS, CHANNELS, 3))
    x = node("Relu", node("Add", convolution(hidden, CHANNELS, CHANNELS, 3), x))
policy = node("Flatten", node("Relu", convolution(x, CHANNELS, 2, 1)))
policy = dense(policy, 2 * ROWS * COLUMNS, ACTIONS)
value = node("Flatten", node("Relu", convolution(x, CHANNELS, 1, 1)))
value = dense(node("Relu", dense(value, ROWS * COLUMNS, 32)), 32, 3)


def info(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


outputs = [info(policy, [1, ACTIONS]), info(value, [1, 3])]
graph = helper.make_graph(nodes, "random", [info("planes", [1, PLANES, ROWS, COLUMNS])], outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, "model.onnx")
