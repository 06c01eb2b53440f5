// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/client/record_writer.h"

namespace divisi::client {

/// How long a recorder waits for the disk in each situation.
struct RecorderPatience {
    std::chrono::milliseconds open{2000};  ///< before a recording starts
    std::chrono::milliseconds last{2000};  ///< when the program ends
    /// After stop(): too short to be noticed, but enough for a healthy disk to complete the file.
    std::chrono::milliseconds stop{150};
    std::chrono::milliseconds late{5000};  ///< after stop(), until failed() reports the delay
};

/// Writes what a client receives to a file on a separate thread, so that neither a slow nor a hanging disk blocks the
/// window or the connection. While recording, it also asks for what views request only while visible, so that every
/// view has data in a replay.
class Recorder : public QObject {
    Q_OBJECT
public:
    explicit Recorder(Client& client, QObject* parent = nullptr, OpenSink open = open_recording,
                      RecorderPatience patience = {});
    /// Completes the recording if the disk responds in time. Otherwise writes to standard error what the file lacks.
    ~Recorder() override;

    /// Starts a recording with the current state. Fails if the file cannot be created, with `conflict` during another
    /// recording, and with `unavailable` if the disk does not respond in time.
    Result<void> start(const std::filesystem::path& file);
    /// Stops the recording. Waiting mails are written and the file is closed in the background. If that takes long or
    /// fails, failed() reports it.
    void stop();

    bool active() const { return active_; }
    /// Returns the duration of the current recording, or of the last one.
    std::chrono::steady_clock::duration elapsed() const;
    Bytes size() const { return writer_ ? writer_->size() : 0; }
    const std::filesystem::path& path() const { return path_; }

Q_SIGNALS:
    void activeChanged();
    /// The recording has ended by itself, or its end is not in the file yet. `what` gives the reason, up to where the
    /// file reaches, and what to do.
    void failed(const QString& what);

private:
    using Steady = std::chrono::steady_clock;
    /// A stopped recording that the disk has not stored completely yet.
    struct Ending {
        std::shared_ptr<RecordWriter> writer;
        std::filesystem::path path;
        Duration length{};
        Steady::time_point due{};  ///< when failed() reports the delay
        bool told = false;
    };

    void take(const Mail& mail);
    void put(Mail mail, Duration at);
    void ask();
    void watch_spans();
    void keep_new(Mail& mail);
    void poll();
    static QString error_text(const Ending& ending);
    static QString late_text(Ending& ending);
    static double missing_s(const Ending& ending);

    Client& client_;
    OpenSink open_;
    RecorderPatience patience_;
    QTimer asking_, looking_;
    std::uint64_t asked_ = 0;  ///< number of times ask() has asked
    bool active_ = false;
    std::shared_ptr<RecordWriter> writer_;  ///< writer of the current recording, or of the last one
    std::vector<Ending> ending_;
    std::filesystem::path path_;
    Steady::time_point begun_{}, ended_{}, last_mesh_{};
    std::uint64_t last_signal_ = 0;
};

}  // namespace divisi::client
