// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "tests/bench/console/report.h"

namespace divisi::bench {

/// Each bench takes the arguments that follow its name. Returns false if it could not measure, and prints the reason on
/// stderr.
bool series_bench(const QStringList& arguments, Report& report);
bool messages_bench(const QStringList& arguments, Report& report);
bool start_bench(const QStringList& arguments, Report& report);
bool undo_bench(const QStringList& arguments, Report& report);
bool train_bench(const QStringList& arguments, Report& report);

}  // namespace divisi::bench
