// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/base/result.h"

namespace divisi::client {

/// What a cluster, or a program beside it, said in English: as it is in an English window, a quotation in another
/// language.
QString quoted(const std::string& said);
QString quoted(const Error& error);

}  // namespace divisi::client
