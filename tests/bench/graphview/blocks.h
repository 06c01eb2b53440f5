// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/graphview/probe.h"

namespace divisi::bench {

/// The whole window with 10,000 operators: how soon it can be used, and how long its event loop stands still while it
/// opens, lays out, collapses, searches and undoes. Whether all limits are kept: 1 s and 100 ms.
bool measure_blocks(ProbedApplication& application);

}  // namespace divisi::bench
