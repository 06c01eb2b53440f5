// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/graphview/probe.h"

namespace divisi::bench {

/// Opens the whole window with 10,000 operators. Measures how soon it can be used, and how long its event loop blocks
/// while it opens, lays out, collapses, searches and undoes. Returns whether all limits hold: 1 s and 100 ms.
bool measure_blocks(ProbedApplication& application);

}  // namespace divisi::bench
