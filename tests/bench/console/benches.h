// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "tests/bench/console/report.h"

namespace divisi::bench {

/// Each takes the arguments behind its name; false where it could not measure, with a line on stderr that says why.
bool series_bench(const QStringList& arguments, Report& report);
bool messages_bench(const QStringList& arguments, Report& report);
bool start_bench(const QStringList& arguments, Report& report);
bool undo_bench(const QStringList& arguments, Report& report);
bool train_bench(const QStringList& arguments, Report& report);

}  // namespace divisi::bench
