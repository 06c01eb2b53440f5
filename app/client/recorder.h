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

/// Time limits of a recorder for waiting for the disk.
struct RecorderPatience {
    std::chrono::milliseconds open{2000};  ///< time limit for creating the file when a recording starts
    std::chrono::milliseconds last{2000};  ///< time limit for completing the file when the program ends
    /// time limit in stop(): too short for the user to notice, but long enough for a working disk to complete the file
    std::chrono::milliseconds stop{150};
    std::chrono::milliseconds late{5000};  ///< time from stop() until failed() reports an incomplete file
};

/// Writes to a file everything that a client receives. A separate thread writes, so that neither a slow nor a hanging
/// disk blocks the window or the connection. While recording, the recorder also requests the data that views request
/// only while visible, so that every view has data in a replay.
class Recorder : public QObject {
    Q_OBJECT
public:
    explicit Recorder(Client& client, QObject* parent = nullptr, OpenSink open = open_recording,
                      RecorderPatience patience = {});
    /// Completes the recording if the disk responds in time. Otherwise reports on standard error which part is missing
    /// in the file.
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
    /// The recording has ended early, or its end is not in the file yet. `what` gives the reason, the time that the
    /// file reaches, and what to do.
    void failed(const QString& what);

private:
    using Steady = std::chrono::steady_clock;
    /// A stopped recording that is not completely on the disk yet.
    struct Ending {
        std::shared_ptr<RecordWriter> writer;
        std::filesystem::path path;
        Duration length{};
        Steady::time_point due{};  ///< time at which failed() reports the delay
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
    std::uint64_t asked_ = 0;  ///< number of calls of ask()
    bool active_ = false;
    std::shared_ptr<RecordWriter> writer_;  ///< writer of the current recording, or of the last one
    std::vector<Ending> ending_;
    std::filesystem::path path_;
    Steady::time_point begun_{}, ended_{}, last_mesh_{};
    std::uint64_t last_signal_ = 0;
};

}  // namespace divisi::client
