// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/record_writer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "app/client/record_codec.h"

namespace divisi::client {

namespace {

class FileSink final : public RecordSink {
public:
    explicit FileSink(store::RecordingWriter writer) : writer_(std::move(writer)) {}
    Result<void> write(std::span<const store::Record> records) override { return writer_.write(records); }
    Result<void> finish() override { return writer_.finish(); }
    Bytes size() const override { return writer_.size(); }

private:
    store::RecordingWriter writer_;
};

}  // namespace

Result<std::unique_ptr<RecordSink>> open_recording(const std::filesystem::path& file,
                                                   const store::RecordingHeader& header) {
    DIVISI_ASSIGN(store::RecordingWriter writer, store::RecordingWriter::create(file, header));
    return std::unique_ptr<RecordSink>(std::make_unique<FileSink>(std::move(writer)));
}

/// State shared by both threads; it exists until the writing thread has ended.
struct RecordWriter::Shared {
    struct Waiting {
        Mail mail;
        Duration at{};
    };

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<Waiting> waiting;
    bool closed = false;  ///< whether close() was called, so that no more mails are added
    bool opened = false, over = false;
    std::optional<Error> error;
    Bytes size = 0;
    Duration written{};
    std::function<void()> tell_over;

    /// Ends the recording and calls `tell_over`. The destructor clears `tell_over` under the same mutex, so it is not
    /// called after destruction.
    void end(std::optional<Error> why) {
        const std::lock_guard lock(mutex);
        over = true;
        error = std::move(why);
        waiting.clear();
        changed.notify_all();
        if (tell_over) tell_over();
    }
    void note(const RecordSink& sink, std::optional<Duration> at) {
        const std::lock_guard lock(mutex);
        opened = true;
        size = sink.size();
        if (at) written = *at;
        changed.notify_all();
    }
    /// Waits for mails and returns them; empty once the queue is closed and drained.
    std::deque<Waiting> take() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return closed || !waiting.empty(); });
        return std::exchange(waiting, {});
    }
};

RecordWriter::RecordWriter(const std::filesystem::path& file, const store::RecordingHeader& header, OpenSink open,
                           std::function<void()> over)
    : file_(file), shared_(std::make_shared<Shared>()) {
    shared_->tell_over = std::move(over);
    thread_ =
        std::thread([shared = shared_, file, header, open = std::move(open)] { serve(*shared, file, header, open); });
}

RecordWriter::~RecordWriter() {
    bool over = false;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->closed = true;
        shared_->tell_over = nullptr;
        over = shared_->over;
        shared_->changed.notify_all();
    }
    over ? thread_.join() : thread_.detach();
}

Result<void> RecordWriter::wait_open(std::chrono::milliseconds patience) {
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, patience, [this] { return shared_->opened || shared_->over; });
    if (shared_->error) return *shared_->error;
    if (shared_->opened) return {};
    return Error{ErrorCode::unavailable, "the disk does not answer", file_.string(), "record to another disk"};
}

bool RecordWriter::put(Mail mail, Duration at) {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->over || shared_->closed) return true;
    if (shared_->waiting.size() >= most_waiting_mails) return false;
    shared_->waiting.push_back({std::move(mail), at});
    shared_->changed.notify_all();
    return true;
}

void RecordWriter::close() {
    const std::lock_guard lock(shared_->mutex);
    shared_->closed = true;
    shared_->changed.notify_all();
}

bool RecordWriter::wait_over(std::chrono::milliseconds patience) {
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, patience, [this] { return shared_->over; });
}

std::optional<Error> RecordWriter::error() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->error;
}

Bytes RecordWriter::size() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->size;
}

Duration RecordWriter::written() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->written;
}

/// Runs on the writing thread. Never calls the sink while holding the mutex.
void RecordWriter::serve(Shared& shared, const std::filesystem::path& file, const store::RecordingHeader& header,
                         const OpenSink& open) {
    auto sink = open(file, header);
    if (!sink.ok()) return shared.end(sink.error());
    shared.note(**sink, std::nullopt);
    for (auto waiting = shared.take(); !waiting.empty(); waiting = shared.take())
        for (const auto& [mail, at] : waiting) {
            const auto records = records_of(mail, at);
            const Result<void> done = records.ok() ? (*sink)->write(*records) : Result<void>(records.error());
            if (!done.ok()) {
                (void)(*sink)->finish();
                shared.note(**sink, std::nullopt);
                return shared.end(done.error());
            }
            shared.note(**sink, at);
        }
    const Result<void> done = (*sink)->finish();
    shared.note(**sink, std::nullopt);
    shared.end(done.ok() ? std::nullopt : std::optional(done.error()));
}

}  // namespace divisi::client
