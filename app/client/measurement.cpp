// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/measurement.h"

#include <QFile>
#include <QStringList>
#include <utility>

#include "backend/process/processor.h"
#include "backend/store/profile_store.h"

namespace divisi::client {

Measurement::Measurement(std::filesystem::path program, std::filesystem::path data, QObject* parent)
    : QObject(parent), program_(std::move(program)), data_(std::move(data)) {}

Measurement::~Measurement() { drop(); }

void Measurement::start(const MeasurementWish& wish) {
    if (running()) return;
    measured_ = 0;
    unread_.clear();
    folder_ = std::make_unique<QTemporaryDir>();
    QFile task(folder_->filePath(QStringLiteral("task.toml")));
    const auto size = static_cast<qint64>(wish.task.size());
    if (!folder_->isValid() || !task.open(QIODevice::WriteOnly) || task.write(wish.task.data(), size) != size) {
        Q_EMIT failed(task.errorString());
        return;
    }
    task.close();
    std::error_code ignored;  // problems with the folder are reported when the store is opened
    std::filesystem::create_directories(data_, ignored);
    process_ = new QProcess(this);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The measurement uses the same numeric kernels as a training task.
    if (const std::string kernels = process::blas_kernels(); !kernels.empty())
        environment.insert(QStringLiteral("OPENBLAS_CORETYPE"), QString::fromStdString(kernels));
    process_->setProcessEnvironment(environment);
    connect(process_, &QProcess::readyReadStandardOutput, this, &Measurement::read);
    connect(process_, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { end(status == QProcess::NormalExit && code == 0); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(false);
    });
    const QString store = QString::fromStdString((data_ / store::profile_file).string());
    process_->start(QString::fromStdString(program_.string()),
                    {QStringLiteral("profile"), task.fileName(), QStringLiteral("--device"),
                     QString::fromStdString(wish.device), QStringLiteral("--threads"), QString::number(wish.threads),
                     QStringLiteral("--store"), store, QStringLiteral("--json")});
    if (process_) Q_EMIT changed();
}

/// Reads the output of the measuring process, which writes one line per operator.
void Measurement::read() {
    unread_ += process_->readAllStandardOutput();
    const int before = measured_;
    for (qsizetype end = unread_.indexOf('\n'); end >= 0; end = unread_.indexOf('\n')) {
        if (unread_.left(end).contains("\"event\":\"operator\"")) ++measured_;
        unread_.remove(0, end + 1);
    }
    if (measured_ != before) Q_EMIT changed();
}

void Measurement::end(bool well) {
    QString why = QString::fromUtf8(process_->readAllStandardError()).trimmed().section(u'\n', -1);
    if (why.isEmpty()) why = QString::fromStdString(program_.string()) + QStringLiteral(": ") + process_->errorString();
    drop();
    if (well) Q_EMIT finished();
    else Q_EMIT failed(why);
}

void Measurement::cancel() {
    if (!running()) return;
    drop();
    Q_EMIT cancelled();
}

void Measurement::drop() {
    if (QProcess* process = std::exchange(process_, nullptr)) {
        process->disconnect(this);
        process->kill();
        process->deleteLater();
    }
    folder_.reset();
}

}  // namespace divisi::client

#include "moc_measurement.cpp"
