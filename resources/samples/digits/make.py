#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the digits 0 to 9 as 28x28 pictures into a pair of IDX files (the format of MNIST).

Each digit consists of a few strokes in the unit square. Each sample turns, scales, shears, shifts and thickens them,
by separate random numbers. Usage: make.py [folder] [samples]
"""
import math
import pathlib
import random
import struct
import sys

SIDE = 28
SEED = 1802


def arc(cx, cy, rx, ry, begin, end, points=14):
    """Points of an ellipse from angle `begin` to `end` in degrees, 0 to the right, 90 downward."""
    angles = [math.radians(begin + (end - begin) * i / (points - 1)) for i in range(points)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


# Strokes of each digit: lists of points in the unit square, y downward.
DIGITS = [
    [arc(0.5, 0.5, 0.28, 0.42, 0, 360, 24)],
    [[(0.32, 0.28), (0.54, 0.08), (0.54, 0.92)]],
    [arc(0.5, 0.32, 0.27, 0.24, 180, 380) + [(0.24, 0.92), (0.8, 0.92)]],
    [arc(0.47, 0.29, 0.26, 0.21, 200, 450), arc(0.47, 0.71, 0.28, 0.22, 270, 520)],
    [[(0.64, 0.92), (0.64, 0.08), (0.2, 0.64), (0.84, 0.64)]],
    [[(0.76, 0.08), (0.3, 0.08), (0.27, 0.46)] + arc(0.48, 0.66, 0.27, 0.25, 225, 510)],
    [arc(0.62, 0.62, 0.4, 0.56, 270, 180), arc(0.5, 0.68, 0.27, 0.24, 0, 360, 20)],
    [[(0.22, 0.08), (0.8, 0.08), (0.44, 0.92)]],
    [arc(0.5, 0.29, 0.23, 0.2, 0, 360, 20), arc(0.5, 0.71, 0.28, 0.22, 0, 360, 20)],
    [arc(0.5, 0.32, 0.26, 0.24, 0, 360, 20), arc(0.38, 0.38, 0.4, 0.54, 350, 450)],
]


def distance_to_segment(px, py, a, b):
    ax, ay, dx, dy = a[0], a[1], b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    t = 0.0 if length == 0.0 else max(0.0, min(1.0, ((px - ax) * dx + (py - ay) * dy) / length))
    return math.hypot(px - ax - t * dx, py - ay - t * dy)


def draw(digit, rng):
    turn, shear = math.radians(rng.uniform(-14, 14)), rng.uniform(-0.18, 0.18)
    scale_x, scale_y = rng.uniform(15, 21), rng.uniform(17, 22)
    shift_x, shift_y = SIDE / 2 + rng.uniform(-2.5, 2.5), SIDE / 2 + rng.uniform(-2, 2)
    thickness = rng.uniform(0.9, 1.7)

    def place(point):
        x, y = (point[0] - 0.5 + shear * (point[1] - 0.5)) * scale_x, (point[1] - 0.5) * scale_y
        return (x * math.cos(turn) - y * math.sin(turn) + shift_x + rng.uniform(-0.25, 0.25),
                x * math.sin(turn) + y * math.cos(turn) + shift_y + rng.uniform(-0.25, 0.25))

    pixels = bytearray(SIDE * SIDE)
    reach = thickness + 1
    for stroke in DIGITS[digit]:
        points = [place(point) for point in stroke]
        for a, b in zip(points, points[1:]):
            rows = range(max(0, int(min(a[1], b[1]) - reach)), min(SIDE, int(max(a[1], b[1]) + reach) + 1))
            columns = range(max(0, int(min(a[0], b[0]) - reach)), min(SIDE, int(max(a[0], b[0]) + reach) + 1))
            for row in rows:
                for column in columns:
                    ink = thickness + 0.5 - distance_to_segment(column + 0.5, row + 0.5, a, b)
                    # Eight grey levels are enough for smooth edges and keep the files small when packed.
                    value = min(255, max(0, round(ink * 8) * 32))
                    at = row * SIDE + column
                    pixels[at] = max(pixels[at], value)
    return bytes(pixels)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 2500
    rng = random.Random(SEED)
    labels = [i % 10 for i in range(samples)]
    rng.shuffle(labels)
    pictures = [draw(label, rng) for label in labels]
    (folder / "digits-images.idx").write_bytes(
        struct.pack(">HBBIII", 0, 8, 3, samples, SIDE, SIDE) + b"".join(pictures))
    (folder / "digits-labels.idx").write_bytes(struct.pack(">HBBI", 0, 8, 1, samples) + bytes(labels))


if __name__ == "__main__":
    main()
