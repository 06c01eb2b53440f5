#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the project's rules on the tree that contains this file. Usage: lint.py [rule...], or lint.py --list."""
import pathlib
import sys

from rules import RULES
from tree import Tree


def main():
    names = sys.argv[1:] or list(RULES)
    if names == ["--list"]:
        print(*RULES)
        return
    unknown = [name for name in names if name not in RULES]
    if unknown:
        sys.exit(f"lint: unknown rule {unknown[0]}; there are: {', '.join(RULES)}")
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent.parent)
    count = 0
    for name in names:
        for path, line, problem in RULES[name](tree):
            print(f"{path}:{line}: {problem} [{name}]" if line else f"{path}: {problem} [{name}]")
            count += 1
    if count:
        sys.exit(f"lint: {count} problems")
    print(f"lint: {', '.join(names)}: {len(tree.files)} files, no problem")


if __name__ == "__main__":
    main()
