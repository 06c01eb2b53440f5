#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains every case in PyTorch; writes models, task files and curves.json into its own folder. See README.md."""
import copy
import json
import pathlib
import platform
import warnings

import numpy as np
import onnx
import torch
from torch import nn
from torch.optim import lr_scheduler

import data
from cases import CASES, CONTEXT, STEPS

HERE = pathlib.Path(__file__).resolve().parent
DATA, MODELS, TASKS = HERE / "data", HERE / "models", HERE / "tasks"
TABLES = {"values": ["value"], "kinds": ["kind"], "pairs": ["value", "cost"], "heads": ["kind", "value"]}


class Settings:
    """Returns [train] of a case, with the defaults of task files."""

    def __init__(self, train):
        self.given = train
        defaults = {"batch": 16, "microbatches": 1, "optimizer": "sgd", "lr": 0.01, "momentum": 0.0, "beta1": 0.9,
                    "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.0, "lr_schedule": "constant", "warmup_steps": 0,
                    "decay_steps": 0, "decay_rate": 0.1, "clip": 0.0, "seed": 0, "loss": "cross_entropy",
                    "eval_every": 0}
        unknown = set(train) - set(defaults)
        assert not unknown, unknown
        self.__dict__.update({**defaults, **train})


def read_source(case):
    if case.data in TABLES:
        rows = sum(1 for _ in open(DATA / f"{case.data}.csv")) - 1
        return data.Table(DATA / f"{case.data}.csv", TABLES[case.data], rows - round(case.validation_share * rows))
    if case.data == "waves":
        return data.read_idx(DATA / "waves-images.idx", DATA / "waves-labels.idx")
    return data.read_folder(DATA / "colours")


class Samples:
    """Returns the micro-batches of a case by step, and its validation part."""

    def __init__(self, case, settings):
        self.settings, self.rows = settings, settings.batch // settings.microbatches
        if case.data == "words":
            text = (DATA / "words.txt").read_bytes()
            end = len(text) - round(case.validation_share * len(text))
            self.training = data.Text(DATA / "words.txt", CONTEXT)
            self.training.windows = self.training.windows[: end - CONTEXT]
            self.held_out = data.Text(DATA / "words.txt", CONTEXT)
            self.held_out.windows = self.held_out.windows[end::CONTEXT]
            self.training_size, self.first_held_out = len(self.training), 0
        else:
            self.training = self.held_out = read_source(case)
            self.training_size = len(self.training) - round(case.validation_share * len(self.training))
            self.first_held_out = self.training_size

    def microbatch(self, step, number):
        first = (step - 1) * self.settings.batch + number * self.rows
        return self.training.take(data.sample_order(self.settings.seed, first, self.rows, self.training_size))

    def validation(self):
        numbers = np.arange(self.first_held_out, len(self.held_out))
        whole = len(numbers) // self.rows * self.rows
        return [self.held_out.take(part) for part in numbers[:whole].reshape(-1, self.rows)]


def loss_of(kind, output, target):
    if kind == "mse":
        return nn.functional.mse_loss(output, target.to(output.dtype))
    return nn.functional.cross_entropy(output.flatten(0, -2), target.flatten())


def losses_of(case, settings, outputs, targets):
    """Returns the loss, the losses of the heads, and the accuracy."""
    if not case.losses:
        loss = loss_of(settings.loss, outputs, targets["target"])
        right = None
        if settings.loss == "cross_entropy":
            right = (outputs.argmax(-1) == targets["target"]).double().mean()
        return loss, [], right
    heads = [loss_of(kind, output, targets[name]) for (name, kind), output in zip(case.losses.items(), outputs)]
    weighted = [case.weights.get(name, 1.0) * loss for name, loss in zip(case.losses, heads)]
    return sum(weighted[1:], weighted[0]), heads, None


def make_optimizer(settings, parameters):
    if settings.optimizer == "adamw":
        return torch.optim.AdamW(parameters, lr=settings.lr, betas=(settings.beta1, settings.beta2),
                                 eps=settings.epsilon, weight_decay=settings.weight_decay)
    return torch.optim.SGD(parameters, lr=settings.lr, momentum=settings.momentum, weight_decay=settings.weight_decay)


def make_schedule(settings, optimizer):
    """Returns PyTorch's own schedulers, one after the other."""
    warm, period = settings.warmup_steps, settings.decay_steps or STEPS
    after = {"constant": lambda: lr_scheduler.ConstantLR(optimizer, factor=1.0),
             "linear": lambda: lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=period - warm),
             "cosine": lambda: lr_scheduler.CosineAnnealingLR(optimizer, T_max=period - warm),
             "step": lambda: lr_scheduler.StepLR(optimizer, period, settings.decay_rate)}[settings.lr_schedule]()
    if warm == 0:
        return after
    before = lr_scheduler.LinearLR(optimizer, 1.0 / warm, 1.0, total_iters=warm - 1)
    return lr_scheduler.SequentialLR(optimizer, [before, after], milestones=[warm])


def evaluate(case, settings, model, samples, convert):
    model.eval()
    losses, right = [], []
    with torch.no_grad():
        for x, targets in samples.validation():
            loss, _, accuracy = losses_of(case, settings, model(convert(x)),
                                          {name: torch.from_numpy(t) for name, t in targets.items()})
            losses.append(loss.item())
            right.append(accuracy.item())
    model.train()
    return {"loss": float(np.mean(losses)), "accuracy": float(np.mean(right))}


def train(case, model, dtype):
    """Returns the losses of all steps before their updates, of the heads, and of the evaluations."""
    settings = Settings(case.train)
    samples = Samples(case, settings)
    model = copy.deepcopy(model).to(dtype).train()
    optimizer = make_optimizer(settings, model.parameters())
    schedule = make_schedule(settings, optimizer)
    curve = {"losses": [], "heads": {name: [] for name in case.losses}, "evaluations": {}, "clipped": 0}

    def convert(x):
        return torch.from_numpy(x).to(dtype) if x.dtype == np.float32 else torch.from_numpy(x)

    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        total, heads = [], []
        for number in range(settings.microbatches):
            x, targets = samples.microbatch(step, number)
            loss, of_heads, _ = losses_of(case, settings, model(convert(x)),
                                          {name: torch.from_numpy(t) for name, t in targets.items()})
            (loss / settings.microbatches).backward()
            total.append(loss.item())
            heads.append([head.item() for head in of_heads])
        if settings.clip > 0:
            norm = nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
            curve["clipped"] += int(norm > settings.clip)
        optimizer.step()
        schedule.step()
        curve["losses"].append(float(np.mean(total)))
        for name, values in zip(case.losses, np.array(heads).T):
            curve["heads"][name].append(float(np.mean(values)))
        if settings.eval_every and step % settings.eval_every == 0:
            curve["evaluations"][str(step)] = evaluate(case, settings, model, samples, convert)
    assert settings.clip == 0 or curve["clipped"] > 0, f"{case.name}: nothing was clipped"
    return curve


def start_from(path, model):
    """Writes the initial running statistics into the file, because tracing has changed them."""
    proto, state = onnx.load(str(path)), model.state_dict()
    for initializer in proto.graph.initializer:
        if initializer.name in state:
            first = onnx.numpy_helper.from_array(state[initializer.name].numpy(), initializer.name)
            initializer.CopyFrom(first)
    onnx.save(proto, str(path))


def export(case, model):
    samples = Samples(case, Settings(case.train))
    x = torch.from_numpy(samples.microbatch(1, 0)[0])
    outputs = list(case.losses) or ["y"]
    path = MODELS / f"{case.name}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the exporter
        torch.onnx.export(copy.deepcopy(model).train(), (x,), str(path), dynamo=False, opset_version=17,
                          training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, input_names=["x"],
                          output_names=outputs, dynamic_axes={name: {0: "batch"} for name in ["x", *outputs]})
    start_from(path, model)
    onnx.checker.check_model(str(path))


def toml(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def write_task(case):
    kind = {"words": "text", "waves": "images", "colours": "images"}.get(case.data, "csv")
    file = {"words": "words.txt", "waves": "waves-images.idx", "colours": "colours"}.get(case.data, f"{case.data}.csv")
    lines = ["# SPDX-License-Identifier: Apache-2.0", "[task]", f'name = "{case.name}"', "[model]",
             f'onnx = "../models/{case.name}.onnx"', "[data]", f'kind = "{kind}"', f'path = "../data/{file}"']
    if kind == "csv":
        lines.append(f"targets = {json.dumps(TABLES[case.data])}")
    if case.validation_share:
        lines.append(f"validation_share = {case.validation_share}")
    lines += ["[train]", f"steps = {STEPS}"]
    lines += [f"{key} = {toml(value)}" for key, value in case.train.items() if not (case.losses and key == "loss")]
    for table, entries in (("losses", case.losses), ("weights", case.weights)):
        if entries:
            lines += [f"[train.{table}]", *(f"{name} = {toml(value)}" for name, value in entries.items())]
    (TASKS / f"{case.name}.toml").write_text("\n".join(lines) + "\n")


def main():
    torch.set_num_threads(1)
    for folder in (MODELS, TASKS):
        folder.mkdir(exist_ok=True)
    data.write_all(DATA)
    curves = {"made_by": {"torch": torch.__version__, "numpy": np.__version__, "onnx": onnx.__version__,
                          "python": platform.python_version()}, "cases": {}}
    for case in CASES:
        torch.manual_seed(case.seed)
        model = case.model()
        export(case, model)
        write_task(case)
        curves["cases"][case.name] = {name: train(case, model, dtype) for name, dtype in
                                      (("float32", torch.float32), ("float64", torch.float64))}
        narrow, wide = (np.array(curves["cases"][case.name][name]["losses"]) for name in ("float32", "float64"))
        print(f"{case.name:20} {wide[0]:.4f} to {wide[-1]:.4f}, float32 off by {np.max(abs(narrow / wide - 1)):.1e}")
    (HERE / "curves.json").write_text(json.dumps(curves, indent=1) + "\n")


if __name__ == "__main__":
    main()
