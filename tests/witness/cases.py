# SPDX-License-Identifier: Apache-2.0
"""The cases. Each has a model, data and the settings of a task file."""
import dataclasses
from typing import Callable

from torch import nn

import models

CONTEXT = 12


@dataclasses.dataclass
class Case:
    name: str
    model: Callable[[], nn.Module]
    data: str                       # values, kinds, pairs, heads (csv); words (text); waves (IDX), colours (PNG)
    train: dict                     # keys of [train]; an omitted key has the default of task files
    losses: dict = dataclasses.field(default_factory=dict)   # several heads: output -> loss
    weights: dict = dataclasses.field(default_factory=dict)  # several heads: output -> weight
    validation_share: float = 0.0
    seed: int = 1                   # for the model's initial weights


STEPS = 10
SCHEDULED = {"batch": 11, "lr": 0.2, "loss": "mse"}


def scheduled(name, **train):
    return Case(name, lambda: models.perceptron(1), "values", {**SCHEDULED, **train})


def instance_norm(channels):
    return nn.InstanceNorm2d(channels, affine=True)


def group_norm(channels):
    return nn.GroupNorm(4, channels)


CASES = [
    Case("sgd", lambda: models.perceptron(1), "values", {"batch": 8, "lr": 0.1, "loss": "mse", "seed": 7}),
    Case("momentum", lambda: models.perceptron(3), "kinds", {"batch": 11, "lr": 0.1, "momentum": 0.9}),
    Case("momentum-decay", lambda: models.perceptron(2), "pairs",
         {"batch": 12, "lr": 0.02, "momentum": 0.8, "weight_decay": 0.1, "loss": "mse"}),
    Case("adamw", lambda: models.perceptron(3), "kinds",
         {"batch": 11, "lr": 0.02, "optimizer": "adamw", "weight_decay": 0.1}),
    Case("adamw-settings", lambda: models.perceptron(1), "values",
         {"batch": 44, "lr": 0.03, "optimizer": "adamw", "beta1": 0.7, "beta2": 0.95, "epsilon": 0.001, "loss": "mse"}),
    Case("clip", lambda: models.perceptron(1), "values", {"batch": 11, "lr": 0.2, "clip": 0.5, "loss": "mse"}),
    Case("clip-adamw", lambda: models.perceptron(3), "kinds",
         {"batch": 12, "microbatches": 4, "lr": 0.02, "optimizer": "adamw", "clip": 0.2}),
    scheduled("constant-warmup", lr_schedule="constant", warmup_steps=4),
    scheduled("linear", lr_schedule="linear"),
    scheduled("linear-warmup", lr_schedule="linear", warmup_steps=3),
    scheduled("cosine", lr_schedule="cosine", decay_steps=9),
    scheduled("cosine-warmup", lr_schedule="cosine", warmup_steps=3),
    scheduled("step", lr_schedule="step", decay_steps=3, decay_rate=0.5),
    scheduled("step-warmup", lr_schedule="step", warmup_steps=2, decay_steps=4),
    scheduled("adamw-warmup", lr_schedule="cosine", warmup_steps=3, optimizer="adamw", microbatches=11),
    Case("heads", models.Heads, "heads", {"batch": 10, "microbatches": 2, "lr": 0.05, "momentum": 0.9},
         losses={"kind": "cross_entropy", "value": "mse"}, weights={"value": 0.3}),
    Case("batch-norm-table", lambda: models.normalized_perceptron(3), "kinds",
         {"batch": 12, "microbatches": 3, "lr": 0.1, "momentum": 0.9, "eval_every": 5}, validation_share=0.2),
    Case("batch-norm", lambda: models.Residual(1, 4, nn.BatchNorm2d), "waves",
         {"batch": 8, "microbatches": 2, "lr": 0.05, "momentum": 0.9, "eval_every": 5}, validation_share=0.2),
    Case("group-norm", lambda: models.Residual(3, 3, group_norm), "colours",
         {"batch": 6, "microbatches": 3, "lr": 0.01, "optimizer": "adamw"}),
    Case("instance-norm", lambda: models.Residual(3, 3, instance_norm), "colours",
         {"batch": 8, "lr": 0.05, "momentum": 0.9}),
    Case("convolutions", models.convolutions, "colours", {"batch": 6, "microbatches": 2, "lr": 0.2, "momentum": 0.9}),
    Case("convolutions-adamw", models.convolutions, "colours", {"batch": 8, "lr": 0.01, "optimizer": "adamw"}),
    Case("attention", lambda: models.Attention(CONTEXT, True, "gelu"), "words",
         {"batch": 8, "microbatches": 4, "lr": 0.002, "optimizer": "adamw", "weight_decay": 0.01, "clip": 1.0,
          "eval_every": 10}, validation_share=0.1),
    Case("attention-norm-last", lambda: models.Attention(CONTEXT, False, "relu"), "words", {"batch": 6, "lr": 0.1}),
    Case("tied", models.Tied, "words", {"batch": 6, "microbatches": 2, "lr": 0.01, "optimizer": "adamw"}),
    Case("rnn", lambda: models.Recurrent(nn.RNN), "words", {"batch": 6, "lr": 0.2, "momentum": 0.9}),
    Case("gru", lambda: models.Recurrent(nn.GRU), "words", {"batch": 6, "lr": 0.01, "optimizer": "adamw"}),
    Case("lstm", lambda: models.Recurrent(nn.LSTM), "words",
         {"batch": 6, "microbatches": 2, "lr": 0.01, "optimizer": "adamw"}),
    Case("lstm-both-ways", lambda: models.Recurrent(nn.LSTM, bidirectional=True, num_layers=2), "words",
         {"batch": 4, "lr": 0.3, "momentum": 0.9, "clip": 0.1}),
]
