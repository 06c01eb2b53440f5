// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/base/result.h"

namespace divisi::client {

/// Translates an English message of a cluster or program ("where: what; next"). An English window shows it unchanged.
/// For other languages, the message is translated if a catalogue or refusal_texts() contains the problem, and quoted
/// otherwise. Names and numbers are kept.
QString quoted(const std::string& said);
/// Translates an error by its id and arguments, and by its texts if it has no id.
QString quoted(const Error& error);
/// Translates one part of an error in the same way: the problem, or the next step.
QString quoted_problem(const Error& error);
QString quoted_next(const Error& error);
/// Translates the word before a name, as in "node mic-1/node-1". Other texts are returned unchanged.
QString place_text(const QString& said);

}  // namespace divisi::client
