// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>

namespace divisi::testing {

/// Gives this process a new data folder without measurements. Restores the former folder at the end.
class OwnDataFolder {
public:
    OwnDataFolder() { qputenv("DIVISI_DATA", folder_.path().toUtf8()); }
    ~OwnDataFolder() {
        if (before_.isNull()) qunsetenv("DIVISI_DATA");
        else qputenv("DIVISI_DATA", before_);
    }
    OwnDataFolder(const OwnDataFolder&) = delete;
    OwnDataFolder& operator=(const OwnDataFolder&) = delete;

private:
    QTemporaryDir folder_;
    QByteArray before_ = qgetenv("DIVISI_DATA");
};

}  // namespace divisi::testing
