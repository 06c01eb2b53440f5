// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>

namespace divisi::client {

namespace {

struct Refusals {
    Q_DECLARE_TR_FUNCTIONS(divisi::client::Refusals)
};

}  // namespace

QString quoted(const std::string& said) {
    return Refusals::tr("%1", "a sentence in English, said by the cluster: frame it as a quotation")
        .arg(QString::fromStdString(said));
}

QString quoted(const Error& error) { return quoted(error.message()); }

}  // namespace divisi::client
