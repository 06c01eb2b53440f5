// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/client/mailbox.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// Mails that wait for the disk; beyond, it has stood still for half a minute, and the recording ends.
inline constexpr std::size_t most_waiting_mails = 400;

/// Writes what a client hears to a file, on a thread of its own, so that a slow disk stops neither the window nor the
/// connection. While it records it also asks for what views ask for only when they are seen, so that all of them have
/// something to show when the file is replayed.
class Recorder : public QObject {
    Q_OBJECT
public:
    explicit Recorder(Client& client, QObject* parent = nullptr);
    ~Recorder() override;  ///< ends the recording whole

    /// Begins with the state as it is known now. Fails where the file cannot be made, `conflict` while one is under
    /// way.
    Result<void> start(const std::filesystem::path& file);
    /// Writes what waits, and closes the file. The failure of that is told by failed().
    void stop();

    bool active() const { return file_.has_value(); }
    /// Of the recording under way, or of the last one.
    std::chrono::steady_clock::duration elapsed() const;
    Bytes size() const { return size_; }
    const std::filesystem::path& path() const { return path_; }

Q_SIGNALS:
    void activeChanged();
    /// The recording has ended by itself; what is in the file can be replayed. Says why, and up to where.
    void failed(const QString& what);

private:
    struct Waiting {
        Mail mail;
        Duration at{};
    };
    using Steady = std::chrono::steady_clock;

    void take(const Mail& mail);
    void put(Mail mail, Duration at);
    void ask();
    void watch_spans();
    void keep_new(Mail& mail);
    void serve(std::unique_ptr<store::RecordingWriter> writer);
    bool write(store::RecordingWriter& writer, const std::deque<Waiting>& waiting);
    void tell_failure(const Error& error);  ///< the writing thread
    void join();

    Client& client_;
    QTimer asking_;
    std::uint64_t asked_ = 0;  ///< how often
    std::optional<std::uint64_t> file_;
    std::uint64_t files_ = 0;  ///< numbers them, so that a failure that is told late ends no other
    std::filesystem::path path_;
    Steady::time_point begun_{}, ended_{}, last_mesh_{};
    std::uint64_t last_signal_ = 0;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Waiting> waiting_;  ///< under the mutex, as are the next two
    bool over_ = false;            ///< nothing more comes
    bool broken_ = false;          ///< nothing more is written
    std::atomic<Bytes> size_ = 0;
    std::thread thread_;
};

}  // namespace divisi::client
