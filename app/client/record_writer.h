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

/// Mails that wait for the disk; beyond, it has stood still for half a minute, and the recording ends.
inline constexpr std::size_t most_waiting_mails = 400;

/// Where records go: a file, or what a test puts in its place. Used by one thread; its calls may block.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    virtual Result<void> write(std::span<const store::Record> records) = 0;
    virtual Result<void> finish() = 0;
    virtual Bytes size() const = 0;
};

using OpenSink = std::function<Result<std::unique_ptr<RecordSink>>(const std::filesystem::path& file,
                                                                   const store::RecordingHeader& header)>;
/// A recording on disk: store::RecordingWriter.
Result<std::unique_ptr<RecordSink>> open_recording(const std::filesystem::path& file,
                                                   const store::RecordingHeader& header);

/// Writes one recording on a thread of its own, which alone touches the disk. No call waits for the disk longer than
/// it says; the object may go while the thread still hangs, and then the thread ends when the disk lets it.
class RecordWriter {
public:
    /// `over` is called once, by the writing thread, when the recording has ended, whole or by an error; not after the
    /// destructor.
    RecordWriter(const std::filesystem::path& file, const store::RecordingHeader& header, OpenSink open,
                 std::function<void()> over);
    ~RecordWriter();
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;

    /// Whether the file is there now, after waiting for it. `unavailable` where the disk does not answer in time.
    Result<void> wait_open(std::chrono::milliseconds patience);
    /// What comes next, `at` after the begin. False where most_waiting_mails wait already: it is not taken. What comes
    /// after an error is left out.
    bool put(Mail mail, Duration at);
    /// Nothing more comes: what waits is written, and the file closed.
    void close();
    /// Whether the thread is done with the file, after waiting for that.
    bool wait_over(std::chrono::milliseconds patience);
    /// Why it ended before it was closed, or could not be closed.
    std::optional<Error> error() const;
    Bytes size() const;
    /// Up to where the recording is in the file, from its begin.
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
