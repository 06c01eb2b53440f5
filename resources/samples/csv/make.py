#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes links.csv: the time that a chunk takes over a link, by a formula with noise. Usage: make.py [folder]

    time = hops * latency + size / bandwidth / (1 - load), with 5 % noise
"""
import pathlib
import random
import sys

SEED = 1802
ROWS = 1200


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    rng = random.Random(SEED)
    lines = ["size_kib,bandwidth_mb_per_s,latency_ms,hops,load,time_ms"]
    for _ in range(ROWS):
        size, bandwidth = rng.randint(16, 1024), rng.randint(50, 1200)
        latency, hops, load = round(rng.uniform(0.05, 2.0), 2), rng.randint(1, 5), round(rng.uniform(0.0, 0.8), 2)
        time = (hops * latency + size * 1.024 / bandwidth / (1 - load)) * rng.uniform(0.95, 1.05)
        lines.append(f"{size},{bandwidth},{latency},{hops},{load},{time:.3f}")
    (folder / "links.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
