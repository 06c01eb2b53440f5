// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <vector>

#include "agents/data/dataset.h"

namespace divisi::data {

/// Writes files into a temporary folder, which is removed with the object.
class Files {
public:
    std::string path(const QString& name) const { return folder_.filePath(name).toStdString(); }
    std::string write(const QString& name, const QByteArray& bytes) const {
        const QString path = folder_.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write a test file");
        return path.toStdString();
    }

private:
    QTemporaryDir folder_;
};

inline std::vector<std::int64_t> integers(const Batch& batch, const char* column) {
    std::vector<std::int64_t> values;
    const auto* tensor = batch.find(column);
    if (!tensor) return values;
    for (std::int64_t i = 0; i < tensor->element_count(); ++i) values.push_back(tensor->integer_at(i));
    return values;
}

inline std::vector<double> numbers(const Batch& batch, const char* column) {
    std::vector<double> values;
    const auto* tensor = batch.find(column);
    if (!tensor) return values;
    for (std::int64_t i = 0; i < tensor->element_count(); ++i) values.push_back(tensor->number_at(i));
    return values;
}

/// Returns the message with which opening fails; "opened" if it does not fail.
inline QString refusal(const DatasetSpec& spec) {
    const auto opened = open_dataset(spec);
    return opened ? QStringLiteral("opened") : QString::fromStdString(opened.error().message());
}

}  // namespace divisi::data

/// Prints the actual message if the check fails.
#define COMPARE_CONTAINS(text, part) \
    QVERIFY2((text).contains(QLatin1String(part)), qPrintable(QStringLiteral("message was: ") + (text)))
