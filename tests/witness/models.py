# SPDX-License-Identifier: Apache-2.0
"""The models that the witness trains: PyTorch's own layers."""
import torch
from torch import nn


class Heads(nn.Module):
    """One backbone with two heads."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 12), nn.ReLU())
        self.kind = nn.Linear(12, 3)
        self.value = nn.Linear(12, 1)

    def forward(self, x):
        shared = self.body(x)
        return self.kind(shared), self.value(shared)


class Attention(nn.Module):
    """A language model over bytes: two layers of a transformer with a causal mask."""

    def __init__(self, context, norm_first, activation):
        super().__init__()
        self.tokens = nn.Embedding(256, 16)
        self.places = nn.Parameter(0.1 * torch.randn(context, 16))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, activation=activation, batch_first=True,
                                       norm_first=norm_first) for _ in range(2))
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 256)
        self.register_buffer("mask", torch.triu(torch.full((context, context), float("-inf")), 1), persistent=False)

    def forward(self, x):
        h = self.tokens(x) + self.places
        for layer in self.layers:
            h = layer(h, src_mask=self.mask)
        return self.head(self.norm(h))


class Tied(nn.Module):
    """A language model whose embedding table is also its output projection."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(256, 12)
        self.inner = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 12), nn.LayerNorm(12))

    def forward(self, x):
        h = self.tokens(x)
        return torch.matmul(h + self.inner(h), self.tokens.weight.t())


class Recurrent(nn.Module):
    """A language model over bytes with a recurrent layer."""

    def __init__(self, kind, **options):
        super().__init__()
        self.tokens = nn.Embedding(256, 8)
        self.cells = kind(8, 12, batch_first=True, **options)
        self.head = nn.Linear(24 if options.get("bidirectional") else 12, 256)

    def forward(self, x):
        return self.head(self.cells(self.tokens(x))[0])


class Residual(nn.Module):
    """Convolutions with a skip connection, and a normalization between them."""

    def __init__(self, channels, classes, norm):
        super().__init__()
        self.stem = nn.Conv2d(channels, 8, 3, padding=1, bias=False)
        self.norm1, self.norm2 = norm(8), norm(8)
        self.inner = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        h = torch.relu(self.norm1(self.stem(x)))
        h = torch.relu(h + self.norm2(self.inner(h)))
        return self.head(h.mean((2, 3)))


def perceptron(outputs):
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, outputs))


def normalized_perceptron(outputs):
    return nn.Sequential(nn.Linear(6, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, outputs))


def convolutions():
    """Strides, dilation, groups, a transposed convolution and both kinds of pooling."""
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, padding=2,
                         dilation=2, groups=4), nn.LeakyReLU(0.1), nn.Conv2d(8, 12, 3, stride=2, padding=1), nn.SiLU(),
                         nn.ConvTranspose2d(12, 6, 2, stride=2), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(),
                         nn.Linear(24, 3))
