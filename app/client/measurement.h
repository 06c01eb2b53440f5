// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>

namespace divisi::client {

/// What is to be measured.
struct MeasurementWish {
    std::string task;            ///< text of a task file, with paths from the root
    std::string device = "cpu";  ///< of this machine
    int threads = 1;             ///< of an instance
};

/// Measures the operators of a model on this machine and stores their times where prices are looked for, as 'divisictl
/// profile' does, in a process of its own. What was measured before stays, also after a cancel. One at a time.
class Measurement : public QObject {
    Q_OBJECT
public:
    /// `program`: divisi-instance. `data`: the folder where prices are stored.
    Measurement(std::filesystem::path program, std::filesystem::path data, QObject* parent = nullptr);
    ~Measurement() override;

    void start(const MeasurementWish& wish);
    void cancel();
    bool running() const { return process_ != nullptr; }
    /// Operators measured since start().
    int measured() const { return measured_; }

Q_SIGNALS:
    void changed();  ///< begun, or one more was measured
    void finished();
    void cancelled();
    void failed(const QString& why);

private:
    void read();
    void end(bool well);
    void drop();

    std::filesystem::path program_, data_;
    std::unique_ptr<QTemporaryDir> folder_;  ///< of the task's text
    QProcess* process_ = nullptr;            ///< owned
    QByteArray unread_;
    int measured_ = 0;
};

}  // namespace divisi::client
