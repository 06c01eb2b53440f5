// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include "backend/base/result.h"

namespace divisi::model {

/// Writes a file completely or not at all. Fails with the path and what to do.
Result<void> save_bytes(const QString& path, const QByteArray& bytes);

}  // namespace divisi::model
