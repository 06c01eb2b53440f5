# SPDX-License-Identifier: Apache-2.0
"""Makes the small data files of the cases, and reads them as resources/docs/numbers.md specifies."""
import csv
import pathlib
import struct
import zlib

import numpy as np

MASK = (1 << 64) - 1


def mix(key, value):
    """Returns SplitMix64's finalizer of key + golden ratio + value."""
    z = (key + 0x9E3779B97F4A7C15 + value) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fnv1a(text):
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def permuted(position, size, key):
    """Returns the keyed permutation of [0, size): four Feistel rounds, repeated until the result is in the range."""
    half = 1
    while 1 << (2 * half) < size:
        half += 1
    low = (1 << half) - 1
    while True:
        left, right = position >> half, position & low
        for turn in range(4):
            left, right = right, left ^ (mix(mix(key, turn), right) & low)
        position = left << half | right
        if position < size:
            return position


def sample_order(seed, first, count, size):
    """Returns which samples a run over `size` samples uses at its positions first, first + 1, ..."""
    base = mix(fnv1a("data order"), seed)
    return [permuted(n % size, size, mix(base, n // size)) for n in range(first, first + count)]


# Each reader returns inputs, and a dictionary from a column's name to its targets.


class Table:
    """A table. Features have mean 0 and deviation 1 over the training part. Texts are classes in sorted order."""

    def __init__(self, path, targets, training_rows):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        header, rows = rows[0], rows[1:]
        features = [i for i, name in enumerate(header) if name not in targets]
        x = np.array([[row[i] for i in features] for row in rows]).astype(np.float32).astype(np.float64)
        known = x[: training_rows or len(x)]
        self.x = ((x - known.mean(0)) / known.std(0)).astype(np.float32)
        self.targets = {}
        for name in targets:
            cells = [row[header.index(name)] for row in rows]
            try:
                self.targets[name] = np.array(cells).astype(np.float32)[:, None]
            except ValueError:
                names = sorted(set(cells))
                self.targets[name] = np.array([names.index(cell) for cell in cells], dtype=np.int64)
        if all(column.dtype == np.float32 for column in self.targets.values()):
            self.targets["target"] = np.concatenate([self.targets[name] for name in targets], axis=1)
        elif len(targets) == 1:
            self.targets["target"] = self.targets[targets[0]]

    def __len__(self):
        return len(self.x)

    def take(self, numbers):
        return self.x[numbers], {name: column[numbers] for name, column in self.targets.items()}


class Text:
    """Returns the windows of context + 1 bytes that begin at every byte."""

    def __init__(self, path, context):
        data = np.frombuffer(pathlib.Path(path).read_bytes(), dtype=np.uint8).astype(np.int64)
        self.windows = np.lib.stride_tricks.sliding_window_view(data, context + 1)

    def __len__(self):
        return len(self.windows)

    def take(self, numbers):
        windows = self.windows[numbers]
        return windows[:, :-1].copy(), {"target": windows[:, 1:].copy()}


def scaled(pixels):
    return pixels.astype(np.float32) / np.float32(127.5) - np.float32(1)


class Pictures:
    def __init__(self, pixels, labels):
        self.x, self.labels = scaled(pixels), labels

    def __len__(self):
        return len(self.x)

    def take(self, numbers):
        return self.x[numbers], {"target": self.labels[numbers]}


def read_idx(images, labels):
    data = pathlib.Path(images).read_bytes()
    rank = data[3]
    dims = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    pixels = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * rank).reshape(dims)
    names = pathlib.Path(labels).read_bytes()
    return Pictures(pixels[:, None], np.frombuffer(names, dtype=np.uint8, offset=8).astype(np.int64))


def read_png(path):
    """Reads an 8-bit colour picture without filters, as write_png() writes it: [3, height, width]."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + 3 * width)
    return lines[:, 1:].reshape(height, width, 3).transpose(2, 0, 1)


def read_folder(folder):
    folder = pathlib.Path(folder)
    classes = sorted(entry for entry in folder.iterdir() if entry.is_dir())
    found = [(path, label) for label, entry in enumerate(classes) for path in sorted(entry.glob("*.png"))]
    found.sort(key=lambda one: mix(fnv1a(one[0].relative_to(folder).as_posix()), 0))
    return Pictures(np.stack([read_png(path) for path, _ in found]), np.array([label for _, label in found]))


# The functions below write the files from a fixed seed.


def write_png(path, pixels):
    _, height, width = pixels.shape
    lines = b"".join(b"\0" + pixels[:, y].T.tobytes() for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9)) +
                     chunk(b"IEND", b""))


def write_idx(path, numbers):
    numbers = np.ascontiguousarray(numbers, dtype=np.uint8)
    path.write_bytes(bytes([0, 0, 8, numbers.ndim]) + struct.pack(f">{numbers.ndim}I", *numbers.shape) +
                     numbers.tobytes())


def write_tables(folder, random):
    x = random.normal(size=(44, 6)) * [1, 10, 0.1, 3, 1, 1] + [0, 50, 1, -2, 0, 4]
    z = (x - x.mean(0)) / x.std(0)
    value = np.tanh(z[:, 0]) + 0.5 * z[:, 1] * z[:, 2] - 0.3 * z[:, 3] + 0.1 * random.normal(size=44)
    cost = 3 + z[:, 4] - 0.5 * z[:, 5] ** 2
    score = z[:, 0] + z[:, 5] + 0.3 * random.normal(size=44)
    kind = np.where(score < -0.6, "low", np.where(score > 0.6, "top", "mid"))
    for name, columns in (("values", ["value"]), ("kinds", ["kind"]), ("pairs", ["value", "cost"]),
                          ("heads", ["kind", "value"])):
        made = {"value": [f"{v:.4f}" for v in value], "cost": [f"{v:.4f}" for v in cost], "kind": list(kind)}
        lines = ["a,b,c,d,e,f," + ",".join(columns)]
        for row in range(len(x)):
            lines.append(",".join([f"{v:.4f}" for v in x[row]] + [made[column][row] for column in columns]))
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def write_pictures(folder, random):
    yy, xx = np.mgrid[0:8, 0:8]
    grey, labels = [], []
    for number in range(40):
        label = number % 4
        wave = np.sin((label + 1) * (xx if label % 2 else yy) * 0.7 + random.uniform(0, 3))
        grey.append(np.clip(128 + 80 * wave + 20 * random.normal(size=(8, 8)), 0, 255))
        labels.append(label)
    write_idx(folder / "waves-images.idx", np.array(grey))
    write_idx(folder / "waves-labels.idx", np.array(labels))
    for number in range(24):
        label = number % 3
        colour = np.clip(90 + 40 * random.normal(size=(3, 8, 8)), 0, 255)
        colour[label, 2:6, 2:6] += 60
        write_png(folder / "colours" / "abc"[label] / f"{number:02}.png", np.clip(colour, 0, 255).astype(np.uint8))


def write_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.Generator(np.random.PCG64(20261122))
    write_tables(folder, random)
    write_pictures(folder, random)
    words = "one orchestra divides its strings, and every part plays on while the others answer. ".split()
    text = " ".join(words[int(n)] for n in random.integers(0, len(words), 90))
    (folder / "words.txt").write_text(text + "\n")
