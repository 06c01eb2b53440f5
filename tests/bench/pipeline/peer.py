#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user of PyTorch would run instead: the GPT of zoo:gpt, trained by PyTorch's own means on one thread a process.

    peer.py unsplit      an eager step over the whole batch
    peer.py accumulated  an eager step over micro-batches, whose gradients are summed
    peer.py split        torch.distributed.pipelining, 1F1B, two processes over Gloo

Prints one JSON line a step, as divisictl does: {"event": "step", "step": .., "loss": .., "step_ms": ..}.
Needs PyTorch 2 and nothing else; shares no code with Divisi.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        parts = self.qkv(x).split(width, 2)
        q, k, v = (p.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.out(F.gelu(self.fc(self.ln_2(x))))


class Stage(nn.Module):
    """A stage with some of the layers. The first stage also has the embedding, and the last one has the head."""

    def __init__(self, options, first, last, layers):
        super().__init__()
        self.embed = nn.Embedding(256, options.width) if first else None
        self.positions = nn.Parameter(0.02 * torch.randn(options.context, options.width)) if first else None
        self.blocks = nn.ModuleList(Block(options.width, options.heads) for _ in range(layers))
        self.norm = nn.LayerNorm(options.width) if last else None
        self.head = nn.Linear(options.width, 256, bias=False) if last else None
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, x):
        if self.embed is not None:
            x = self.embed(x) + self.positions
        for block in self.blocks:
            x = block(x)
        return x if self.head is None else self.head(self.norm(x))


def loss_of(logits, targets):
    return F.cross_entropy(logits.reshape(-1, 256), targets.reshape(-1))


def read_text(options):
    with open(options.text, "rb") as file:
        return torch.tensor(list(file.read()), dtype=torch.int64)


def batch_of(options, text, step):
    generator = torch.Generator().manual_seed(step)
    starts = torch.randint(len(text) - options.context - 1, (options.batch,), generator=generator)
    rows = torch.stack([text[s:s + options.context + 1] for s in starts.tolist()])
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def report(step, loss, seconds):
    print(json.dumps({"event": "step", "step": step, "loss": loss, "step_ms": 1e3 * seconds}), flush=True)


def run_unsplit(options, parts):
    model = Stage(options, True, True, options.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = read_text(options)
    for step in range(options.steps):
        began = time.monotonic()
        x, y = batch_of(options, text, step)
        sum_of_losses = 0.0
        for part_x, part_y in zip(x.chunk(parts), y.chunk(parts)):
            loss = loss_of(model(part_x), part_y) / parts
            loss.backward()
            sum_of_losses += loss.item()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        report(step, sum_of_losses, time.monotonic() - began)


def run_stage(options):
    import torch.distributed as dist
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    dist.init_process_group("gloo", init_method="file://" + options.store, rank=options.rank, world_size=2)
    last = options.rank == 1
    layers = options.layers - options.layers // 2 if not last else options.layers // 2
    model = Stage(options, not last, last, layers)
    schedule = Schedule1F1B(PipelineStage(model, options.rank, 2, torch.device("cpu")), options.microbatches,
                            loss_fn=loss_of)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = read_text(options)
    for step in range(options.steps):
        began = time.monotonic()
        x, y = batch_of(options, text, step)
        losses = []
        if last:
            schedule.step(target=y, losses=losses)
        else:
            schedule.step(x)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if last:  # only the last stage reports; its step ends after its last backward pass and the optimizer
            report(step, sum(loss.item() for loss in losses) / len(losses), time.monotonic() - began)
    dist.destroy_process_group()


def run_split():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--store", folder + "/store", "--rank"]
        first = subprocess.Popen([*command, "0"])
        last = subprocess.Popen([*command, "1"])
        sys.exit(last.wait() or first.wait())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["unsplit", "accumulated", "split"])
    parser.add_argument("--text", required=True)
    parser.add_argument("--store", default="")
    for name, value in (("layers", 6), ("width", 192), ("heads", 6), ("context", 128), ("batch", 16),
                        ("microbatches", 8), ("steps", 12), ("rank", -1)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if options.mode == "split" and options.rank < 0:
        run_split()
    elif options.mode == "split":
        run_stage(options)
    else:
        run_unsplit(options, 1 if options.mode == "unsplit" else options.microbatches)


if __name__ == "__main__":
    main()
