// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/base/result.h"

namespace divisi::client {

/// Translates an English message of a cluster or program ("where: what; next"). An English window shows it unchanged.
/// Other languages get a translation if refusal_texts() has the problem, else a quotation. Names and numbers are kept.
QString quoted(const std::string& said);
QString quoted(const Error& error);
/// Translates the word before a name, as in "node mic-1/node-1". Other texts are returned unchanged.
QString place_text(const QString& said);

}  // namespace divisi::client
