// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>

namespace divisi::client {

/// Describes what to measure.
struct MeasurementWish {
    std::string task;            ///< text of a task file with absolute paths
    std::string device = "cpu";  ///< name of the device of this machine to measure
    int threads = 1;             ///< number of threads of an instance
};

/// Measures the operators of a model on this machine in a separate process, as 'divisictl profile' does. The measured
/// times are stored where prices are looked up. Earlier results are kept, even after a cancellation. Only one
/// measurement runs at a time.
class Measurement : public QObject {
    Q_OBJECT
public:
    /// `program` is divisi-instance. `data` is the folder that stores prices.
    Measurement(std::filesystem::path program, std::filesystem::path data, QObject* parent = nullptr);
    ~Measurement() override;

    void start(const MeasurementWish& wish);
    void cancel();
    bool running() const { return process_ != nullptr; }
    /// Returns the number of operators measured since start().
    int measured() const { return measured_; }

Q_SIGNALS:
    void changed();  ///< the measurement has begun, or has measured one more operator
    void finished();
    void cancelled();
    void failed(const QString& why);

private:
    void read();
    void end(bool well);
    void drop();

    std::filesystem::path program_, data_;
    std::unique_ptr<QTemporaryDir> folder_;  ///< temporary folder that contains the task file
    QProcess* process_ = nullptr;            ///< the measuring process; owned by this object
    QByteArray unread_;
    int measured_ = 0;
};

}  // namespace divisi::client
