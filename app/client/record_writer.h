// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "app/client/mailbox.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// Maximum number of mails that wait for the disk. The limit is reached when the disk has not responded for half a
/// minute; the recording then ends.
inline constexpr std::size_t most_waiting_mails = 400;

/// Destination of records: a file, or a test's substitute. Used by one thread; its calls may block.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    virtual Result<void> write(std::span<const store::Record> records) = 0;
    virtual Result<void> finish() = 0;
    virtual Bytes size() const = 0;
};

using OpenSink = std::function<Result<std::unique_ptr<RecordSink>>(const std::filesystem::path& file,
                                                                   const store::RecordingHeader& header)>;
/// Creates a recording on disk with store::RecordingWriter.
Result<std::unique_ptr<RecordSink>> open_recording(const std::filesystem::path& file,
                                                   const store::RecordingHeader& header);

/// Writes one recording. Only its own thread accesses the disk, and no call waits for the disk longer than its time
/// limit. The object may be destroyed while the thread hangs; the thread then ends when the disk responds.
class RecordWriter {
public:
    /// Calls `over` once, on the writing thread, when the recording has ended, completely or with an error. Never calls
    /// it after the destructor.
    RecordWriter(const std::filesystem::path& file, const store::RecordingHeader& header, OpenSink open,
                 std::function<void()> over);
    ~RecordWriter();
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;

    /// Waits until the file is open or failed to open. Returns `unavailable` if the disk does not respond in time.
    Result<void> wait_open(std::chrono::milliseconds patience);
    /// Appends a mail; `at` is the time of its arrival, counted from the start. Returns false, without taking the mail,
    /// if most_waiting_mails are waiting already. After an error or close(), mails are dropped.
    bool put(Mail mail, Duration at);
    /// Ends the recording: writes the waiting mails and closes the file.
    void close();
    /// Waits for the thread to finish with the file. Returns whether it has finished.
    bool wait_over(std::chrono::milliseconds patience);
    /// Returns why the recording ended before close(), or why it could not be closed.
    std::optional<Error> error() const;
    Bytes size() const;
    /// Returns the time up to which the file contains the recording, counted from the start of the recording.
    Duration written() const;

private:
    struct Shared;
    static void serve(Shared& shared, const std::filesystem::path& file, const store::RecordingHeader& header,
                      const OpenSink& open);

    std::filesystem::path file_;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace divisi::client
