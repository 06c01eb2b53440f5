// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/base/result.h"

namespace divisi::client {

/// What a cluster, or a program beside it, said in English ("where: what; next"): as it is in an English window, in the
/// window's language where refusal_texts() has what is wrong, else a quotation. Names and numbers stay as they are.
QString quoted(const std::string& said);
QString quoted(const Error& error);
/// "node mic-1/node-1": the word before a name in the program's language; what is otherwise stays.
QString place_text(const QString& said);

}  // namespace divisi::client
