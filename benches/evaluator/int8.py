"""Evaluations a second of model.onnx by ONNX Runtime on one core, in float32 and in int8.

It needs numpy, onnx and onnxruntime; model.py writes model.onnx. Weights and activations are int8, weights by channel,
calibrated with random positions.
"""

import time

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

SHAPE, BATCHES, SECONDS, RUNS = (4, 6, 7), (1, 64), 1.0, 5
random = np.random.default_rng(1)


def positions(count):
    return {"planes": (random.random((count, *SHAPE)) < 0.3).astype(np.float32)}


class Positions(CalibrationDataReader):
    def __init__(self):
        self.left = iter([positions(64) for _ in range(8)])

    def get_next(self):
        return next(self.left, None)


def rate(session, batch):
    feed, best = positions(batch), 0.0
    for _ in range(RUNS):
        calls, began = 0, time.perf_counter()
        while (spent := time.perf_counter() - began) < SECONDS:
            session.run(None, feed)
            calls += 1
        best = max(best, calls * batch / spent)
    return best


model = onnx.load("model.onnx")
for value in [*model.graph.input, *model.graph.output]:
    value.type.tensor_type.shape.dim[0].dim_param = "n"
onnx.save(model, "float.onnx")
quantize_static(
    "float.onnx",
    "int8.onnx",
    Positions(),
    quant_format=QuantFormat.QDQ,
    per_channel=True,
    activation_type=QuantType.QUInt8,
    weight_type=QuantType.QInt8,
)
options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
for file in ("float.onnx", "int8.onnx"):
    session = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    rates = [f"{rate(session, batch):.0f} in batches of {batch}" for batch in BATCHES]
    print(f"{file}, ONNX Runtime {ort.__version__}: evaluations/s on one core: {', '.join(rates)}")
