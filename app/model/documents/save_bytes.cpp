// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/save_bytes.h"

#include <QSaveFile>

namespace divisi::model {

Result<void> save_bytes(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
    return Error{ErrorCode::failed, "cannot write: " + file.errorString().toStdString(), path.toStdString(),
                 "choose another folder, or make room there"};
}

}  // namespace divisi::model
