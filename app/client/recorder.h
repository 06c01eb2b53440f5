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

/// How long a recorder waits for the disk.
struct RecorderPatience {
    std::chrono::milliseconds open{2000};  ///< before a recording begins
    std::chrono::milliseconds last{2000};  ///< as the program ends
    /// After one was ended: too short to be felt, so that its file is whole at once where the disk is well.
    std::chrono::milliseconds stop{150};
    std::chrono::milliseconds late{5000};  ///< until one that was ended is told to be late
};

/// Writes what a client hears to a file, on a thread of its own, so that neither a slow disk nor one that hangs stops
/// the window or the connection. While it records it also asks for what views ask for only when they are seen, so that
/// all of them have something to show when the file is replayed.
class Recorder : public QObject {
    Q_OBJECT
public:
    explicit Recorder(Client& client, QObject* parent = nullptr, OpenSink open = open_recording,
                      RecorderPatience patience = {});
    /// Ends the recording whole where the disk answers in time; else says on standard error what the file
    /// lacks.
    ~Recorder() override;

    /// Begins with the state as it is known now. Fails where the file cannot be made, `conflict` while one is under
    /// way, `unavailable` where the disk does not answer in time.
    Result<void> start(const std::filesystem::path& file);
    /// Ends it. What waits is written and the file closed while the window goes on; failed() tells where that takes
    /// long or fails.
    void stop();

    bool active() const { return active_; }
    /// Of the recording under way, or of the last one.
    std::chrono::steady_clock::duration elapsed() const;
    Bytes size() const { return writer_ ? writer_->size() : 0; }
    const std::filesystem::path& path() const { return path_; }

Q_SIGNALS:
    void activeChanged();
    /// The recording has ended by itself, or its end is not in the file: says why, up to where, and what to do.
    void failed(const QString& what);

private:
    using Steady = std::chrono::steady_clock;
    /// One that was ended, and that the disk has not taken whole yet.
    struct Ending {
        std::shared_ptr<RecordWriter> writer;
        std::filesystem::path path;
        Duration length{};
        Steady::time_point due{};  ///< from here on its being late is told
        bool told = false;
    };

    void take(const Mail& mail);
    void put(Mail mail, Duration at);
    void ask();
    void watch_spans();
    void keep_new(Mail& mail);
    void look();
    static QString error_text(const Ending& ending);
    static QString late_text(Ending& ending);
    static double missing_s(const Ending& ending);

    Client& client_;
    OpenSink open_;
    RecorderPatience patience_;
    QTimer asking_, looking_;
    std::uint64_t asked_ = 0;  ///< how often
    bool active_ = false;
    std::shared_ptr<RecordWriter> writer_;  ///< of the recording under way, or of the last one
    std::vector<Ending> ending_;
    std::filesystem::path path_;
    Steady::time_point begun_{}, ended_{}, last_mesh_{};
    std::uint64_t last_signal_ = 0;
};

}  // namespace divisi::client
